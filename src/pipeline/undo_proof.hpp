/// The proof of an undo: each run keeps what the checkout was known by before it, and an undo is held against that once
/// the files are back. Its cost follows what the run changed.
#pragma once

#include "pipeline/workspace.hpp"
#include "snapshot/capture.hpp"
#include "transaction/transition.hpp"

#include <carry/report.hpp>

#include <string>

namespace carry::pipeline {

/// fingerprint.json of the run: HEAD, the index, and a digest over each path that the run is about to change.
void keep_fingerprint(Workspace& workspace, const std::string& run, const snapshot::Snapshot& snapshot,
                      const transaction::CheckoutMove& move);

/// Reads HEAD, the index, the paths that `run` changed and those of `done` (the move back to before it) from the disk,
/// and adds to `proof` how many there are and which of them are not as the run's snapshot `then` and its fingerprint
/// say. A run without a fingerprint is held against its snapshot alone.
void prove_undone(Workspace& workspace, const std::string& run, const snapshot::Snapshot& then,
                  const transaction::CheckoutMove& done, UndoProof& proof);

} // namespace carry::pipeline
