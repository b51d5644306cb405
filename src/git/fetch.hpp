/// `git fetch` as an unattended program wants it: no prompt, no hang, nothing pruned, no maintenance, FETCH_HEAD left
/// alone.
#pragma once

#include "git/program.hpp"
#include "git/repository.hpp"

#include <carry/progress.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace carry::git {

struct FetchRequest {
    std::string remote;                      ///< a configured remote
    std::vector<std::string> extra_refspecs; ///< beside the configured ones ("+refs/tags/nightly:refs/tags/nightly")
    bool only_extra = false;                 ///< instead of them
    std::chrono::seconds stall_timeout{120}; ///< without a byte of progress
};

struct FetchOutcome {
    bool branch_missing = false;     ///< a branch that is configured to be fetched is not there any more
    std::vector<std::string> failed; ///< short names of refs that could not be written here ("origin/feat")
};

/// Throws Error{failed} "cannot fetch from 'origin'" with git's words as cause and a hint. Progress goes to `progress`,
/// percentages as git prints them. ssh gets -oBatchMode=yes unless GIT_SSH_COMMAND, core.sshCommand or GIT_SSH say
/// otherwise; http.lowSpeedLimit and lowSpeedTime are set unless they are configured. A tag that upstream moved is left
/// as it is here, and is no failure. Refs that stand in the way of others (a branch `feat` where `feat/x` was) are in
/// the outcome.
FetchOutcome fetch(const Repository& repository, const FetchRequest& request, const ProgressCallback& progress);

/// The id that `ref` (a full name, or "HEAD") has on the remote (`git ls-remote`); nothing where it has none. Throws as
/// fetch() does.
std::optional<ObjectId> remote_ref(const Repository& repository, const std::string& remote, const std::string& ref);

/// What a remote says of itself in one answer (`git ls-remote --symref`).
struct RemoteState {
    std::optional<std::string> default_branch; ///< full name of the branch that its HEAD names
    bool has_ref = false;                      ///< the ref that was asked for
};
RemoteState remote_state(const Repository& repository, const std::string& remote, const std::string& ref);

} // namespace carry::git
