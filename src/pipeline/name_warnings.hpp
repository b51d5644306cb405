/// Warnings about names that carried lines use and upstream removed.
#pragma once

#include "pipeline/plan.hpp"

namespace carry::pipeline {

/// Adds one warning ("removed-name") for each such name and path of what lands.
void warn_of_removed_names(Workspace& workspace, Report& report, const Target& target, const Plan& plan);

} // namespace carry::pipeline
