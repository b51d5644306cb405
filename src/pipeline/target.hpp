/// The fetch stage: which upstream, brought here, as one commit id from here on; and the base that the local changes
/// sit on.
#pragma once

#include "pipeline/workspace.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carry::pipeline {

struct Target {
    std::string name;               ///< for people: "origin/main", "nightly"
    std::string tracking_ref;       ///< full ref, for the fork point; empty where it is a bare revision
    git::ObjectId commit;           ///< the new upstream
    git::ObjectId base;             ///< what the local changes sit on
    std::vector<std::string> notes; ///< "upstream was rewritten …", "tag 'nightly' moved …"
    std::vector<Warning> warnings;
};

/// Fetches (unless settings.offline) and resolves. Throws Error{refused} where no upstream or no base is to be found,
/// Error{usage} where --to does not resolve, Error{failed} where the fetch fails.
Target fetch_target(Workspace& workspace);

/// The remote that a branch of no upstream is fetched from: that of the current branch, the only one, or "origin";
/// empty: none of these.
std::string default_remote(const git::Repository& repository);

/// The same without any fetch, and where no upstream is to be found HEAD itself is the base: for commands that only
/// look at what is carried.
Target local_target(Workspace& workspace);

} // namespace carry::pipeline
