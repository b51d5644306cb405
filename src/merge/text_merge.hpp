/// Three versions of a text file, merged as git merges them, and what became of each local hunk.
#pragma once

#include "git/buffers.hpp"

#include <carry/words.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

/// One changed range of the local side and its fate. Ranges are 0-based lines.
struct HunkOutcome {
    Fate fate = Fate::kept;
    git::LineRange base;  ///< where it was made for
    git::LineRange local; ///< in the local version
    std::optional<git::LineRange>
        upstream; ///< the same place in upstream's version; in a conflict, upstream's side of it
    std::optional<git::LineRange> result; ///< in the merged file (with its markers); nothing in a conflict
    std::string reason; ///< "14 lines down", "upstream has it", "upstream changed lines next to it" …
};

struct TextMerge {
    bool clean = false;
    std::string bytes; ///< with markers where not clean
    std::vector<HunkOutcome> hunks;
};

/// Nothing where one of them is binary. Bytes are git_merge_file's; fates come from the line differences of base ->
/// local and base -> upstream. absorbed: upstream's version holds exactly the local change (after the merge nothing of
/// the hunk differs from upstream); merged: upstream changed one of the three lines before or after it; kept:
/// otherwise, with "N lines down/up" as reason where upstream moved it; conflict: one outcome for each conflict that
/// the markers show, whose `local` and `upstream` are the sides as shown and whose `base` is all that either side
/// changed there, several local hunks perhaps; a hunk that lies beside what is shown is absorbed. With a favoured side
/// what would conflict is resolved, with union merged.
std::optional<TextMerge> merge_text(std::string_view base, std::string_view upstream, std::string_view local,
                                    const git::MergeOptions& options);

/// Fates of local hunks where upstream left the file alone, or has it whole.
std::vector<HunkOutcome> hunks_of(std::string_view base, std::string_view local, Fate fate);

} // namespace carry::merge
