/// Edits that the index flags assume-unchanged and skip-worktree hide from git status.
#pragma once

#include "snapshot/worktree_reader.hpp"

#include <map>
#include <string>
#include <vector>

namespace carry::snapshot {

/// Paths that are flagged and present on disk, with git's mode from the index. A flagged path that is absent is no
/// deletion: git counts both kinds as unchanged.
std::map<std::string, git::TreeEntry> flagged_files(WorktreeReader& reader, git::TreeReader& trees,
                                                    const git::ObjectId& staged_tree, const git::IndexFlags& flags);

} // namespace carry::snapshot
