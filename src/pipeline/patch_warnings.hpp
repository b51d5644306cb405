/// What the report warns of beside the fates of a path: guesses from the text, which decide nothing.
#pragma once

#include "merge/elsewhere.hpp"
#include "merge/tree_merge.hpp"
#include "pipeline/blame.hpp"
#include "pipeline/workspace.hpp"

#include <carry/report.hpp>

namespace carry::pipeline {

/// A clean result that may still be wrong: a block that stands twice in its file, a hunk in another function.
void warn_of_suspicious(Workspace& workspace, Report& report, const merge::PathOutcome& outcome);

/// What the patch adds may be in a file of upstream's already that it knows nothing of.
void warn_of_elsewhere(Workspace& workspace, Report& report, merge::UpstreamAdditions& additions,
                       const merge::PathOutcome& outcome);

/// Where the surroundings of what is in conflict went, if upstream took them to another file.
void warn_of_moved_lines(Workspace& workspace, Report& report, Blame& blame, const merge::PathOutcome& outcome);

} // namespace carry::pipeline
