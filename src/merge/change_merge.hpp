/// A list of changes onto a tree: what merge_link() does once it knows the changes.
#pragma once

#include "merge/link_changes.hpp"
#include "merge/tree_merge.hpp"

#include <vector>

namespace carry::merge {

/// As merge_link(), with `changes` in place of the difference of input.before and input.after.
LinkMerge merge_changes(git::Repository& repository, const LinkMergeInput& input,
                        const std::vector<LocalChange>& changes);

/// A path's fate from its conflict, its hunks and its whereabouts; absorbed is left as it is.
void sum_up(PathOutcome& outcome);

/// True where `paths` holds one of the change's names.
bool touches(const std::set<std::string>& paths, const LocalChange& change);

} // namespace carry::merge
