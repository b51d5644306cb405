// continue: what a person resolved becomes the link it was, and the rest of the chain follows.
#include "base/text.hpp"
#include "git/commit.hpp"
#include "merge/tree_merge.hpp"
#include "pipeline/describe.hpp"
#include "pipeline/hooks.hpp"
#include "pipeline/policy.hpp"
#include "pipeline/preflight.hpp"
#include "pipeline/remember.hpp"
#include "pipeline/retention.hpp"
#include "pipeline/sign.hpp"
#include "pipeline/submodule_parked.hpp"
#include "pipeline/submodules.hpp"
#include "pipeline/upgrade.hpp"
#include "pipeline/verify.hpp"
#include "snapshot/record.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fmt/format.h>

#include <deque>
#include <memory>

namespace carry::pipeline {

namespace {

void refuse_unresolved(const git::Repository& repository, const snapshot::Snapshot& now) {
    if (now.status.unmerged.empty())
        return;
    Error error(ErrorKind::refused,
                fmt::format("{} not resolved yet", now.status.unmerged.size() == 1
                                                       ? quoted(now.status.unmerged.front().path) + " is"
                                                       : fmt::format("{} files are", now.status.unmerged.size())));
    for (const auto& unmerged : now.status.unmerged)
        // without the option git takes no path outside of the patterns
        error.hint(fmt::format("git add {}{}   when it is resolved (git rm to delete it)",
                               repository.capabilities().sparse_checkout ? "--sparse " : "",
                               shell_quote(unmerged.path)));
    throw error;
}

/// The commit that was in conflict, with the tree that the person staged; the parent itself where nothing of it is
/// left.
git::ObjectId commit_resolution(Workspace& workspace, const merge::ChainLink& link, const snapshot::Snapshot& now,
                                std::vector<Warning>& warnings) {
    auto& repository = workspace.repository();
    if (link.merge_parents.empty() && now.staged_tree == now.head_tree)
        return now.head.commit;
    auto commit = git::read_commit(repository.objects(), link.commit);
    commit.tree = now.staged_tree;
    std::erase_if(commit.extra, [](const auto& header) {
        return header.first.rfind("gpgsig", 0) == 0 || header.first == "mergetag";
    });
    if (const auto committer = committer_line(workspace); !committer.empty())
        commit.committer = committer;
    commit.parents = {now.head.commit};
    if (!link.merge_parents.empty()) {
        commit.parents = link.merge_parents;
        commit.message = link.merge_message;
        commit.encoding.clear();
        commit.author = commit.committer;
    }
    return write_signed(workspace, commit, warnings);
}

/// Edits beyond what was staged go on top of everything; they are the newest.
void add_further_edits(Workspace& workspace, const snapshot::Snapshot& now, const Target& target, Landing& landing) {
    merge::PathMap map;
    merge::LinkMergeInput input;
    input.before = now.staged_tree;
    input.after = now.untracked_tree;
    input.onto = landing.end_tree;
    input.map = &map;
    input.markers = marker_options(workspace.settings(), target);
    input.rules = workspace.settings().rules;
    const auto merged = merge::merge_link(workspace.repository(), input);
    for (const auto& outcome : merged.paths)
        if (outcome.conflict)
            throw Error(
                ErrorKind::refused,
                fmt::format("{} was changed beyond what is staged, and collides with the changes that wait",
                            quoted(outcome.display_path())),
                {fmt::format("git add {}   makes it part of the resolution", shell_quote(outcome.display_path()))});
    for (const auto& outcome : merged.paths)
        landing.raw.erase(outcome.new_path); // no longer the bytes that were carried
    landing.end_tree = merged.tree;
}

struct Continued {
    Landing landing;
    std::optional<Pending> pending; ///< it stopped again
    bool dropped = false;           ///< nothing is left of the commit that was in conflict
    Rewritten rewritten;            ///< since the upgrade began
    Plan plan;
};

Continued continue_commit(Workspace& workspace, const Pending& pending, const snapshot::Snapshot& origin,
                          const snapshot::Snapshot& now, const Target& target, bool committed) {
    Continued result;
    const auto& halted = pending.links.front();
    const auto onto = commit_resolution(workspace, halted, now, result.plan.warnings);
    result.dropped = onto == now.head.commit && !committed;
    result.rewritten = pending.rewritten;
    if (!result.dropped && halted.merge_parents.empty())
        result.rewritten.emplace_back(halted.commit, onto);
    result.plan.links.assign(pending.links.begin() + 1, pending.links.end());
    auto& chain = result.plan.chain;
    chain = halt_at_conflict(workspace, target, result.plan.links, {}, onto);
    sign_chain(workspace, chain, result.plan.warnings);
    const auto rewritten = rewritten_commits(chain);
    result.rewritten.insert(result.rewritten.end(), rewritten.begin(), rewritten.end());
    if (chain.clean())
        result.landing = land_chain(origin, chain);
    else {
        auto marked = mark_conflicts(workspace, origin, chain, result.plan.links, false);
        marked.pending.origin = pending.origin;
        marked.pending.base = pending.base;
        marked.pending.target = pending.target;
        marked.pending.rewritten = result.rewritten;
        result.landing = std::move(marked.landing);
        result.pending = std::move(marked.pending);
    }
    add_further_edits(workspace, now, target, result.landing);
    return result;
}

/// Resolved files of uncommitted layers leave the index again: what was unstaged is unstaged. What was committed by
/// hand meanwhile (`committed`) stays so.
Continued continue_layers(Workspace& workspace, const Pending& pending, const snapshot::Snapshot& now, bool committed) {
    auto& trees = workspace.repository().trees();
    Continued result;
    git::TreeEdits edits;
    auto& landing = result.landing;
    landing.intent_to_add = now.intent_to_add;
    for (const auto& item : pending.paths) {
        const auto resolved = trees.find(now.staged_tree, item.path);
        if (item.layer == Layer::staged || (committed && resolved == trees.find(now.head_tree, item.path)))
            continue;
        if (resolved && resolved->is_gitlink() && !trees.find(pending.staged_tree, item.path))
            continue; // git knows a submodule by its entry only
        edits[item.path] = trees.find(pending.staged_tree, item.path);
        // Upstream deleted the file and the person kept it: it stays known to git without being staged.
        if (!edits[item.path] && item.layer == Layer::unstaged && resolved)
            landing.intent_to_add.push_back(item.path);
    }
    result.rewritten = pending.rewritten;
    landing.head = now.head.commit;
    landing.staged_tree = trees.edit(now.staged_tree, edits);
    landing.end_tree = now.untracked_tree;
    result.plan.chain.head = now.head.commit;
    return result;
}

/// A file that still holds a marker line was perhaps staged by mistake.
void warn_of_markers(Workspace& workspace, const Pending& pending, const snapshot::Snapshot& now, Report& report) {
    for (const auto& item : pending.paths) {
        const auto entry = workspace.repository().trees().find(now.untracked_tree, item.path);
        if (!entry || !entry->is_regular())
            continue;
        const auto bytes = workspace.repository().objects().require(entry->id, git::ObjectType::blob);
        if (bytes.rfind("<<<<<<< ", 0) == 0 || bytes.find("\n<<<<<<< ") != std::string::npos)
            report.warnings.push_back({"marker-left", workspace.shown(item.path), "still holds a conflict marker"});
    }
}

void finish(Workspace& workspace, OpenRun& run, RunRecord& waiting, const Rewritten& rewritten, Report& report) {
    auto& runs = workspace.runs();
    const bool waits = run.record.pending.has_value();
    const HeadMove moved{run.record.old_head, run.record.new_head, false, waits ? Rewritten{} : rewritten};
    const bool verifies = run.record.lands_as == RunState::verifying;
    if (verifies)
        run_hooks(workspace, run.record.id, moved, report.notes);
    if (!waits) {
        if (!verify_or_roll_back(workspace, run.record, report))
            return;
        run.record.state = RunState::done;
    }
    waiting.state = RunState::done;
    runs.save(waiting);
    if (waits) {
        runs.set_current(run.record.id);
        share_conflicts(workspace);
        report.outcome = Outcome::marked;
        report.waiting = run.record.id;
        report.exit_code = 4;
        run_hooks(workspace, run.record.id, moved, report.notes);
        return;
    }
    runs.set_current(std::nullopt);
    if (!verifies)
        run_hooks(workspace, run.record.id, moved, report.notes);
    report.outcome = Outcome::continued;
    report.parked = all_parked(workspace);
    report.exit_code = report.parked.empty() ? 0 : 4;
}

/// The waiting checkout and the submodules that wait in it, planned one after the other.
class Continuation {
public:
    Continuation(const RunRecord& waiting, Report& report) : m_waiting(waiting), m_report(report) {}

    /// Adds one checkout with its submodules; what still waits in them.
    std::optional<Pending> add(Workspace& workspace, std::unique_ptr<Workspace> own, const Pending& pending) {
        auto& state = m_states.emplace_back();
        state.own = std::move(own);
        auto& now = state.now;
        now = within(workspace, [&] {
            refuse_foreign_operation(workspace);
            auto captured = snapshot::capture(workspace.repository(), workspace.settings());
            m_remembered += remember(workspace, pending, captured);
            refuse_unresolved(workspace.repository(), captured);
            drop_conflicts(workspace);
            return captured;
        });
        Target target;
        target.name = workspace.prefix().empty() ? m_waiting.target_name : workspace.shown({});
        target.base = pending.base;
        target.commit = pending.target;
        auto continued = within(workspace, [&] { return plan(workspace, pending, now, target); });
        describe(workspace, pending, now, target, continued);
        state.rewritten = continued.rewritten;
        m_all.push_back({&workspace, &now, pending.base, pending.target, continued.landing,
                         plan_move(workspace, now, continued.landing, "carry: continue")});
        auto left = std::move(continued.pending);
        state.waits = left.has_value();
        add_submodules(workspace, pending, left, continued.landing);
        return left;
    }

    [[nodiscard]] const std::vector<Moving>& all() const noexcept { return m_all; }
    /// Files whose resolutions are recorded now.
    [[nodiscard]] std::size_t remembered() const noexcept { return m_remembered; }
    /// Of the checkout itself, since the upgrade began.
    [[nodiscard]] const Rewritten& rewritten() const noexcept { return m_states.front().rewritten; }
    void run_hooks_in_submodules(const std::string& run, std::vector<std::string>& notes) const {
        for (std::size_t i = 1; i < m_states.size(); ++i)
            run_submodule_hooks(*m_states[i].own, run,
                                {m_states[i].now.head.commit, m_all[i].landing.head, false,
                                 m_states[i].waits ? Rewritten{} : m_states[i].rewritten},
                                notes);
    }

private:
    struct State {
        std::unique_ptr<Workspace> own;
        snapshot::Snapshot now;
        Rewritten rewritten; ///< since the upgrade began
        bool waits = false;  ///< it stopped again
    };

    Continued plan(Workspace& workspace, const Pending& pending, const snapshot::Snapshot& now,
                   const Target& target) const {
        const bool committed = workspace.prefix().empty() && now.head.commit != m_waiting.new_head;
        if (pending.links.empty())
            return continue_layers(workspace, pending, now, committed);
        const auto origin = snapshot::read_record(workspace.runs().directory(pending.origin));
        return continue_commit(workspace, pending, origin, now, target, committed);
    }

    void describe(Workspace& workspace, const Pending& pending, const snapshot::Snapshot& now, const Target& target,
                  const Continued& continued) {
        if (workspace.prefix().empty())
            describe_plan(workspace, m_report, now, target, continued.plan, false);
        else
            describe_submodule(workspace, m_report, now, target, continued.plan, false);
        if (continued.dropped)
            m_report.notes.push_back(
                fmt::format("commit {} was resolved to nothing and is dropped", pending.links.front().label));
        warn_of_markers(workspace, pending, now, m_report);
    }

    void add_submodules(Workspace& workspace, const Pending& pending, std::optional<Pending>& left,
                        const Landing& landing) {
        for (const auto& submodule : pending.submodules) {
            auto nested = std::make_unique<Workspace>(workspace.nested(submodule.path));
            auto& inner = *nested;
            auto waits = add(inner, std::move(nested), submodule.pending);
            if (!waits)
                continue;
            if (!left) { // nothing but the submodules
                left.emplace();
                left->origin = pending.origin;
                left->base = pending.base;
                left->target = pending.target;
                left->staged_tree = landing.staged_tree;
                left->intent_to_add = landing.intent_to_add;
            }
            left->submodules.push_back({submodule.path, std::move(*waits)});
        }
    }

    const RunRecord& m_waiting;
    Report& m_report;
    std::deque<State> m_states;
    std::vector<Moving> m_all;
    std::size_t m_remembered = 0;
};

Report run_continue(Workspace& workspace) {
    auto report = workspace.report("continue");
    refuse_untrusted_settings(workspace);
    auto& runs = workspace.runs();
    const auto current = runs.current();
    if (!current)
        throw Error(ErrorKind::refused, "no run waits to be continued", {"git carry status   shows what is carried"});
    auto waiting = runs.load(*current);
    Continuation continuation(waiting, report);
    auto pending = continuation.add(workspace, nullptr, waiting.pending.value());
    const auto& top = continuation.all().front();
    report.new_head = top.landing.head.hex();
    if (continuation.remembered() > 0)
        report.notes.push_back(
            fmt::format("{} remembered", count_of(continuation.remembered(), "resolution is", "resolutions are")));

    OpenRun run(workspace, "continue", report.time);
    report.run = run.record.id;
    run.record.old_head = top.snapshot->head.commit;
    run.record.new_head = top.landing.head;
    run.record.target_name = waiting.target_name;
    run.record.settles = {waiting.id};
    run.record.pending = std::move(pending);
    run.record.lands_as = run.record.pending                    ? RunState::waiting
                          : workspace.settings().verify.empty() ? RunState::done
                                                                : RunState::verifying;
    record_parked_before(workspace, run.record.id);
    secure_run(run.record, continuation.all());
    land(workspace, run.record, continuation.all());
    continuation.run_hooks_in_submodules(run.record.id, report.notes);
    finish(workspace, run, waiting, continuation.rewritten(), report);
    report.next = next_commands(report);
    run.keep(report);
    return report;
}

} // namespace

} // namespace carry::pipeline

namespace carry {

Report continue_run(const Request& request) {
    auto workspace = pipeline::Workspace::open(request, pipeline::Access::change);
    return pipeline::run_continue(workspace);
}

} // namespace carry
