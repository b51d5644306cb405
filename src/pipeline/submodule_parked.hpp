/// What is set aside inside submodules. It lies in the submodule's own git directory, as what its own runs set aside,
/// and is tried again whenever the checkout around it is upgraded.
#pragma once

#include "pipeline/plan.hpp"

#include <map>
#include <string>
#include <vector>

namespace carry::pipeline {

/// Everything in conflict, here and in submodules, was set aside before: nothing new stands in the way.
bool only_parked_conflicts(const Plan& plan);

/// Everything in conflict can be set aside: no submodule that holds local work is gone upstream.
bool can_park(const Plan& plan);

/// Names of the patches that runs of this checkout set aside in its submodules, by the submodule's path; those in
/// submodules of that one are among them, with the path from there.
std::map<std::string, std::vector<std::string>> parked_in_submodules(const RunStore& runs);

/// Everything that is parked, here and in submodules, as the report names it.
std::vector<std::string> all_parked(Workspace& workspace);

/// stage_parked() for the submodules of a plan that land, those of `mark` that wait left out; true where something is
/// set aside in one of them.
bool stage_submodules_parked(const Plan& plan, const std::string& id);

/// install_parked() for a checkout and the submodules that have a share in run `id`.
void install_all_parked(Workspace& workspace, const std::string& id);

/// Names in the report what each of its patches is parked as.
void name_parked(Workspace& workspace, const Plan& plan, Report& report);

} // namespace carry::pipeline
