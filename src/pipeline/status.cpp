// status and snapshot: what is carried, what upstream has new, what the last run did. They change nothing.
#include "base/file.hpp"
#include "base/text.hpp"
#include "git/history.hpp"
#include "pipeline/describe.hpp"
#include "pipeline/extract.hpp"
#include "pipeline/landing.hpp"
#include "pipeline/parked.hpp"
#include "pipeline/preflight.hpp"
#include "pipeline/present.hpp"
#include "pipeline/retention.hpp"
#include "pipeline/submodule_parked.hpp"
#include "pipeline/summary.hpp"
#include "pipeline/upgrade.hpp"
#include "snapshot/record.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fmt/format.h>

namespace carry::pipeline {

namespace {

void describe_target(Workspace& workspace, const Target& target, Report& report) {
    auto& repository = workspace.repository();
    report.upstream = target.name;
    report.base = target.base.hex();
    report.old_upstream = target.base.hex();
    report.new_upstream = target.commit.hex();
    if (target.base.is_null() || target.base == target.commit)
        return;
    report.upstream_commits = git::count_between(repository.program(), target.base, target.commit);
    auto& trees = repository.trees();
    report.upstream_files = trees.diff(trees.tree_of_commit(target.base), trees.tree_of_commit(target.commit)).size();
}

/// What is carried, as a report; an unborn branch carries what is not committed.
Report describe_carried(Workspace& workspace, const std::string& command, const snapshot::Snapshot& snapshot,
                        Plan& plan, Target& target) {
    auto report = workspace.report(command);
    if (!snapshot.head.commit.is_null()) {
        target = local_target(workspace);
        describe_target(workspace, target, report);
        plan.links = chain_links(workspace, snapshot, target, plan);
        report.notes = target.notes;
    }
    describe_snapshot_patches(workspace, report, snapshot, plan.links);
    report.commits = plan.local_commits;
    return report;
}

/// An upgrade would refuse them; here they only do not count.
void warn_of_untrusted(Workspace& workspace, Report& report) {
    try {
        refuse_untrusted_settings(workspace);
    } catch (const Error& error) {
        report.warnings.push_back({"untrusted-settings", ".carry.yaml", error.message()});
    }
}

} // namespace

} // namespace carry::pipeline

namespace carry {

Report status(const Request& request) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, Access::look);
    const auto snapshot = snapshot::capture(workspace.repository(), workspace.settings());
    Plan plan;
    Target target;
    auto report = describe_carried(workspace, "status", snapshot, plan, target);
    for (auto& present : present_submodules(workspace, snapshot, true))
        describe_present(present, report);
    report.outcome = Outcome::shown;
    report.parked = all_parked(workspace);
    warn_of_untrusted(workspace, report);
    const auto records = workspace.runs().all();
    if (!records.empty())
        report.last_run = summarize(workspace.runs(), records.back());
    if (const auto current = workspace.runs().current()) {
        report.waiting = *current;
        report.next = {"git carry continue   when the conflicts are resolved and staged",
                       "git carry abort   goes back to before the upgrade"};
    } else if (report.upstream_commits > 0)
        report.next = {"git carry check   what an upgrade would do", "git carry upgrade   does it"};
    return report;
}

Report take_snapshot(const Request& request) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, Access::change);
    const auto snapshot = snapshot::capture(workspace.repository(), workspace.settings());
    Plan plan;
    Target target;
    auto report = describe_carried(workspace, "snapshot", snapshot, plan, target);
    OpenRun run(workspace, "snapshot", report.time);
    report.run = run.record.id;
    run.record.old_head = run.record.new_head = snapshot.head.commit;
    run.record.state = RunState::open;
    if (!target.base.is_null())
        name_patch_files(workspace, report, extract(workspace, snapshot, target, plan, run.record.id), "patches/");
    record_parked_before(workspace, run.record.id);
    std::vector<Moving> all{{&workspace, &snapshot, target.base, target.commit, {}}};
    auto submodules = present_submodules(workspace, snapshot, false);
    for (auto& present : submodules) {
        describe_present(present, report);
        all.push_back({present.workspace.get(), &present.snapshot, {}, {}, {}});
        make_directories(present.workspace->runs().directory(run.record.id), 0700);
        record_parked_before(*present.workspace, run.record.id);
    }
    secure_run(run.record, all);
    run.record.state = RunState::done;
    report.outcome = Outcome::recorded;
    report.next = {fmt::format("git carry undo {}   brings this state back", report.run)};
    run.keep(report);
    return report;
}

} // namespace carry
