/// What stands around the changes and belongs into the record: remotes, stashes, submodules, the last log entries.
#pragma once

#include "snapshot/capture.hpp"

namespace carry::snapshot {

/// Fills upstream, remotes, stashes, submodules and log of `snapshot`. Passwords in remote URLs are left out.
void read_surroundings(git::Repository& repository, Snapshot& snapshot);

} // namespace carry::snapshot
