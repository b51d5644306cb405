// Files of an rr-cache, and files with markers that are to be taken apart. The first byte is the size of the markers.
#include "fuzz.hpp"
#include "merge/conflict_image.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace carry;
    if (size == 0)
        return 0;
    const std::size_t marker_size = data[0] % 10U + 1U;
    const auto text = fuzz::text_of(data + 1, size - 1);
    merge::marker_size_of_image(text);
    for (const auto form : {merge::MarkerForm::labelled, merge::MarkerForm::bare}) {
        const auto image = merge::conflict_image(text, marker_size, form);
        if (!image)
            continue;
        fuzz::expect(image->id(git::ObjectFormat::sha1).size() == 40, "a conflict has a name");
        if (image->conflicts.empty())
            fuzz::expect(image->bytes == text, "a text without conflict is its own image");
        else
            fuzz::expect(merge::holds_conflict(image->bytes, marker_size), "an image holds the conflicts of its text");
    }
    return 0;
}
