/// Back to the state before a run, by the snapshot it took; itself a run like any other.
#pragma once

#include "pipeline/workspace.hpp"

namespace carry::pipeline {

/// Undoes `record` (a failed or interrupted verification) and gives it the state `rolled_back`. Returns what was stored
/// first, named.
std::vector<std::string> roll_back(Workspace& workspace, RunRecord& record);

/// What waits, or waits again, once the state before `target` is back.
void settle_waiting(Workspace& workspace, const RunRecord& target);

} // namespace carry::pipeline
