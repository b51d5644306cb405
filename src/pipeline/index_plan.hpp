/// What changes in the index on the way to a landing.
#pragma once

#include "git/index.hpp"
#include "pipeline/landing.hpp"

#include <set>
#include <string>

namespace carry::pipeline {

/// `left_out`: entries that get no file and are flagged for it (paths_left_out).
git::IndexEdits plan_index(git::Repository& repository, const snapshot::Snapshot& snapshot, const Landing& landing,
                           const std::set<std::string>& left_out);

} // namespace carry::pipeline
