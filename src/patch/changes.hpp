/// What lies between two trees of the chain: the changed paths, and the patch text of each.
#pragma once

#include "patch/patch.hpp"

#include <functional>
#include <string>
#include <vector>

namespace carry::patch {

/// As `git diff-tree -r -M` lists them, in its order; a rename is one change.
std::vector<PathChange> list_changes(const git::Program& program, const git::ObjectId& before,
                                     const git::ObjectId& after);

/// Calls `on_text` with the index of each of `changes` (as list_changes() gave them) and its `git diff-tree -p` text,
/// one at a time, so that no more than one file's patch is in memory.
void read_patch_texts(const git::Program& program, const git::ObjectId& before, const git::ObjectId& after,
                      const std::vector<PathChange>& changes,
                      const std::function<void(std::size_t, std::string&&)>& on_text);

/// GNU patch, as quilt runs it, can apply the change and take it back: text that is no link and no submodule, from a
/// file that was not empty (quilt takes an empty backup for "was not there").
bool gnu_patch_can(const PathChange& change, std::string_view text);

/// An order in which the changes can be applied one after the other: what makes room for a file or directory of the
/// same name first. Groups of more than one are those that only go together.
std::vector<std::vector<std::size_t>> application_order(const std::vector<PathChange>& changes);

} // namespace carry::patch
