// The upgrade, from top to bottom:
//     preflight -> snapshot -> fetch -> plan -> extract -> secure -> apply -> verify -> report
// Each stage is a function from the values before it to a new value; only `apply` (land) touches the checkout.
#include "pipeline/upgrade.hpp"

#include "base/text.hpp"
#include "pipeline/describe.hpp"
#include "pipeline/extract.hpp"
#include "pipeline/hooks.hpp"
#include "pipeline/policy.hpp"
#include "pipeline/preflight.hpp"
#include "pipeline/remember.hpp"
#include "pipeline/retention.hpp"
#include "pipeline/sign.hpp"
#include "pipeline/submodule_parked.hpp"
#include "pipeline/submodules.hpp"
#include "pipeline/verify.hpp"
#include "snapshot/record.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

namespace carry::pipeline {

namespace {

/// Conflicts only with what was set aside before: nothing new stands in the way of landing the rest.
bool lands(const Plan& plan, OnConflict policy) {
    return only_parked_conflicts(plan) || (policy == OnConflict::park && can_park(plan));
}

/// Two captures of one state: a `git status` in between rewrites the index file, and it says the same.
bool is_same_state(const snapshot::Snapshot& a, const snapshot::Snapshot& b) {
    return a.head.commit == b.head.commit && a.head.branch == b.head.branch && a.staged_tree == b.staged_tree &&
           a.unstaged_tree == b.unstaged_tree && a.untracked_tree == b.untracked_tree &&
           a.intent_to_add == b.intent_to_add && a.flags.skip_worktree == b.flags.skip_worktree &&
           a.flags.assume_unchanged == b.flags.assume_unchanged;
}

/// Nothing has changed but the index file's bytes: what failed for it can be tried again.
bool is_only_refreshed(Workspace& workspace, const snapshot::Snapshot& planned_on) {
    const auto now = snapshot::capture(workspace.repository(), workspace.settings());
    return now.index_blob != planned_on.index_blob && is_same_state(now, planned_on);
}

void sign_submodules(Plan& plan) {
    for (auto& nested : plan.nested) {
        sign_submodules(nested.plan);
        sign_chain(*nested.workspace, nested.plan.chain, nested.plan.warnings);
    }
}

enum class Try { first, last };

Report run_upgrade(Workspace& workspace, bool only_check, Try attempt = Try::first) {
    auto report = workspace.report(only_check ? "check" : "upgrade");
    if (!only_check)
        remember_waiting(workspace);
    preflight(workspace);

    workspace.progress("snapshot");
    const auto captured = snapshot::capture(workspace.repository(), workspace.settings());
    auto snapshot = captured; // the plan adds what is in upstream's way
    const auto target = fetch_target(workspace);
    const auto parked = load_parked(workspace.runs());
    auto plan = make_plan(workspace, snapshot, target, parked);
    const auto policy = workspace.settings().on_conflict;
    if (!only_check && lands(plan, policy)) {
        sign_submodules(plan);
        sign_chain(workspace, plan.chain, plan.warnings);
    }
    describe_plan(workspace, report, snapshot, target, plan, policy == OnConflict::park && can_park(plan));

    if (changes_nothing(workspace, snapshot, plan, parked)) {
        report.parked = all_parked(workspace);
        report.outcome = report.parked.empty() ? Outcome::up_to_date : Outcome::parked;
        report.exit_code = report.parked.empty() ? 0 : 4;
        if (!only_check)
            workspace.runs().set_last_base(snapshot.head.display(), target.base);
    } else if (only_check) {
        report.outcome = Outcome::planned;
        report.exit_code = plan.clean() ? 0 : (policy == OnConflict::mark || lands(plan, policy) ? 4 : 3);
    } else {
        OpenRun run(workspace, "upgrade", report.time);
        name_patch_files(workspace, report, extract(workspace, snapshot, target, plan, run.record.id), "patches/");
        extract_submodules(report, plan, run.record.id);
        try {
            carry_out(workspace, run, {snapshot, target, parked}, plan, report);
        } catch (const Error& error) {
            if (attempt == Try::last || error.kind() != ErrorKind::failed || run.record.changed ||
                !is_only_refreshed(workspace, captured))
                throw;
            run.drop();
            return run_upgrade(workspace, only_check, Try::last);
        }
        report.next = next_commands(report, can_park(plan));
        run.keep(report);
        retain_runs(workspace.runs(), workspace.repository(), workspace.settings().keep_runs);
        return report;
    }
    report.next = next_commands(report, can_park(plan));
    return report;
}

/// Moves the checkout and its submodules, with everything stored first. `pending`: submodules in conflict are marked,
/// and what waits in them goes there.
void secure_and_apply(Workspace& workspace, RunRecord& record, const Inputs& inputs, const Plan& plan,
                      const Landing& landing, std::vector<SubmodulePending>* pending = nullptr) {
    const auto& [snapshot, target, parked] = inputs;
    keep_used_resolutions(workspace);
    const auto message = fmt::format("carry: {} to {}", record.command, target.commit.short_hex());
    std::vector<Moving> all;
    all.push_back(
        {&workspace, &snapshot, target.base, target.commit, landing, plan_move(workspace, snapshot, landing, message)});
    add_submodules(all, plan, record, pending);
    record_parked_before(workspace, record.id);
    secure_run(record, all);
    record.new_head = landing.head;
    land(workspace, record, all);
}

void stop(Workspace& workspace, RunRecord& record, const Inputs& inputs, Report& report) {
    snapshot::write_record(inputs.snapshot, workspace.runs().directory(record.id), workspace.repository().objects());
    record.state = RunState::stopped;
    report.exit_code = 3;
    report.outcome = Outcome::stopped;
    report.new_head = report.old_head;
}

/// In the checkout and in the submodules that moved with it; `plan` is as it landed or was marked.
void run_hooks_of(Workspace& workspace, const RunRecord& record, const HeadMove& moved, const Plan& plan,
                  std::vector<std::string>& notes) {
    for (const auto& nested : plan.nested) {
        auto& submodule = *nested.workspace;
        const bool waits = waits_when_marked(submodule, nested.plan);
        const HeadMove inner{nested.snapshot.head.commit, submodule.repository().head().commit, false,
                             waits ? Rewritten{} : rewritten_commits(nested.plan.chain)};
        run_hooks_of(submodule, record, inner, nested.plan, notes);
    }
    if (workspace.prefix().empty())
        run_hooks(workspace, record.id, moved, notes);
    else
        run_submodule_hooks(workspace, record.id, moved, notes);
}

/// Markers in the files; HEAD is the last link that was clean.
void mark(Workspace& workspace, RunRecord& record, const Inputs& inputs, const Plan& plan, Report& report) {
    auto marked = mark_plan(workspace, inputs.snapshot, inputs.target, plan, record.id);
    if (!marked.halted.is_null())
        refuse_waiting_submodules(workspace, plan, marked.pending);
    report.warnings.insert(report.warnings.end(), marked.warnings.begin(), marked.warnings.end());
    record.pending = marked.pending;
    record.lands_as = RunState::waiting;
    record.parked = stage_submodules_parked(plan, record.id);
    secure_and_apply(workspace, record, inputs, plan, marked.landing, &record.pending->submodules);
    workspace.runs().set_current(record.id);
    install_all_parked(workspace, record.id);
    share_conflicts(workspace);
    report.exit_code = 4;
    report.outcome = Outcome::marked;
    report.waiting = record.id;
    report.new_head = marked.landing.head.hex();
    if (!marked.halted.is_null()) {
        std::erase_if(report.conflicts, [&](const auto& conflict) {
            return !is_in_submodule(workspace, plan, conflict.path) &&
                   (!conflict.commit || conflict.commit->id != marked.halted.hex());
        });
        report.notes.emplace_back("the commits and changes after the one in conflict wait for git carry continue");
    }
    for (const auto& conflict : report.conflicts)
        if (conflict.kind == ConflictKind::directory_file)
            report.notes.push_back(
                fmt::format("{}: there is no room for your version; the index has it (stage 3)", conflict.path));
    run_hooks_of(workspace, record, {inputs.snapshot.head.commit, marked.landing.head, false, {}}, plan, report.notes);
}

/// Lands what is clean and sets the rest aside; after a failed verification everything is as before.
void land_and_verify(Workspace& workspace, RunRecord& record, const Inputs& inputs, const Plan& plan, Report& report) {
    const auto set_aside = parked_from(workspace, plan.chain, inputs.target.base, record.id, inputs.parked);
    stage_parked(workspace, record.id, set_aside);
    record.lands_as = workspace.settings().verify.empty() ? RunState::done : RunState::verifying;
    record.parked = stage_submodules_parked(plan, record.id) || !set_aside.empty();
    const auto landing = land_plan(inputs.snapshot, plan);
    secure_and_apply(workspace, record, inputs, plan, landing);

    const HeadMove moved{inputs.snapshot.head.commit, landing.head, true, rewritten_commits(plan.chain)};
    const bool verifies = record.lands_as == RunState::verifying;
    if (verifies && record.command == "upgrade")
        run_hooks_of(workspace, record, moved, plan, report.notes); // what is verified is what they leave
    if (!verify_or_roll_back(workspace, record, report))
        return;
    record.state = RunState::done;
    workspace.runs().save(record);
    install_all_parked(workspace, record.id);
    if (!verifies && record.command == "upgrade")
        run_hooks_of(workspace, record, moved, plan, report.notes);
    name_parked(workspace, plan, report);
    report.parked = all_parked(workspace);
    report.outcome = report.parked.empty() ? Outcome::upgraded : Outcome::parked;
    report.exit_code = report.parked.empty() ? 0 : 4;
    workspace.runs().set_last_base(inputs.snapshot.head.display(), inputs.target.commit);
}

} // namespace

OpenRun::~OpenRun() {
    drop();
}

void OpenRun::drop() noexcept {
    // A run that reached the journal is settled by recovery, not forgotten; so is one that cannot be forgotten now.
    if (m_kept || record.state != RunState::open)
        return;
    m_kept = true;
    try {
        forget_run(m_workspace.runs(), m_workspace.repository(), record.id);
    } catch (const std::exception&) {
        return;
    }
}

void OpenRun::keep(const Report& report) {
    record.exit_code = report.exit_code;
    m_workspace.runs().save(record);
    m_workspace.runs().save_report(record.id, report);
    m_kept = true;
}

merge::RebasedChain halt_at_conflict(Workspace& workspace, const Target& target,
                                     const std::vector<merge::ChainLink>& links, const git::ObjectId& base,
                                     const git::ObjectId& onto, const Plan* planned) {
    merge::RebaseInput input;
    input.base = base;
    input.onto = onto;
    input.links = links;
    input.mode = merge::ConflictMode::halt;
    input.markers = marker_options(workspace.settings(), target);
    input.rules = workspace.settings().rules;
    input.committer = committer_line(workspace);
    if (planned != nullptr)
        input.gitlinks = [planned](Layer layer, const merge::GitlinkSides& sides) {
            return planned_gitlink(*planned, layer, sides);
        };
    input.resolutions = workspace.resolutions();
    return merge::rebase_chain(workspace.repository(), input);
}

Marked mark_plan(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target, const Plan& plan,
                 const std::string& origin) {
    auto links = plan.links;
    std::erase_if(links, [](const auto& link) { return !link.parked_name.empty(); });
    auto chain = halt_at_conflict(workspace, target, links, target.base, target.commit, &plan);
    std::vector<Warning> warnings;
    if (workspace.prefix().empty()) // the commits of a submodule are known by their ids already
        sign_chain(workspace, chain, warnings);
    auto marked = mark_conflicts(workspace, snapshot, chain, links, true);
    marked.warnings = std::move(warnings);
    marked.pending.rewritten = rewritten_commits(chain);
    marked.landing.untouched.insert(marked.landing.untouched.end(), plan.released.begin(), plan.released.end());
    for (const auto& outcome : plan.abandoned) {
        marked.landing.unmerged[outcome.path] = outcome.conflict->stages;
        marked.pending.paths.push_back({outcome.path, Layer::unstaged});
    }
    marked.pending.origin = origin;
    marked.pending.base = target.base;
    marked.pending.target = target.commit;
    return marked;
}

void carry_out(Workspace& workspace, OpenRun& run, const Inputs& inputs, const Plan& plan, Report& report) {
    report.run = run.record.id;
    run.record.old_head = inputs.snapshot.head.commit;
    run.record.target_name = inputs.target.name;
    const auto policy = workspace.settings().on_conflict;
    if (lands(plan, policy))
        land_and_verify(workspace, run.record, inputs, plan, report);
    else if (policy == OnConflict::mark)
        mark(workspace, run.record, inputs, plan, report);
    else
        stop(workspace, run.record, inputs, report);
}

std::vector<std::string> next_commands(const Report& report, bool parks) {
    const auto command = report.command == "check"   ? std::string("upgrade")
                         : report.command == "apply" ? std::string("apply PATCH…")
                                                     : report.command;
    std::vector<std::string> policies;
    if (parks)
        policies.push_back(fmt::format(
            "git carry {} --on-conflict=park   everything else lands, the patches in conflict are set aside", command));
    policies.push_back(
        fmt::format("git carry {} --on-conflict=mark   markers in the files, then git carry continue", command));
    switch (report.outcome) {
    case Outcome::stopped:
        return policies;
    case Outcome::planned:
        return report.exit_code == 3 ? policies : std::vector<std::string>{"git carry upgrade   does it"};
    case Outcome::marked:
        return {"git status   lists the files in conflict; git add each when it is resolved",
                "git carry continue   when all are staged", "git carry abort   goes back to before the upgrade"};
    case Outcome::upgraded:
    case Outcome::continued:
    case Outcome::applied:
        return {"git carry undo   goes back"};
    case Outcome::parked:
        return report.run.empty() ? std::vector<std::string>{} : std::vector<std::string>{"git carry undo   goes back"};
    case Outcome::undone:
        return {"git carry undo   brings it back"};
    case Outcome::verify_failed:
        return {fmt::format("git carry show {}   what failed", report.run)};
    default:
        return {};
    }
}

} // namespace carry::pipeline

namespace carry {

Report upgrade(const Request& request) {
    auto workspace = pipeline::Workspace::open(request, pipeline::Access::change);
    return pipeline::run_upgrade(workspace, false);
}

Report check(const Request& request) {
    auto workspace = pipeline::Workspace::open(request, pipeline::Access::look);
    return pipeline::run_upgrade(workspace, true);
}

} // namespace carry
