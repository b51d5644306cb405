#include "report/sentence.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace carry::report {
namespace {

/// Most attention first.
constexpr std::array fate_order = {Fate::conflict, Fate::parked, Fate::resolved, Fate::merged,
                                   Fate::moved,    Fate::kept,   Fate::absorbed};

bool outranks(Fate a, Fate b) {
    const auto rank = [](Fate fate) { return std::find(fate_order.begin(), fate_order.end(), fate); };
    return rank(a) < rank(b);
}

std::size_t count_fate(const std::vector<Unit>& units, Fate fate) {
    return static_cast<std::size_t>(
        std::count_if(units.begin(), units.end(), [fate](const Unit& unit) { return unit.fate == fate; }));
}

std::string planned_sentence(const Report& report) {
    const std::size_t aside = count_fate(units_of(report), Fate::parked);
    if (aside > 0)
        return fmt::format("an upgrade would set {} aside; nothing was changed", count_of(aside, "patch", "patches"));
    if (!report.conflicts.empty())
        return fmt::format("an upgrade would {} {}; nothing was changed", report.exit_code == 4 ? "mark" : "stop on",
                           count_of(report.conflicts.size(), "conflict"));
    return "an upgrade would land everything; nothing was changed";
}

std::string parked_sentence(const Report& report) {
    const std::size_t now = count_fate(units_of(report), Fate::parked);
    const std::string aside = count_of(std::max(report.parked.size(), now), "patch is", "patches are") + " set aside";
    if (report.run.empty())
        return "already up to date; " + aside;
    return (report.command == "upgrade" ? "upgraded; " : "done; ") + aside;
}

std::string upgraded_sentence(const Report& report) {
    const std::size_t absorbed = count_fate(units_of(report), Fate::absorbed);
    std::string text = "upgraded";
    if (!report.new_upstream.empty())
        text += fmt::format(" to {}", short_id(report.new_upstream, 9));
    if (report.patches.empty())
        return text;
    if (absorbed > 0)
        return text + fmt::format("; everything is in place, {} by upstream itself", absorbed);
    return text + "; everything carried is in place";
}

std::string marked_sentence(const Report& report) {
    std::set<std::string_view> paths;
    for (const auto& conflict : report.conflicts)
        paths.insert(conflict.new_path.empty() ? conflict.path : conflict.new_path);
    return fmt::format("{} in {} to resolve",
                       count_of(report.conflicts.size(), "conflict is marked", "conflicts are marked"),
                       count_of(paths.size(), "file"));
}

std::string up_to_date_sentence(const Report& report) {
    if (report.command == "undo")
        return "nothing to undo";
    if (report.command == "prune")
        return "nothing to remove";
    if (report.command == "apply")
        return "everything is there already";
    return "already up to date";
}

std::string shown_sentence(const Report& report) {
    if (report.command == "resolutions")
        return count_of(report.notes.size(), "resolution is", "resolutions are") + " remembered";
    if (!report.waiting.empty())
        return fmt::format("run {} waits for 'git carry continue' or 'git carry abort'",
                           escape_terminal(report.waiting));
    if (report.upstream_commits > 0)
        return fmt::format("upstream has {}", count_of(report.upstream_commits, "new commit"));
    return "nothing new upstream";
}

/// "one 14 lines down", "2 absorbed" ...; hunks are told apart by their fate or, within the patch's own, by reason.
std::vector<std::string> hunk_remarks(const std::vector<const HunkReport*>& hunks, Fate fate) {
    std::vector<std::pair<std::string, std::size_t>> groups;
    for (const HunkReport* hunk : hunks) {
        const bool says_why = hunk->fate == fate || hunk->fate == Fate::resolved; // which rule it was has to be said
        std::string tag = says_why ? escape_terminal(hunk->reason) : std::string(to_string(hunk->fate));
        if (tag.empty() || tag == "upstream has it") // which is what absorbed means
            continue;
        const auto same = [&tag](const auto& group) { return group.first == tag; };
        const auto found = std::find_if(groups.begin(), groups.end(), same);
        if (found == groups.end())
            groups.emplace_back(std::move(tag), 1);
        else
            ++found->second;
    }
    std::vector<std::string> remarks;
    if (groups.size() > 3)
        return remarks; // -v has them one by one
    for (const auto& [tag, n] : groups) {
        if (hunks.size() == 1)
            remarks.push_back(tag);
        else if (n == hunks.size())
            remarks.push_back("all " + tag);
        else
            remarks.push_back(fmt::format("{} {}", n == 1 ? "one" : std::to_string(n), tag));
    }
    return remarks;
}

std::string change_text(const PatchReport& patch) {
    if (patch.change == "modified" || patch.change.empty())
        return {};
    if (patch.change == "added")
        return patch.layer == Layer::untracked || patch.layer == Layer::ignored ? "" : "new file";
    if (patch.change == "mode")
        return "mode only";
    if (patch.change == "type")
        return "type changed";
    return escape_terminal(patch.change);
}

} // namespace

std::string final_sentence(const Report& report) {
    switch (report.outcome) {
    case Outcome::upgraded:
        return upgraded_sentence(report);
    case Outcome::up_to_date:
        return up_to_date_sentence(report);
    case Outcome::planned:
        return planned_sentence(report);
    case Outcome::stopped:
        return fmt::format("stopped on {}; the checkout was not changed",
                           count_of(report.conflicts.size(), "conflict"));
    case Outcome::marked:
        return marked_sentence(report);
    case Outcome::parked:
        return parked_sentence(report);
    case Outcome::verify_failed:
        return "verification failed; the checkout is as it was before";
    case Outcome::undone:
        return fmt::format("{}; the checkout is {}as it was before", report.command == "abort" ? "aborted" : "undone",
                           report.proof && !report.proof->differs.empty() ? "not quite " : "");
    case Outcome::continued:
        return "done; all conflicts are resolved";
    case Outcome::recorded:
        if (report.command == "trust")
            return "trusted as it stands now";
        return report.run.empty() ? "nothing to record" : "recorded; the checkout was not changed";
    case Outcome::shown:
        return shown_sentence(report);
    case Outcome::pruned:
        return report.command == "resolutions" || report.command == "trust" ? "forgotten" : "old records are removed";
    case Outcome::exported:
        return fmt::format("exported {}", count_of(units_of(report).size(), "patch", "patches"));
    case Outcome::imported:
        return "the resolutions are remembered";
    case Outcome::applied:
        return fmt::format("applied {}", count_of(units_of(report).size(), "patch", "patches"));
    case Outcome::recovered:
        return "the interrupted run is finished";
    case Outcome::refused:
    case Outcome::failed:
        return escape_terminal(report.error);
    }
    return {};
}

std::string carried_counts(const Report& report) {
    std::vector<std::string> parts;
    if (report.commits > 0)
        parts.push_back(count_of(report.commits, "commit"));
    for (const auto& [n, word] : {std::pair(report.staged, "staged"), std::pair(report.unstaged, "unstaged"),
                                  std::pair(report.untracked, "untracked")}) {
        if (n > 0)
            parts.push_back(fmt::format("{} {}", n, word));
    }
    return parts.empty() ? "nothing" : join(parts, ", ");
}

std::string upstream_counts(const Report& report) {
    if (report.upstream_commits == 0 && report.upstream_files == 0)
        return "nothing new";
    return count_of(report.upstream_commits, "commit") + ", " + count_of(report.upstream_files, "file");
}

std::string span_text(const LineSpan& span) {
    if (span.last < span.first)
        return fmt::format("before {}", span.first);
    if (span.last == span.first)
        return std::to_string(span.first);
    return fmt::format("{}-{}", span.first, span.last);
}

std::string short_id(std::string_view id, std::size_t length) {
    return escape_terminal(id.substr(0, length));
}

std::string commit_text(const CommitRef& commit) {
    std::string text = short_id(commit.id);
    if (!commit.subject.empty())
        text += ' ' + escape_terminal(commit.subject);
    return text;
}

std::string commit_text_brief(const CommitRef& commit) {
    const std::size_t at = commit.subject.rfind("(#");
    if (at != std::string::npos && commit.subject.ends_with(')'))
        return short_id(commit.id) + ' ' + escape_terminal(std::string_view(commit.subject).substr(at));
    return commit_text(commit);
}

std::string proof_sentence(const UndoProof& proof) {
    const auto compared =
        proof.files == 0 ? "HEAD and index"
                         : fmt::format("HEAD, index and {}", count_of(proof.files, "changed path", "changed paths"));
    if (proof.differs.empty())
        return fmt::format("{} are as they were before run {}", compared, proof.run);
    return fmt::format("of {}, these are not as before run {}: {}", compared, proof.run, join(proof.differs, ", "));
}

std::string proposal_text(const RuleProposal& proposal) {
    return fmt::format("rule {} (right in {:.0f} of 100) would put {} there", escape_terminal(proposal.rule),
                       proposal.precision * 100, count_of(proposal.lines.size(), "line"));
}

std::vector<const RuleProposal*> distinct_proposals(const ConflictReport& conflict) {
    std::vector<const RuleProposal*> distinct;
    for (const auto& proposal : conflict.proposals) {
        const auto same = [&proposal](const RuleProposal* other) { return other->lines == proposal.lines; };
        if (std::none_of(distinct.begin(), distinct.end(), same))
            distinct.push_back(&proposal);
    }
    return distinct;
}

std::string with_spaces(std::string_view line) {
    constexpr std::size_t tab_stop = 8;
    std::string spaced;
    for (const char c : line) {
        if (c == '\t')
            spaced.append(tab_stop - spaced.size() % tab_stop, ' ');
        else
            spaced += c;
    }
    return spaced;
}

std::string hunk_summary(const PatchReport& patch) {
    return hunk_summary(std::vector{&patch});
}

std::string hunk_summary(const std::vector<const PatchReport*>& patches) {
    std::vector<const HunkReport*> hunks;
    for (const PatchReport* patch : patches) {
        for (const auto& hunk : patch->hunks)
            hunks.push_back(&hunk);
    }
    const Fate fate = patches.front()->fate;
    std::vector<std::string> parts;
    if (patches.size() > 1)
        parts.push_back(count_of(patches.size(), "file"));
    else if (std::string change = change_text(*patches.front()); !change.empty())
        parts.push_back(std::move(change));
    const Layer layer = patches.front()->layer;
    if (hunks.empty() || layer == Layer::untracked || layer == Layer::ignored)
        return join(parts, ", "); // a whole file, which its hunks would say no more of
    if (needs_person(fate)) {
        const auto in_conflict = [](const HunkReport* hunk) { return hunk->fate == Fate::conflict; };
        const auto n = std::count_if(hunks.begin(), hunks.end(), in_conflict);
        if (n > 0 && static_cast<std::size_t>(n) < hunks.size())
            parts.push_back(fmt::format("{} of {}", n, count_of(hunks.size(), "hunk")));
        else
            parts.push_back(count_of(hunks.size(), "hunk"));
        return join(parts, ", ");
    }
    parts.push_back(count_of(hunks.size(), "hunk"));
    for (auto& remark : hunk_remarks(hunks, fate))
        parts.push_back(std::move(remark));
    return join(parts, ", ");
}

std::vector<Unit> units_of(const Report& report) {
    std::vector<Unit> units;
    for (const auto& patch : report.patches) {
        const bool same_commit = patch.layer == Layer::commit && patch.commit && !units.empty() &&
                                 units.back().first().layer == Layer::commit && units.back().first().commit &&
                                 units.back().first().commit->id == patch.commit->id;
        if (!same_commit) {
            units.push_back({{&patch}, patch.fate, true});
            continue;
        }
        Unit& unit = units.back();
        unit.same_fate = unit.same_fate && unit.fate == patch.fate;
        if (outranks(patch.fate, unit.fate))
            unit.fate = patch.fate;
        unit.patches.push_back(&patch);
    }
    return units;
}

namespace {

bool belongs(const ConflictReport& conflict, const PatchReport& patch) {
    if (conflict.layer != patch.layer || conflict.path != patch.path)
        return false;
    return !conflict.commit || !patch.commit || conflict.commit->id == patch.commit->id;
}

} // namespace

std::vector<const ConflictReport*> conflicts_of(const Report& report, const PatchReport& patch) {
    std::vector<const ConflictReport*> found;
    for (const auto& conflict : report.conflicts) {
        if (belongs(conflict, patch))
            found.push_back(&conflict);
    }
    return found;
}

std::vector<const ConflictReport*> other_conflicts(const Report& report) {
    std::vector<const ConflictReport*> found;
    for (const auto& conflict : report.conflicts) {
        const auto mine = [&conflict](const PatchReport& patch) { return belongs(conflict, patch); };
        if (std::none_of(report.patches.begin(), report.patches.end(), mine))
            found.push_back(&conflict);
    }
    return found;
}

bool has_fates(const Report& report) {
    return report.outcome != Outcome::shown && report.outcome != Outcome::recorded &&
           report.outcome != Outcome::exported;
}

bool needs_person(Fate fate) {
    return fate == Fate::conflict || fate == Fate::parked;
}

} // namespace carry::report
