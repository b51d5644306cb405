/// Edits that git status did not show: a file system monitor that missed them, stamps that were set back, a file
/// written since the scan.
#pragma once

#include "git/repository.hpp"
#include "snapshot/capture.hpp"
#include "transaction/transition.hpp"

#include <vector>

namespace carry::pipeline {

/// Throws Error{refused} where a file that is to be replaced, and that the snapshot took for unchanged, holds something
/// else than what is tracked: the bytes have been read for the transition, so this looks at nothing but them. Line
/// endings alone are no edit, and what a filter would have made of a file is not judged.
void refuse_unseen_edits(git::Repository& repository, const snapshot::Snapshot& snapshot,
                         const std::vector<transaction::Transition>& transitions);

} // namespace carry::pipeline
