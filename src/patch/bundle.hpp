/// A commit in git's own container, for what a mail cannot carry.
#pragma once

#include "git/repository.hpp"

#include <filesystem>

namespace carry::patch {

/// The name under which a bundle holds its commit: `git fetch FILE refs/heads/carried`.
inline constexpr const char* bundle_ref = "refs/heads/carried";

/// base..commit as a bundle that needs `base` (null: needs nothing), without a ref in the repository that `git bundle
/// create` would ask for.
void write_bundle(git::Repository& repository, const git::ObjectId& base, const git::ObjectId& commit,
                  const std::filesystem::path& file);

} // namespace carry::patch
