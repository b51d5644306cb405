/// What changes in the index on the way to a landing.
#pragma once

#include "git/index.hpp"
#include "pipeline/landing.hpp"

namespace carry::pipeline {

git::IndexEdits plan_index(git::Repository& repository, const snapshot::Snapshot& snapshot, const Landing& landing);

} // namespace carry::pipeline
