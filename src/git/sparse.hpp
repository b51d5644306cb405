/// Which files a sparse checkout leaves out, by git's own rules.
#pragma once

#include "git/object_store.hpp"
#include "git/program.hpp"

#include <set>
#include <string>
#include <vector>

namespace carry::git {

/// Those of `paths` that the sparse patterns of this working tree leave out. The paths need not exist anywhere; no two
/// of them may need a file and a directory in one place. Asked of `git sparse-checkout reapply` in an index and an
/// empty working tree of its own, so cone mode, worktree configuration and all that is to come are git's business.
/// `objects` receives an empty blob. Throws Error{failed} where git fails (no sparse checkout is configured).
std::set<std::string> outside_sparse_checkout(const Program& program, ObjectStore& objects,
                                              const std::vector<std::string>& paths);

} // namespace carry::git
