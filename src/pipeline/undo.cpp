#include "pipeline/undo.hpp"

#include "base/text.hpp"
#include "git/history.hpp"
#include "pipeline/describe.hpp"
#include "pipeline/landing.hpp"
#include "pipeline/parked.hpp"
#include "pipeline/preflight.hpp"
#include "pipeline/restore.hpp"
#include "pipeline/retention.hpp"
#include "pipeline/upgrade.hpp"
#include "snapshot/record.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fmt/format.h>

namespace carry::pipeline {

namespace {

/// The present state, stored; then back to before `target`, in one transaction recorded as `record`.
void restore(Workspace& workspace, RunRecord& record, const RunRecord& target, Report& report) {
    auto& repository = workspace.repository();
    const auto now = snapshot::capture(repository, workspace.settings());
    auto restoration = plan_restoration(workspace, target.id, now);
    report.saved = std::move(restoration.saved);
    const auto last = workspace.runs().last_changed();
    if (last && last->new_head != now.head.commit && !now.head.commit.is_null()) {
        const auto info = git::describe_commit(repository.program(), now.head.commit);
        report.saved.push_back(fmt::format("commit {} {}  refs/carry/{}/head", info.id.short_hex(),
                                           escape_terminal(info.subject), record.id));
    }
    record.old_head = now.head.commit;
    snapshot::write_record(now, workspace.runs().directory(record.id), repository.objects());
    secure_run(workspace, record, now, restoration.move, {}, {});

    const auto then = snapshot::read_record(workspace.runs().directory(target.id));
    record.new_head = then.head.commit;
    report.old_head = now.head.commit.hex();
    report.new_head = then.head.commit.hex();
    // The old index may name objects that nothing else does; the repository needs them again.
    Landing landing;
    landing.head = then.head.commit;
    landing.staged_tree = then.staged_tree;
    for (const auto& unmerged : then.status.unmerged)
        landing.unmerged[unmerged.path] = {unmerged.base, unmerged.ours, unmerged.theirs};
    // Intent-to-add entries name the empty blob.
    landing.index_objects.push_back(repository.objects().write(git::ObjectType::blob, ""));
    land(workspace, record, restoration.move, &landing, {now.head.commit});
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

Report go_back(Workspace& workspace, const std::string& command, const RunRecord& target) {
    refuse_foreign_operation(workspace);
    auto report = workspace.report(command);
    OpenRun run(workspace, command, report.time);
    report.run = run.record.id;
    if (const auto current = workspace.runs().current())
        run.record.settles = {*current};
    run.record.target_name = target.id;
    record_parked_before(workspace, run.record.id);
    stage_parked_before(workspace, run.record.id, target.id);
    restore(workspace, run.record, target, report);
    settle_waiting(workspace, target);
    install_parked(workspace, run.record.id);
    report.outcome = Outcome::undone;
    report.notes.push_back(fmt::format("back to before run {} ({})", target.id, target.command));
    report.next = next_commands(report);
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
    return std::move(report.saved);
}

} // namespace carry::pipeline

namespace carry {

Report undo(const Request& request, const std::optional<std::string>& run) {
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
    return go_back(workspace, "undo", *target);
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
