/// Is the checkout fit to be upgraded? Each refusal is one sentence with the command that mends it.
#pragma once

#include "pipeline/workspace.hpp"

#include <string>

namespace carry::pipeline {

/// Throws Error{refused} where .carry.yaml decides what only the user may decide, and is not trusted; Error{usage}
/// where it cannot be read. What goes back (undo, abort) does not ask.
void refuse_untrusted_settings(Workspace& workspace);

/// Throws Error{refused}: untrusted settings, an operation of git's in progress, unmerged paths, a live index.lock, a
/// marked run that waits, an unborn branch, a repository with features that are not handled yet.
void preflight(Workspace& workspace);

/// The part of it that undo, continue and apply need as well: nobody else's operation or lock is open.
void refuse_foreign_operation(Workspace& workspace);

} // namespace carry::pipeline
