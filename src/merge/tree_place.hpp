/// What stands at a path of the tree that a link lands on.
#pragma once

#include "git/tree.hpp"

#include <optional>
#include <string_view>

namespace carry::merge {

struct TreePlace {
    std::optional<git::TreeEntry> leaf; ///< a file, link or submodule
    bool directory = false;             ///< a directory stands there
    bool below_leaf = false;            ///< a directory above it is a file, link or submodule there
    [[nodiscard]] bool obstructed() const noexcept { return directory || below_leaf; }
};

TreePlace find_place(git::TreeReader& trees, const git::ObjectId& tree, std::string_view path);

/// True where `path` cannot be a file in `tree` with `edits` laid over it: a directory stands there, or a directory
/// above it is a file.
bool is_obstructed(git::TreeReader& trees, const git::ObjectId& tree, const git::TreeEdits& edits,
                   std::string_view path);

} // namespace carry::merge
