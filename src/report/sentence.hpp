/// The phrases that the text and the Markdown renderer share.
#pragma once

#include <carry/report.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace carry::report {

/// "stopped on 2 conflicts; the checkout was not changed". No foreign text in it that is not escaped.
std::string final_sentence(const Report& report);

/// "1 commit, 2 staged, 1 untracked", or "nothing".
std::string carried_counts(const Report& report);

/// "47 commits, 212 files", or "nothing new".
std::string upstream_counts(const Report& report);

/// "38-47", "38", or "before 38" for an empty place.
std::string span_text(const LineSpan& span);

/// The first seven digits of a commit id; nine where a whole range is named.
std::string short_id(std::string_view id, std::size_t length = 7);

/// "77aa01b Rework launch flags (#20102)", escaped.
std::string commit_text(const CommitRef& commit);

/// The id with no more than the pull request of its subject, "9ab12cd (#20111)", where the subject ends in one.
std::string commit_text_brief(const CommitRef& commit);

/// "HEAD, index and 12 changed paths are as they were before run …".
std::string proof_sentence(const UndoProof& proof);

/// "rule words (right in 63 of 100) would put 2 lines there".
std::string proposal_text(const RuleProposal& proposal);

/// Without those whose lines a likelier one has as well.
std::vector<const RuleProposal*> distinct_proposals(const ConflictReport& conflict);

/// A line of a file with its tabs as spaces: neither a terminal nor a block of Markdown takes tabs.
std::string with_spaces(std::string_view line);

/// "2 hunks, one 14 lines down", "1 of 3 hunks", "new file"; empty where there is nothing to say.
std::string hunk_summary(const PatchReport& patch);

/// The same for all paths of a commit that share their fate.
std::string hunk_summary(const std::vector<const PatchReport*>& patches);

/// Patches that one line speaks of: all paths of a commit, or a single uncommitted change.
struct Unit {
    std::vector<const PatchReport*> patches; ///< never empty; they point into the report
    Fate fate = Fate::kept;                  ///< the one that needs the most attention
    bool same_fate = true;
    [[nodiscard]] const PatchReport& first() const { return *patches.front(); }
};
std::vector<Unit> units_of(const Report& report);

/// The conflicts of a patch, in the report's order.
std::vector<const ConflictReport*> conflicts_of(const Report& report, const PatchReport& patch);

/// Conflicts that no patch of the report has.
std::vector<const ConflictReport*> other_conflicts(const Report& report);

/// False where nothing was planned, so that a fate would say nothing (status, snapshot, export).
bool has_fates(const Report& report);

/// True for fates that a person has to act on.
bool needs_person(Fate fate);

} // namespace carry::report
