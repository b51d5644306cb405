/// What git-carry processes that died have left in its own directory.
#pragma once

#include "pipeline/run_store.hpp"

namespace carry::pipeline {

/// Removes temporary files and directories, half-written objects, and run directories that never got a record. Call
/// while nobody else is at work there, and not while a journal is. `thorough`: where something is known to have died,
/// in every directory of objects. What cannot be removed stays for the next command.
void remove_stale(const RunStore& runs, bool thorough) noexcept;

} // namespace carry::pipeline
