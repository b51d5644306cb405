/// What one link of the chain changes, with its own renames paired.
#pragma once

#include "git/repository.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carry::merge {

/// One path's change. Paths are the link's own: `old_path` in its parent (empty: added), `path` in it (empty: deleted).
struct LocalChange {
    std::string old_path, path;
    std::optional<git::TreeEntry> base, local;
    /// A deletion of what lives on as an untracked file: upstream's changes go there, and are no conflict here.
    std::string moved_to = {};
    /// An addition of what was deleted before (the other half).
    struct Origin {
        std::string path;
        std::optional<git::TreeEntry> base, upstream;
    };
    std::optional<Origin> origin = {};
    [[nodiscard]] bool rename() const { return !old_path.empty() && !path.empty() && old_path != path; }
};

/// Sorted by the path that a person knows it by. git's rename detection runs only where something was removed and
/// something added; an empty file is never taken for another empty file.
std::vector<LocalChange> link_changes(git::Repository& repository, const git::ObjectId& before,
                                      const git::ObjectId& after);

} // namespace carry::merge
