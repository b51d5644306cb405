/// Does the new state work? The user's own shell commands say.
#pragma once

#include "pipeline/workspace.hpp"

#include <string>
#include <vector>

namespace carry::pipeline {

/// Runs each command by `sh -c` at the top of the checkout, in order, until one fails; their output goes to verify.log
/// of the run. No lock is held meanwhile. Empty: all is well.
std::vector<VerifyResult> verify(Workspace& workspace, const std::string& run);

bool all_verified(const std::vector<VerifyResult>& results);

} // namespace carry::pipeline
