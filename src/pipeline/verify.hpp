/// Does the new state work? The user's own shell commands say.
#pragma once

#include "pipeline/workspace.hpp"

#include <string>
#include <vector>

namespace carry::pipeline {

/// Runs each command by `sh -c` at the top of the checkout, in order, until one fails; their output goes to verify.log
/// of the run. No lock is held meanwhile. Empty: all is well.
std::vector<VerifyResult> verify(Workspace& workspace, const std::string& run);

/// The same for a run that has landed: after a failed command, and when a signal asks to stop, the run is undone and
/// its record says so. False after a failure, with the report filled in (exit code 5); throws Error{interrupted} after
/// a signal.
bool verify_or_roll_back(Workspace& workspace, RunRecord& record, Report& report);

} // namespace carry::pipeline
