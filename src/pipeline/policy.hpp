/// What lands when something conflicts.
#pragma once

#include "pipeline/plan.hpp"

#include <optional>
#include <vector>

namespace carry::pipeline {

/// Everything that is in `chain`; what was set aside has upstream's version.
Landing land_chain(const snapshot::Snapshot& snapshot, const merge::RebasedChain& chain);

/// The same for a whole plan: files that upstream stopped tracking stay on disk.
Landing land_plan(const snapshot::Snapshot& snapshot, const Plan& plan);

/// mark: markers in the files, stages in the index; what `continue` needs is in `pending`.
struct Marked {
    Landing landing;
    Pending pending;
    git::ObjectId halted; ///< the commit in conflict; null: the uncommitted layers are
    std::vector<Warning> warnings;
};
/// `chain` is `links` walked in halt mode and not clean. `first`: the snapshot's untracked files are on disk, and those
/// that are in nobody's way stay there while a commit waits; later on they are among the checkout's own.
Marked mark_conflicts(Workspace& workspace, const snapshot::Snapshot& snapshot, const merge::RebasedChain& chain,
                      const std::vector<merge::ChainLink>& links, bool first);

/// Where intent-to-add files are after the chain has moved, and still are nobody else's.
std::vector<std::string> moved_intent_to_add(const std::vector<std::string>& paths, const merge::RebasedChain& chain);

} // namespace carry::pipeline
