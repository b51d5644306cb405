#include "merge/text_merge.hpp"

#include "merge/hunk_fates.hpp"

namespace carry::merge {

std::optional<TextMerge> merge_text(std::string_view base, std::string_view upstream, std::string_view local,
                                    const git::MergeOptions& options) {
    auto merged = git::merge_buffers(base, upstream, local, options);
    if (!merged)
        return std::nullopt;
    TextMerge result;
    result.clean = merged->clean;
    result.bytes = std::move(merged->bytes);
    result.hunks = hunk_fates(base, upstream, local, options);
    follow_verdict(result.clean, result.hunks);
    return result;
}

std::vector<HunkOutcome> hunks_of(std::string_view base, std::string_view local, Fate fate) {
    std::vector<HunkOutcome> hunks;
    for (const auto& change : git::diff_lines(base, local)) {
        HunkOutcome hunk;
        hunk.fate = fate;
        hunk.base = change.before;
        hunk.local = change.after;
        if (fate == Fate::absorbed) {
            hunk.upstream = change.after;
            hunk.result = change.after;
            hunk.reason = "upstream has it";
        } else if (fate == Fate::conflict || fate == Fate::parked) {
            hunk.upstream = std::nullopt;
        } else {
            hunk.upstream = change.before;
            hunk.result = change.after;
        }
        hunks.push_back(std::move(hunk));
    }
    return hunks;
}

} // namespace carry::merge
