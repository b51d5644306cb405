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
    std::chrono::seconds stall_timeout{120}; ///< without a byte of progress
};

/// Throws Error{failed} "cannot fetch from 'origin'" with git's words as cause and a hint. Progress goes to `progress`,
/// percentages as git prints them. ssh gets -oBatchMode=yes unless GIT_SSH_COMMAND, core.sshCommand or GIT_SSH say
/// otherwise; http.lowSpeedLimit and lowSpeedTime are set unless they are configured. A tag that upstream moved is left
/// as it is here, and is no failure.
void fetch(const Repository& repository, const FetchRequest& request, const ProgressCallback& progress);

/// The id that `ref` (a full name, or "HEAD") has on the remote (`git ls-remote`); nothing where it has none. Throws as
/// fetch() does.
std::optional<ObjectId> remote_ref(const Repository& repository, const std::string& remote, const std::string& ref);

/// The full name of the branch that the remote's HEAD names (`git ls-remote --symref`); nothing where it names none.
std::optional<std::string> remote_default_branch(const Repository& repository, const std::string& remote);

} // namespace carry::git
