/// Submodules as they are now, for commands that record or show what is carried.
#pragma once

#include "pipeline/plan.hpp"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace carry::pipeline {

/// A submodule that is checked out, with what it carries: its uncommitted changes, and the commits that no remote has
/// (all of those are only here where no remote has any; they are not among the links then).
struct PresentSubmodule {
    std::unique_ptr<Workspace> workspace;
    snapshot::Snapshot snapshot;
    Target target; ///< the newest commit that a remote has; null: none
    std::vector<merge::ChainLink> links;
};

/// The submodules that are checked out in a checkout, and those in them; the outer ones first. `changed_only`: those in
/// which git status sees something.
std::deque<PresentSubmodule> present_submodules(Workspace& outer, const snapshot::Snapshot& snapshot,
                                                bool changed_only);

/// Adds what they carry to the report.
void describe_present(PresentSubmodule& present, Report& report);

} // namespace carry::pipeline
