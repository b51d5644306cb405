/// After a crash: brings the records of runs into line with what the checkout really is.
#pragma once

#include "pipeline/workspace.hpp"
#include "transaction/recovery.hpp"

#include <optional>

namespace carry::pipeline {

/// Finishes or reverses what crashed runs left, with the run lock held: an open run is forgotten, an applying one takes
/// the state that the transaction was brought to, a verifying one whose process is gone is rolled back. Says what it
/// did through Request::note.
void settle_runs(Workspace& workspace, const std::optional<transaction::Recovery>& recovery);

/// True where some record is not at rest (open, applying, verifying).
bool needs_settling(const RunStore& runs);

/// The lock file that a run holds while its verify commands run.
std::filesystem::path verifying_lock(const RunStore& runs, const std::string& id);

} // namespace carry::pipeline
