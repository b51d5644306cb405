// Patches and mailboxes from anywhere: no path in them leaves the tree, and mail encodings can be taken back.
#include "base/directory.hpp"
#include "fuzz.hpp"
#include "patch/mail.hpp"
#include "patch/patch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace carry;
    const auto text = fuzz::text_of(data, size);
    const fuzz::MemoryFile file(text);
    fuzz::understood([&] {
        for (const auto& patch : patch::read_patches({file.path()}))
            for (const auto& change : patch.file.changes)
                for (const auto* path : {&change.old_path, &change.new_path})
                    fuzz::expect(path->empty() || is_safe_repo_path(*path), "a patch changes nothing outside the tree");
    });
    fuzz::expect(patch::decode_quoted_printable(patch::encode_quoted_printable(text)) == text,
                 "quoted-printable can be taken back");
    patch::decode_header_words(text);
    patch::subject_without_patch_tag(text);
    return 0;
}
