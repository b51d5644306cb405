#include "pipeline/describe.hpp"

#include "base/text.hpp"
#include "git/commit.hpp"
#include "merge/elsewhere.hpp"
#include "merge/generated.hpp"
#include "pipeline/blame.hpp"
#include "pipeline/name_warnings.hpp"
#include "pipeline/patch_warnings.hpp"
#include "pipeline/submodules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace carry::pipeline {

namespace {

using merge::ChainLink;
using merge::LinkOutcome;
using merge::PathOutcome;

CommitRef local_commit_ref(git::ObjectStore& store, const git::ObjectId& id) {
    const auto commit = git::read_commit(store, id);
    const auto author = git::Signature::parse(commit.author);
    return {id.hex(), escape_terminal(commit.subject()), escape_terminal(author.name), author.seconds};
}

bool is_set_aside(const LinkOutcome& link, const PathOutcome& outcome) {
    return link.set_aside || link.set_aside_paths.count(outcome.display_path()) != 0;
}

/// Fates and culprits of one path, in both forms.
class PathDescription {
public:
    PathDescription(Workspace& workspace, Report& report, Blame& blame, merge::UpstreamAdditions& additions,
                    const LinkOutcome& link, bool parked)
        : m_workspace(workspace), m_report(report), m_blame(blame), m_additions(additions), m_link(link),
          m_parked(parked) {
        if (link.link.layer == Layer::commit && !link.link.commit.is_null())
            m_commit = local_commit_ref(workspace.repository().objects(), link.link.commit);
    }

    void add(const PathOutcome& outcome) {
        add_patch(outcome);
        if (outcome.conflict)
            add_conflict(outcome);
        else if (!is_set_aside(m_link, outcome)) {
            warn_of_suspicious(m_workspace, m_report, outcome);
            warn_of_elsewhere(m_workspace, m_report, m_additions, outcome);
        }
    }

private:
    void add_patch(const PathOutcome& outcome) {
        PatchReport patch;
        patch.layer = m_link.link.layer;
        patch.path = m_workspace.shown(outcome.display_path());
        if (!outcome.new_path.empty() && outcome.new_path != outcome.display_path())
            patch.new_path = m_workspace.shown(outcome.new_path);
        patch.change = outcome.change();
        patch.fate = outcome.conflict ? Fate::conflict : outcome.fate;
        patch.commit = m_commit;
        patch.new_commit = m_link.new_commit.hex();
        patch.note = outcome.note;
        patch.generated = merge::is_generated(m_workspace.repository(), outcome.display_path(),
                                              outcome.local ? outcome.local : outcome.base, outcome.generated);
        m_generated = patch.generated;
        if (is_set_aside(m_link, outcome)) {
            const bool parked = m_parked || !m_link.link.parked_name.empty();
            const bool own_fate = outcome.conflict || (m_link.set_aside && !m_link.merge.clean());
            patch.fate = parked ? Fate::parked : own_fate ? patch.fate : Fate::conflict;
            const auto& needs = m_link.set_aside ? m_link.needs : outcome.needs;
            if (!needs.empty() && !outcome.conflict)
                patch.note = fmt::format("rests on {}", needs);
        }
        if (outcome.conflict && patch.note.empty())
            patch.note = note_of_conflict(outcome);
        for (const auto& hunk : outcome.hunks) {
            auto item = hunk_report(hunk);
            if (hunk.fate == Fate::absorbed)
                item.by = m_blame.absorber(outcome, hunk);
            patch.hunks.push_back(std::move(item));
        }
        patch.by = whole_path_culprit(outcome, patch);
        m_report.patches.push_back(std::move(patch));
    }

    std::optional<CommitRef> whole_path_culprit(const PathOutcome& outcome, const PatchReport& patch) {
        if (patch.fate == Fate::absorbed) {
            for (auto hunk = patch.hunks.rbegin(); hunk != patch.hunks.rend(); ++hunk)
                if (hunk->by)
                    return hunk->by;
            return m_blame.state_maker(outcome, outcome.local);
        }
        if (patch.fate == Fate::moved || (outcome.conflict && outcome.conflict->kind == ConflictKind::deleted_upstream))
            return m_blame.vanisher(outcome);
        return std::nullopt;
    }

    void add_conflict(const PathOutcome& outcome) {
        warn_of_moved_lines(m_workspace, m_report, m_blame, outcome);
        bool any = false;
        for (const auto& hunk : outcome.hunks) {
            if (hunk.fate != Fate::conflict)
                continue;
            auto conflict = conflict_report(outcome);
            describe_lines(conflict, hunk);
            conflict.culprits = m_blame.culprits(outcome, hunk);
            m_report.conflicts.push_back(std::move(conflict));
            any = true;
        }
        if (any)
            return;
        auto conflict = conflict_report(outcome);
        conflict.culprits = m_blame.path_culprits(outcome);
        m_report.conflicts.push_back(std::move(conflict));
    }

    /// Where upstream once had the very change, or has it but for white space, the answer is nearly given.
    std::string note_of_conflict(const PathOutcome& outcome) {
        const auto taken = [](const CommitRef& by) {
            return fmt::format("upstream took it in {} and changed it since", by.id.substr(0, 9));
        };
        if (!outcome.base && outcome.local)
            if (const auto by = m_blame.state_maker(outcome, outcome.local))
                return taken(*by);
        if (outcome.binary || !outcome.base || !outcome.local || !outcome.upstream || !outcome.local->is_regular() ||
            !outcome.upstream->is_regular())
            return {};
        for (const auto& hunk : outcome.hunks) {
            if (hunk.fate != Fate::conflict || hunk.local.count == 0)
                continue;
            if (const auto by = m_blame.taker(outcome, hunk))
                return taken(*by);
            if (hunk.upstream && is_same_but_for_space(*outcome.local, hunk.local, *outcome.upstream, *hunk.upstream))
                return "upstream's lines differ in white space only";
        }
        return {};
    }

    bool is_same_but_for_space(const git::TreeEntry& local, const git::LineRange& ours, const git::TreeEntry& upstream,
                               const git::LineRange& theirs) {
        const auto squeezed = [&](const git::TreeEntry& entry, const git::LineRange& range) {
            const auto bytes = m_workspace.repository().objects().require(entry.id, git::ObjectType::blob);
            const auto lines = split_lines(bytes);
            std::string text;
            for (auto line = range.start; line < range.end() && line < lines.size(); ++line)
                std::copy_if(lines[line].begin(), lines[line].end(), std::back_inserter(text),
                             [](char c) { return c != ' ' && c != '\t' && c != '\r' && c != '\n'; });
            return text;
        };
        return squeezed(local, ours) == squeezed(upstream, theirs);
    }

    ConflictReport conflict_report(const PathOutcome& outcome) {
        ConflictReport conflict;
        conflict.layer = m_link.link.layer;
        conflict.kind = outcome.conflict->kind;
        conflict.path = m_workspace.shown(outcome.display_path());
        if (!outcome.new_path.empty() && outcome.new_path != outcome.display_path())
            conflict.new_path = m_workspace.shown(outcome.new_path);
        conflict.commit = m_commit;
        conflict.message = escape_terminal(outcome.conflict->message);
        conflict.generated = m_generated;
        if (const auto command = merge::remake_command(outcome.display_path()); m_generated && !command.empty())
            conflict.hint = command + "   makes it anew";
        return conflict;
    }

    Workspace& m_workspace;
    Report& m_report;
    Blame& m_blame;
    merge::UpstreamAdditions& m_additions;
    const LinkOutcome& m_link;
    bool m_parked;
    std::optional<CommitRef> m_commit;
    bool m_generated = false; ///< the path that is being added
};

} // namespace

CommitRef commit_ref(const git::CommitInfo& info) {
    return {info.id.hex(), escape_terminal(info.subject), escape_terminal(info.author), info.date};
}

HunkReport hunk_report(const merge::HunkOutcome& hunk) {
    HunkReport report;
    report.fate = hunk.fate;
    report.old_lines = line_span(hunk.base);
    if (hunk.result)
        report.new_lines = line_span(*hunk.result);
    report.reason = hunk.reason;
    return report;
}

void describe_lines(ConflictReport& conflict, const merge::HunkOutcome& hunk) {
    conflict.base = line_span(hunk.base);
    conflict.yours = line_span(hunk.local);
    if (hunk.upstream)
        conflict.upstream = line_span(*hunk.upstream);
    for (const auto& proposal : hunk.proposals) {
        const auto& info = rule_table()[static_cast<std::size_t>(proposal.rule)];
        RuleProposal told{.rule = std::string(info.name), .precision = info.precision};
        for (auto line : split_terminated(proposal.bytes, '\n')) {
            if (line.ends_with('\r'))
                line.remove_suffix(1);
            told.lines.push_back(is_utf8(line) ? std::string(line) : escape_terminal(line));
        }
        conflict.proposals.push_back(std::move(told));
    }
}

LineSpan line_span(const git::LineRange& range) {
    return range.count ? LineSpan{range.start + 1, range.start + range.count} : LineSpan{range.start + 1, range.start};
}

void describe_snapshot(const Workspace& workspace, Report& report, const snapshot::Snapshot& snapshot) {
    report.staged = report.unstaged = 0;
    for (const auto& entry : snapshot.status.entries) {
        report.staged += entry.index != '.' ? 1U : 0U;
        report.unstaged += entry.worktree != '.' ? 1U : 0U;
    }
    report.unstaged += snapshot.hidden_edits.size();
    report.untracked = snapshot.status.untracked.size();
    for (const auto& path : snapshot.left_out)
        report.warnings.push_back(
            {"left-out", workspace.shown(path), "untracked and over the budget: listed, not recorded"});
}

namespace {

/// Commits that change no file have no entry among the patches.
void note_empty_commits(const merge::RebasedChain& chain, Report& report) {
    std::vector<std::string> labels;
    for (const auto& link : chain.links)
        if (link.link.layer == Layer::commit && link.link.before == link.link.after && link.link.merge_parents.empty())
            labels.push_back(link.link.label);
    if (!labels.empty())
        report.notes.push_back(fmt::format("{} without a change {} kept: {}",
                                           labels.size() == 1 ? "a commit" : "commits",
                                           labels.size() == 1 ? "is" : "are", join(labels, "; ")));
}

} // namespace

void add_submodule_report(Report& report, Report& inner, const std::string& name) {
    const auto append = [](auto& to, auto& from) { std::move(from.begin(), from.end(), std::back_inserter(to)); };
    append(report.patches, inner.patches);
    append(report.conflicts, inner.conflicts);
    append(report.warnings, inner.warnings);
    for (const auto& note : inner.notes)
        report.notes.push_back(fmt::format("{}: {}", name, note));
    report.commits += inner.commits;
    report.staged += inner.staged;
    report.unstaged += inner.unstaged;
    report.untracked += inner.untracked;
}

void describe_submodule(Workspace& workspace, Report& report, const snapshot::Snapshot& snapshot, const Target& target,
                        const Plan& plan, bool parked) {
    Report inner;
    describe_plan(workspace, inner, snapshot, target, plan, parked);
    add_submodule_report(report, inner, target.name);
}

void describe_plan(Workspace& workspace, Report& report, const snapshot::Snapshot& snapshot, const Target& target,
                   const Plan& plan, bool parked) {
    auto& repository = workspace.repository();
    report.upstream = target.name;
    report.base = target.base.hex();
    report.old_upstream = target.base.hex();
    report.new_upstream = target.commit.hex();
    report.upstream_commits = git::count_between(repository.program(), target.base, target.commit);
    auto& trees = repository.trees();
    report.upstream_files = trees.diff(trees.tree_of_commit(target.base), trees.tree_of_commit(target.commit)).size();
    describe_snapshot(workspace, report, snapshot);
    report.notes.insert(report.notes.end(), target.notes.begin(), target.notes.end());
    report.notes.insert(report.notes.end(), plan.notes.begin(), plan.notes.end());
    report.warnings.insert(report.warnings.end(), target.warnings.begin(), target.warnings.end());
    report.warnings.insert(report.warnings.end(), plan.warnings.begin(), plan.warnings.end());

    Blame blame(repository, target.base, target.commit, report.upstream_commits);
    merge::UpstreamAdditions additions(repository, trees.tree_of_commit(target.base),
                                       trees.tree_of_commit(target.commit));
    report.commits = plan.integrates_by_merge ? plan.local_commits - 1 : 0; // the one link stands for all of them
    if (!plan.onto.is_null())
        report.commits = plan.local_commits; // they have no links, for they stay what they are
    for (const auto& link : plan.chain.links) {
        report.commits += link.link.layer == Layer::commit ? 1U : 0U;
        PathDescription description(workspace, report, blame, additions, link, parked);
        for (const auto& outcome : link.merge.paths)
            description.add(outcome);
    }
    merge::LinkOutcome within;
    within.link.layer = Layer::unstaged;
    PathDescription submodules(workspace, report, blame, additions, within, false);
    for (const auto& outcome : plan.abandoned)
        submodules.add(outcome);
    for (const auto& path : plan.released) {
        PatchReport patch;
        patch.layer = Layer::unstaged;
        patch.path = workspace.shown(path);
        patch.change = "modified";
        patch.note = "upstream no longer tracks it and ignores it now: the file stays as it is, untracked";
        patch.by = blame.deleter(path);
        report.patches.push_back(std::move(patch));
    }
    if (blame.is_cut_short())
        report.notes.emplace_back(
            "upstream's history is too long to name every commit: the search for who did it was cut short");
    warn_of_removed_names(workspace, report, target, plan);
    note_empty_commits(plan.chain, report);
    report.new_head = plan.chain.head.hex();
    for (const auto& nested : plan.nested) {
        tell_set_aside_commits(workspace, nested, parked, report);
        describe_submodule(*nested.workspace, report, nested.snapshot, nested.target, nested.plan, parked);
    }
}

void describe_snapshot_patches(Workspace& workspace, Report& report, const snapshot::Snapshot& snapshot,
                               const std::vector<ChainLink>& links) {
    describe_snapshot(workspace, report, snapshot);
    auto& repository = workspace.repository();
    for (const auto& link : links) {
        std::optional<CommitRef> commit;
        if (link.layer == Layer::commit) {
            ++report.commits;
            commit = local_commit_ref(repository.objects(), link.commit);
        }
        for (const auto& change : repository.trees().diff(link.before, link.after)) {
            PathOutcome outcome;
            outcome.old_path = change.before ? change.path : std::string();
            outcome.path = change.after ? change.path : std::string();
            outcome.base = change.before;
            outcome.local = change.after;
            PatchReport patch;
            patch.layer = link.layer;
            patch.path = workspace.shown(change.path);
            patch.change = outcome.change();
            patch.commit = commit;
            report.patches.push_back(std::move(patch));
        }
    }
}

void name_patch_files(const Workspace& workspace, Report& report, const std::vector<patch::PatchFile>& files,
                      const std::string& directory) {
    for (auto& patch : report.patches)
        for (const auto& file : files) {
            if (file.layer != patch.layer)
                continue;
            const bool same_commit = patch.commit && file.commit.hex() == patch.commit->id;
            const bool same_path =
                !patch.commit && std::any_of(file.changes.begin(), file.changes.end(), [&](const auto& change) {
                    return workspace.shown(change.new_path) == patch.path ||
                           workspace.shown(change.old_path) == patch.path;
                });
            if (same_commit || same_path)
                patch.patch_file = quote_path(directory + file.name);
        }
}

} // namespace carry::pipeline
