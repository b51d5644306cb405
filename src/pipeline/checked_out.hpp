/// Which files of a landing belong on disk: all of them, but in a sparse checkout and under skip-worktree.
#pragma once

#include "pipeline/landing.hpp"

#include <set>
#include <string>

namespace carry::pipeline {

/// Entries of the new index that get no file: those that were not checked out before (skip-worktree) and new ones that
/// the sparse patterns leave out. A path whose file holds what the index does not (an unstaged change that came there,
/// a conflict) has one, as with git; so has a path where a file is already.
std::set<std::string> paths_left_out(Workspace& workspace, const snapshot::Snapshot& snapshot, const Landing& landing);

} // namespace carry::pipeline
