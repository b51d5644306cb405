/// Three versions of a text file, merged as git merges them, and what became of each local hunk.
#pragma once

#include "git/buffers.hpp"
#include "merge/rules.hpp"

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
    std::string
        reason; ///< "14 lines down", "upstream has it", "rule adjacent-lines", "upstream changed lines next to it" …
    std::vector<Proposal> proposals = {}; ///< of a conflict: what rules would make of it
};

struct TextMerge {
    bool clean = false;
    std::string bytes; ///< with markers where not clean
    std::vector<HunkOutcome> hunks;
    std::string note = {}; ///< a rule that changed the whole file
};

/// Which rules may decide, and what they are told of the file.
struct TextRules {
    RuleSet deciding = {};
    std::string_view path = {};
};

/// Nothing where one of them is binary. Bytes are git_merge_file's; fates come from the line differences of base ->
/// local and base -> upstream. absorbed: upstream's version holds exactly the local change (after the merge nothing of
/// the hunk differs from upstream); merged: upstream changed one of the three lines before or after it; kept:
/// otherwise, with "N lines down/up" as reason where upstream moved it; conflict: one outcome for each conflict that
/// the markers show, whose `local` and `upstream` are the sides as shown and whose `base` is all that either side
/// changed there, several local hunks perhaps; a hunk that lies beside what is shown is absorbed. With a favoured side
/// what would conflict is resolved, with union merged.
///
/// Where that conflicts and the versions differ in their line endings, the rule about those merges the lines, and the
/// endings apart from them. Where that conflicts, a second comparison (histogram, as git merge compares) gets its
/// chance; then the rules do. They decide only where that leaves no conflict in the file: those hunks are resolved,
/// with the rule as their reason. Otherwise all stay in conflict, with what the rules propose.
std::optional<TextMerge> merge_text(std::string_view base, std::string_view upstream, std::string_view local,
                                    const git::MergeOptions& options, const TextRules& rules = {});

/// Fates of local hunks where upstream left the file alone, or has it whole.
std::vector<HunkOutcome> hunks_of(std::string_view base, std::string_view local, Fate fate);

} // namespace carry::merge
