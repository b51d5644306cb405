/// Retention: old runs go, with their refs.
#pragma once

#include "git/repository.hpp"
#include "pipeline/run_store.hpp"

#include <string>
#include <vector>

namespace carry::pipeline {

/// Removes a run's directory and its refs.
void forget_run(RunStore& runs, git::Repository& repository, const std::string& id);

/// Removes all but the last `keep` runs that changed the checkout, and records of stopped runs older than those; never
/// the latest that changed something, nor one with parked or marked patches. Returns the ids that went.
std::vector<std::string> retain_runs(RunStore& runs, git::Repository& repository, std::size_t keep);

} // namespace carry::pipeline
