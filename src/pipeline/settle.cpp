#include "pipeline/settle.hpp"

#include "base/text.hpp"
#include "pipeline/retention.hpp"
#include "pipeline/submodule_parked.hpp"
#include "pipeline/undo.hpp"
#include "transaction/apply.hpp"

#include <fmt/format.h>

namespace carry::pipeline {

namespace {

/// A crash between the end of a transaction and its record leaves no journal: the checkout itself tells.
bool has_landed(const std::vector<transaction::CheckoutMove>& moves) {
    for (const auto& move : moves) {
        auto repository = git::Repository::open(move.paths.worktree);
        if (!move.head_after.empty()) {
            const auto head = repository.head();
            return head.branch.value_or(head.commit.hex()) == move.head_after;
        }
        for (const auto& ref : move.refs) {
            const auto present =
                ref.name == "HEAD" ? repository.head().commit : repository.read_ref(ref.name).value_or(git::ObjectId{});
            return present == ref.after;
        }
        for (const auto& transition : move.transitions) {
            const auto present = transaction::read_state(move.paths, transition.path, repository.objects());
            return present.kind == transition.after.kind && present.content == transition.after.content;
        }
    }
    return false;
}

void say(const Workspace& workspace, const std::string& text) {
    if (workspace.request().note)
        workspace.request().note(text);
}

void settle_applying(Workspace& workspace, RunRecord& record, const std::optional<transaction::Recovery>& recovery) {
    const bool landed = recovery ? recovery->result == transaction::RecoveryResult::completed
                                 : has_landed(workspace.runs().load_all_moves(record.id));
    if (!landed) {
        say(workspace, fmt::format("run {} ({}) was interrupted and has been reversed", record.id, record.command));
        forget_run(workspace.runs(), workspace.repository(), record.id);
        return;
    }
    say(workspace, fmt::format("run {} ({}) was interrupted and has been finished", record.id, record.command));
    record.state = record.lands_as;
    record.changed = true;
    workspace.runs().save(record);
    if (record.command == "undo" || record.command == "abort")
        settle_waiting(workspace, workspace.runs().load(record.target_name));
    else
        for (const auto& id : record.settles) {
            auto waiting = workspace.runs().load(id);
            waiting.state = RunState::done;
            workspace.runs().save(waiting);
            workspace.runs().set_current(std::nullopt);
        }
    if (record.state == RunState::waiting)
        workspace.runs().set_current(record.id);
    if (record.state == RunState::done || record.state == RunState::waiting)
        install_all_parked(workspace, record.id);
}

} // namespace

std::filesystem::path verifying_lock(const RunStore& runs, const std::string& id) {
    return runs.directory(id) / "verifying";
}

bool needs_settling(const RunStore& runs) {
    for (const auto& record : runs.all())
        if (record.state == RunState::open || record.state == RunState::applying || record.state == RunState::verifying)
            return true;
    return false;
}

void settle_runs(Workspace& workspace, const std::optional<transaction::Recovery>& recovery) {
    for (auto record : workspace.runs().all()) {
        if (record.state == RunState::applying)
            settle_applying(workspace, record, recovery && recovery->run == record.id ? recovery : std::nullopt);
        else if (record.state == RunState::open) {
            say(workspace,
                fmt::format("run {} ({}) was interrupted before it changed anything", record.id, record.command));
            forget_run(workspace.runs(), workspace.repository(), record.id);
        }
    }
    // The applying run may have become a verifying one just now.
    for (auto record : workspace.runs().all())
        if (record.state == RunState::verifying && FileLock::try_acquire(verifying_lock(workspace.runs(), record.id))) {
            say(workspace,
                fmt::format("run {} was interrupted while it was being verified; it is rolled back", record.id));
            roll_back(workspace, record);
        }
}

} // namespace carry::pipeline
