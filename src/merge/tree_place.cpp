#include "merge/tree_place.hpp"

#include <algorithm>
#include <string>

namespace carry::merge {

namespace {

/// The directories above `path`, topmost first.
template <typename Visit>
bool any_directory_above(std::string_view path, Visit visit) {
    for (auto slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
        if (visit(path.substr(0, slash)))
            return true;
    }
    return false;
}

bool is_leaf_after(git::TreeReader& trees, const git::ObjectId& tree, const git::TreeEdits& edits,
                   std::string_view path) {
    if (const auto edit = edits.find(path); edit != edits.end())
        return edit->second.has_value();
    const auto entry = trees.find(tree, path);
    return entry && !entry->is_tree();
}

} // namespace

TreePlace find_place(git::TreeReader& trees, const git::ObjectId& tree, std::string_view path) {
    TreePlace place;
    if (auto entry = trees.find(tree, path)) {
        place.directory = entry->is_tree();
        if (!place.directory)
            place.leaf = *entry;
        return place;
    }
    place.below_leaf = any_directory_above(path, [&](std::string_view directory) {
        const auto entry = trees.find(tree, directory);
        return entry && !entry->is_tree();
    });
    return place;
}

bool is_obstructed(git::TreeReader& trees, const git::ObjectId& tree, const git::TreeEdits& edits,
                   std::string_view path) {
    if (any_directory_above(path,
                            [&](std::string_view directory) { return is_leaf_after(trees, tree, edits, directory); }))
        return true;

    const std::string below = std::string(path) + '/';
    for (auto edit = edits.lower_bound(below); edit != edits.end() && edit->first.starts_with(below); ++edit) {
        if (edit->second)
            return true;
    }
    const auto entry = trees.find(tree, path);
    if (!entry || !entry->is_tree())
        return false;
    const auto leaves = trees.leaves(tree, path);
    return std::any_of(leaves.begin(), leaves.end(),
                       [&](const auto& leaf) { return edits.find(leaf.first) == edits.end(); });
}

} // namespace carry::merge
