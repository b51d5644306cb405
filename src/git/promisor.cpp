#include "git/promisor.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

#include <carry/error.hpp>

#include <array>
#include <filesystem>
#include <system_error>

namespace carry::git {

namespace fs = std::filesystem;

void fetch_missing_blobs(Repository& repository, const std::vector<ObjectId>& blobs) {
    if (!repository.capabilities().partial_clone || blobs.empty())
        return;
    // A tree of nothing but these blobs against an empty one: to count their lines, git diff first brings all of them.
    TreeEdits edits;
    for (const auto& blob : blobs)
        edits[blob.hex()] = TreeEntry{mode::file, blob};
    const auto wanted = repository.trees().edit({}, edits);
    const auto nothing = repository.objects().write(ObjectType::tree, {});
    RunOptions options;
    // the repository comes first, so that what arrives goes there
    options.environment = {
        {"GIT_ALTERNATE_OBJECT_DIRECTORIES", quote_path(repository.paths().carry_objects().native())}};
    const auto result = repository.program().run(
        {"diff-tree", "-r", "--no-renames", "--shortstat", nothing.hex(), wanted.hex()}, options);
    if (!result.ok())
        throw promisor_failure(result.error_output);
}

void adopt_promisor_packs(const RepositoryPaths& paths) {
    const auto from = paths.carry_objects() / "pack";
    const auto to = paths.common_dir / "objects/pack";
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(from, error)) {
        if (entry.path().extension() != ".promisor")
            continue;
        // git takes a pack for there once its index is
        for (const char* extension : {".promisor", ".pack", ".rev", ".idx"}) {
            auto file = entry.path();
            file.replace_extension(extension);
            if (!lstat_if_exists(file) || lstat_if_exists(to / file.filename()))
                continue;
            fs::create_hard_link(file, to / file.filename());
        }
        fsync_directory(to);
        for (const char* extension : {".idx", ".rev", ".pack", ".promisor"}) {
            auto file = entry.path();
            fs::remove(file.replace_extension(extension), error);
        }
    }
}

bool is_promisor_failure(std::string_view words) {
    return words.find("promisor remote") != std::string_view::npos;
}

Error promisor_failure(std::string_view words) {
    Error error(ErrorKind::failed, "this partial clone needs objects that its remote does not deliver",
                {"git fetch   shows whether the remote can be reached; then run the command again"});
    for (const auto line : split_terminated(words, '\n'))
        if (is_promisor_failure(line))
            return error.because(std::string(trim(line)));
    return error.because(std::string(trim(words)));
}

} // namespace carry::git
