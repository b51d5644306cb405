/// The upgrade, stage by stage; a newcomer starts reading in upgrade.cpp.
#pragma once

#include "pipeline/plan.hpp"
#include "pipeline/policy.hpp"

#include <string>
#include <vector>

namespace carry::pipeline {

/// A run that is recorded only if something came of it: the destructor forgets it, keep() keeps it.
class OpenRun {
public:
    OpenRun(Workspace& workspace, const std::string& command, std::int64_t time)
        : m_workspace(workspace), record(workspace.runs().create(command, time)) {}
    OpenRun(const OpenRun&) = delete;
    OpenRun& operator=(const OpenRun&) = delete;
    ~OpenRun();
    void keep(const Report& report);
    /// Forgets it now.
    void drop() noexcept;

private:
    Workspace& m_workspace;
    bool m_kept = false;

public:
    RunRecord record;
};

/// What a plan came from.
struct Inputs {
    const snapshot::Snapshot& snapshot;
    const Target& target;
    const std::vector<ParkedPatch>& parked; ///< before the run
};

/// From a plan to its end, by the policy in force: stopped, marked, landed or parked. Fills outcome, exit code and the
/// run; shared by upgrade and apply.
void carry_out(Workspace& workspace, OpenRun& run, const Inputs& inputs, const Plan& plan, Report& report);

/// Commands a person may type next, by outcome. `parks`: what is in conflict can be set aside.
std::vector<std::string> next_commands(const Report& report, bool parks = true);

/// mark: a plan's links once more, up to the conflict that a person shall resolve, and where that lands. `origin` is
/// the run.
Marked mark_plan(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target, const Plan& plan,
                 const std::string& origin);

/// Links of a chain once more, this time up to the conflict that a person shall resolve. `planned`: the plan of them
/// that knows about the submodules.
merge::RebasedChain halt_at_conflict(Workspace& workspace, const Target& target,
                                     const std::vector<merge::ChainLink>& links, const git::ObjectId& base,
                                     const git::ObjectId& onto, const Plan* planned = nullptr);

} // namespace carry::pipeline
