/// The user's git hooks after HEAD has moved, as `git pull --rebase` would run them. docs/user-guide.md says which.
#pragma once

#include "merge/rebase.hpp"
#include "pipeline/workspace.hpp"

#include <string>
#include <utility>
#include <vector>

namespace carry::pipeline {

/// Old and new id of commits that were rewritten, oldest first.
using Rewritten = std::vector<std::pair<git::ObjectId, git::ObjectId>>;
Rewritten rewritten_commits(const merge::RebasedChain& chain);

/// What happened to HEAD.
struct HeadMove {
    git::ObjectId before, after;
    bool by_upgrade = true; ///< false: undo, abort, or a run that waits half way
    Rewritten rewritten;    ///< complete: for post-rewrite and for notes (notes.rewriteRef)
};

/// Runs them, with git-carry's run lock held and none of git's. Never throws for what a hook does: one that fails,
/// hangs or cannot be started is a note in the report. What they print goes to hooks.log in the run's directory.
void run_hooks(Workspace& workspace, const std::string& run, const HeadMove& move, std::vector<std::string>& notes);

/// The same in a submodule, as `git submodule update` has them run (no post-merge); notes name it.
void run_submodule_hooks(Workspace& submodule, const std::string& run, HeadMove move, std::vector<std::string>& notes);

} // namespace carry::pipeline
