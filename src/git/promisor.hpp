/// Partial clones: objects that only the remote has, brought in one request and kept where they belong.
#pragma once

#include "git/repository.hpp"

#include <carry/error.hpp>

#include <string_view>
#include <vector>

namespace carry::git {

/// In a partial clone, brings those of `blobs` that are not here, all in one request and into the repository; does
/// nothing elsewhere. git by itself asks for one object after the other. Throws Error{failed} where the remote cannot
/// be reached.
void fetch_missing_blobs(Repository& repository, const std::vector<ObjectId>& blobs);

/// What git fetched on demand while it wrote into the private directory becomes part of the repository: there it
/// vouches for the objects that are still missing (`git fsck`).
void adopt_promisor_packs(const RepositoryPaths& paths);

/// True where these words of git's say that a promisor remote did not deliver.
bool is_promisor_failure(std::string_view words);
/// "the partial clone's remote does not deliver …"; to be thrown.
Error promisor_failure(std::string_view words);

} // namespace carry::git
