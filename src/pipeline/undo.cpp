#include "pipeline/undo.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "git/history.hpp"
#include "pipeline/describe.hpp"
#include "pipeline/hooks.hpp"
#include "pipeline/landing.hpp"
#include "pipeline/parked.hpp"
#include "pipeline/preflight.hpp"
#include "pipeline/remember.hpp"
#include "pipeline/restore.hpp"
#include "pipeline/retention.hpp"
#include "pipeline/submodule_parked.hpp"
#include "pipeline/undo_proof.hpp"
#include "pipeline/upgrade.hpp"
#include "snapshot/record.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <set>

namespace carry::pipeline {

namespace {

/// One checkout on its way back: the top one, or a submodule.
struct Return {
    std::unique_ptr<Workspace> own; ///< of a submodule
    std::string first;              ///< the run whose snapshot `then` is
    snapshot::Snapshot now, then;
};

/// Submodules that run `id` or a later one moved or recorded, with the first of these runs: its snapshot is how they
/// were.
std::map<std::string, std::string> submodules_since(const RunStore& runs, const std::string& id) {
    std::map<std::string, std::string> found;
    for (const auto& record : runs.all())
        if (record.id == id || (record.id > id && record.changed))
            for (auto& path : runs.submodules(record.id))
                found.try_emplace(std::move(path), record.id);
    return found;
}

/// Where the last run that moved this checkout left HEAD; null: none did.
git::ObjectId last_head(Workspace& workspace) {
    git::ObjectId head;
    for (const auto& record : workspace.runs().all()) {
        if (!record.changed)
            continue;
        if (workspace.prefix().empty())
            head = record.new_head;
        for (const auto& move : workspace.runs().load_moves(record.id)) {
            for (const auto& ref : move.refs)
                head = ref.after;
            if (!move.head_after.empty() && !move.head_after.starts_with("refs/"))
                head = git::ObjectId::from_hex(move.head_after);
        }
    }
    return head;
}

/// The old index may name objects that nothing else does; the repository needs them again.
Landing landing_of(Workspace& workspace, const snapshot::Snapshot& then) {
    Landing landing;
    landing.head = then.head.commit;
    landing.staged_tree = then.staged_tree;
    for (const auto& unmerged : then.status.unmerged)
        landing.unmerged[unmerged.path] = {unmerged.base, unmerged.ours, unmerged.theirs};
    // Intent-to-add entries name the empty blob.
    landing.index_objects.push_back(workspace.repository().objects().write(git::ObjectType::blob, ""));
    return landing;
}

/// Plans the way back of one checkout to before run `since`, and of its submodules: it adds to `returns` and `all`, and
/// what was written later to the report.
class ReturnPlanner {
public:
    /// `parked`: what is set aside returns as well.
    ReturnPlanner(std::deque<Return>& returns, std::vector<Moving>& all, std::string run, bool parked, Report& report)
        : m_returns(returns), m_all(all), m_run(std::move(run)), m_parked(parked), m_report(report) {}

    void add(Workspace& workspace, std::unique_ptr<Workspace> own, const std::string& since, const std::string& first) {
        auto& state = m_returns.emplace_back();
        state.own = std::move(own);
        state.now = snapshot::capture(workspace.repository(), workspace.settings());
        state.first = first;
        state.then = snapshot::read_record(workspace.runs().directory(first));
        make_directories(workspace.runs().directory(m_run), 0700);
        record_parked_before(workspace, m_run);
        if (m_parked)
            stage_parked_before(workspace, m_run, first);
        auto restoration = plan_restoration(workspace, first, state.now);
        std::move(restoration.saved.begin(), restoration.saved.end(), std::back_inserter(m_report.saved));
        name_later_commit(workspace, state.now.head.commit);
        m_all.push_back(
            {&workspace, &state.now, {}, {}, landing_of(workspace, state.then), std::move(restoration.move)});
        for (const auto& [path, run] : submodules_since(workspace.runs(), since))
            add_submodule(workspace, path, since, run);
    }

private:
    void add_submodule(Workspace& outer, const std::string& path, const std::string& since, const std::string& first) {
        if (!lstat_if_exists(outer.repository().paths().worktree / path / ".git")) {
            m_report.notes.push_back(
                fmt::format("the submodule {} is not checked out any more and stays so", outer.shown(path)));
            return;
        }
        auto nested = std::make_unique<Workspace>(outer.nested(path));
        refuse_foreign_operation(*nested);
        auto& workspace = *nested;
        add(workspace, std::move(nested), since, first);
    }

    void name_later_commit(Workspace& workspace, const git::ObjectId& now) {
        const auto last = last_head(workspace);
        if (last.is_null() || last == now || now.is_null())
            return;
        const auto info = git::describe_commit(workspace.repository().program(), now);
        const auto where = workspace.prefix().empty() ? std::string() : fmt::format(" in {}", workspace.shown({}));
        m_report.saved.push_back(fmt::format("commit {} {}  refs/carry/{}/head{}", info.id.short_hex(),
                                             escape_terminal(info.subject), m_run, where));
    }

    std::deque<Return>& m_returns;
    std::vector<Moving>& m_all;
    std::string m_run;
    bool m_parked;
    Report& m_report;
};

/// The present state, stored; then back to before `target`, in one transaction recorded as `record`.
void restore(Workspace& workspace, RunRecord& record, const RunRecord& target, Report& report) {
    std::deque<Return> returns;
    std::vector<Moving> all;
    // A failed verification comes before anything is set aside.
    const bool parked = record.lands_as != RunState::rolled_back;
    ReturnPlanner(returns, all, record.id, parked, report).add(workspace, nullptr, target.id, target.id);
    const auto& [own, first, now, then] = returns.front();
    record.old_head = now.head.commit;
    record.new_head = then.head.commit;
    report.old_head = now.head.commit.hex();
    report.new_head = then.head.commit.hex();
    secure_run(record, all);
    land(workspace, record, all);
    UndoProof proof;
    proof.run = target.id;
    for (std::size_t i = 0; i < all.size(); ++i)
        prove_undone(*all[i].workspace, returns[i].first, returns[i].then, all[i].move, proof);
    report.proof = std::move(proof);
    for (const auto& state : returns)
        if (state.own)
            run_submodule_hooks(*state.own, record.id, {state.now.head.commit, state.then.head.commit, false, {}},
                                report.notes);
}

} // namespace

void settle_waiting(Workspace& workspace, const RunRecord& target) {
    auto& runs = workspace.runs();
    for (auto record : runs.all())
        if (record.id >= target.id && record.state == RunState::waiting) {
            record.state = RunState::done;
            runs.save(record);
        }
    runs.set_current(std::nullopt);
    for (const auto& id : target.settles) {
        auto waiting = runs.load(id);
        waiting.state = RunState::waiting;
        runs.save(waiting);
        runs.set_current(id);
    }
}

namespace {

/// Somebody wrote while the files moved, or the record is damaged: nobody may take that for an undo.
void require_proof(Report& report) {
    for (const auto& what : report.proof->differs)
        report.warnings.push_back(
            {"not-as-before", what, fmt::format("{} is not as it was before run {}", what, report.proof->run)});
    if (!report.proof->differs.empty())
        report.exit_code = 9;
}

/// Newer runs that changed the checkout; what continued `target` is part of it.
std::vector<RunRecord> runs_above(const RunStore& runs, const RunRecord& target) {
    std::vector<RunRecord> above;
    std::set<std::string> parts{target.id};
    for (auto& record : runs.all()) {
        if (record.id <= target.id || !record.changed || record.state == RunState::rolled_back)
            continue;
        const auto is_part = [&](const std::string& id) { return parts.contains(id); };
        if (record.command == "continue" && std::any_of(record.settles.begin(), record.settles.end(), is_part))
            parts.insert(record.id);
        else
            above.push_back(std::move(record));
    }
    return above;
}

std::string names_of(const std::vector<RunRecord>& runs) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, runs.size()); ++i)
        text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", runs[i].id, runs[i].command);
    return runs.size() <= most ? text : fmt::format("{} and {} more", text, runs.size() - most);
}

[[noreturn]] void refuse_runs_above(Workspace& workspace, const RunRecord& target,
                                    const std::vector<RunRecord>& above) {
    std::set<std::string> paths;
    for (const auto& record : workspace.runs().all())
        if (record.id >= target.id && record.changed)
            for (const auto& move : workspace.runs().load_all_moves(record.id))
                for (const auto& transition : move.transitions)
                    paths.insert(move.paths.worktree / transition.path);
    throw Error(ErrorKind::refused,
                fmt::format("run {} is not the last one: {} would be taken back with it: {}", target.id,
                            count_of(above.size(), "newer run", "newer runs"), names_of(above)),
                {fmt::format("git carry undo --force {}   HEAD goes from {} to {}, and up to {} with it; what is there "
                             "now is stored first",
                             target.id, workspace.repository().head().commit.short_hex(),
                             snapshot::read_record(workspace.runs().directory(target.id)).head.commit.short_hex(),
                             count_of(paths.size(), "file", "files")),
                 "git carry undo   takes back the last one alone"});
}

Report go_back(Workspace& workspace, const std::string& command, const RunRecord& target,
               const std::vector<RunRecord>& above = {}) {
    refuse_foreign_operation(workspace);
    auto report = workspace.report(command);
    OpenRun run(workspace, command, report.time);
    report.run = run.record.id;
    if (const auto current = workspace.runs().current()) {
        run.record.settles = {*current};
        drop_conflicts(workspace);
    }
    run.record.target_name = target.id;
    restore(workspace, run.record, target, report);
    settle_waiting(workspace, target);
    install_all_parked(workspace, run.record.id);
    run_hooks(workspace, run.record.id, {run.record.old_head, run.record.new_head, false, {}}, report.notes);
    report.outcome = Outcome::undone;
    report.notes.push_back(fmt::format("back to before run {} ({})", target.id, target.command));
    if (!above.empty())
        report.notes.push_back(fmt::format("taken back with it: {}", names_of(above)));
    report.next = next_commands(report);
    require_proof(report);
    run.keep(report);
    retain_runs(workspace.runs(), workspace.repository(), workspace.settings().keep_runs);
    return report;
}

} // namespace

std::vector<std::string> roll_back(Workspace& workspace, RunRecord& record) {
    Report report;
    auto back = workspace.runs().create("rollback", record.time);
    back.lands_as = RunState::rolled_back;
    back.target_name = record.id;
    restore(workspace, back, record, report);
    // The failed run and its reversal are one event that changed nothing.
    record.state = RunState::rolled_back;
    record.exit_code = 5;
    workspace.runs().save(record);
    run_hooks(workspace, back.id, {back.old_head, back.new_head, false, {}}, report.notes);
    return std::move(report.saved);
}

} // namespace carry::pipeline

namespace carry {

Report undo(const Request& request, const std::optional<std::string>& run, bool force) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, Access::change);
    std::optional<RunRecord> target;
    if (run)
        target = workspace.runs().load(workspace.runs().find(*run));
    else
        target = workspace.runs().last_changed();
    // Any run with a snapshot is a state to come back to, whether it changed something or not.
    if (!target || !std::filesystem::exists(workspace.runs().directory(target->id) / "snapshot.json")) {
        auto report = workspace.report("undo");
        report.outcome = Outcome::up_to_date;
        report.notes.push_back(run ? fmt::format("run {} recorded no state", target->id)
                                   : "no run has changed this checkout");
        return report;
    }
    const auto above = runs_above(workspace.runs(), *target);
    if (!above.empty() && !force)
        refuse_runs_above(workspace, *target, above);
    return go_back(workspace, "undo", *target, above);
}

Report abort_run(const Request& request) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, Access::change);
    const auto current = workspace.runs().current();
    if (!current)
        throw Error(ErrorKind::refused, "no run waits to be continued or aborted",
                    {"git carry undo   reverses the last run"});
    const auto waiting = workspace.runs().load(*current);
    const auto origin = waiting.pending ? waiting.pending->origin : waiting.id;
    return go_back(workspace, "abort", workspace.runs().load(origin));
}

} // namespace carry
