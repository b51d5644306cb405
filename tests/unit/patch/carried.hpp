/// A checkout that carries something in every layer, its chain as git itself would record it, and its series.
#pragma once

#include "patch/patch.hpp"
#include "support/temp_repo.hpp"

#include <string>
#include <vector>

namespace carry::patch {

/// Trees of the layers, in the repository's own objects: written by `git write-tree` and `git add` on a copy of the
/// index.
struct LayerTrees {
    git::ObjectId staged, unstaged, untracked;
};
LayerTrees layer_trees(const test::TempRepo& repo);

/// Links for base..HEAD (first parents) and the three layers.
std::vector<LinkToWrite> links_of(const test::TempRepo& repo, const std::string& base);

std::vector<PatchFile> export_series(const test::TempRepo& repo, const std::string& base,
                                     const std::filesystem::path& directory);

/// A clean clone at `base`, in which `git am` and `git apply` are tried.
test::TempRepo clone_at(const test::TempRepo& repo, const std::string& base);
/// The tree of everything in the working tree but `patches` and quilt's `.pc`.
std::string tree_of_worktree(const test::TempRepo& repo);

} // namespace carry::patch
