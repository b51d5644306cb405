/// From a marked conflict to a recorded resolution: what a person makes of it is remembered, whether it ends up
/// committed, staged or unstaged; what is aborted is not.
#pragma once

#include "merge/tree_merge.hpp"
#include "pipeline/run_store.hpp"
#include "pipeline/workspace.hpp"
#include "snapshot/capture.hpp"

#include <cstddef>
#include <string>

namespace carry::pipeline {

/// Takes down what resolving the conflict at `path` will be a resolution of; does nothing where no lines are marked.
void note_conflict(Pending& pending, const std::string& path, const merge::Conflict& conflict);

/// Records what `now` has in place of the conflicts of a marked run: the staged version, or, where the path is still
/// unmerged, the file. Whatever still holds a marker is no resolution. Returns how many files were recorded; 0 where
/// settings.resolutions is off.
std::size_t remember(Workspace& workspace, const Pending& pending, const snapshot::Snapshot& now);

/// The same before a command that is refused because a marked run waits.
void remember_waiting(Workspace& workspace);

/// After marking: where git's rerere is at work it is told of the conflicts, so that `git rerere`, `git commit` and
/// `git mergetool` do in this checkout what they do after a merge.
void share_conflicts(Workspace& workspace);

/// Takes back what share_conflicts() told; what is recorded stays.
void drop_conflicts(Workspace& workspace);

/// Marks the resolutions that a plan took as used, for `git rerere gc`.
void keep_used_resolutions(Workspace& workspace);

} // namespace carry::pipeline
