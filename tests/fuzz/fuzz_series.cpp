// A series file from anywhere: no name leaves its directory; what is written again says the same.
#include "base/directory.hpp"
#include "base/text.hpp"
#include "fuzz.hpp"
#include "patch/series.hpp"

#include <algorithm>

namespace {

bool stays_inside(const std::string& name) {
    const auto parts = carry::split(name, '/');
    return std::ranges::none_of(parts, [](auto part) { return part.empty() || part == "." || part == ".."; });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace carry;
    std::vector<patch::SeriesEntry> entries;
    if (!fuzz::understood([&] { entries = patch::parse_series(fuzz::text_of(data, size), "series"); }))
        return 0;
    for (const auto& entry : entries)
        for (const auto* name : {&entry.file.name, &entry.file.bundle, &entry.diff})
            fuzz::expect(stays_inside(*name), "a series names nothing outside its directory");
    const auto again = patch::parse_series(patch::write_series_text(entries, {}, ""), "series");
    fuzz::expect(again.size() == entries.size(), "a series is written as it was read");
    for (std::size_t i = 0; i < again.size(); ++i)
        fuzz::expect(again[i].file.name == entries[i].file.name && again[i].file.layer == entries[i].file.layer &&
                         again[i].before == entries[i].before && again[i].diff == entries[i].diff,
                     "an entry is written as it was read");
    return 0;
}
