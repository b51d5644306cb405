/// The base: the commit that the local changes sit on, found by every trace that upstream has left in this checkout.
#pragma once

#include "pipeline/target.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carry::pipeline {

/// What upstream was here before the fetch.
struct UpstreamPast {
    /// Remote-tracking refs that have followed it; two where upstream's branch was renamed.
    std::vector<std::string> tracking_refs;
    /// Commits that it was at: the remote-tracking branch or the tag before this fetch.
    std::vector<git::ObjectId> former_tips;
    std::string remote; ///< for what to type; may be empty
};

/// The newest commit of HEAD's history that upstream is known to have been at, or the one it shares with
/// `target.commit`; settings.base where the user names it. Adds a note where it is not the shared one. Throws
/// Error{refused} where nothing tells, Error{usage} where settings.base is not in HEAD's history.
git::ObjectId find_base(Workspace& workspace, const UpstreamPast& past, Target& target);

} // namespace carry::pipeline
