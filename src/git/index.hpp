/// The index: its entries with all their flags, and a changed copy of it made by git itself.
#pragma once

#include "git/object_id.hpp"
#include "git/program.hpp"
#include "git/tree.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carry::git {

/// Paths with flags that hide edits or sparse files (`git ls-files -v -z`).
struct IndexFlags {
    std::vector<std::string> skip_worktree;
    std::vector<std::string> assume_unchanged;
};
IndexFlags read_index_flags(const Program& program);

/// Stages of an unmerged path, 1 to 3; absent ones are nothing.
struct UnmergedEntry {
    std::optional<TreeEntry> base, ours, theirs;
};

/// What a new index has that the old one has not.
struct IndexEdits {
    TreeEdits entries;                             ///< stage 0; nothing removes the path
    std::map<std::string, UnmergedEntry> unmerged; ///< written as stages 1-3, stage 0 removed
    std::vector<std::string> intent_to_add;        ///< entries to set as `git add -N` does
    std::vector<std::string> skip_worktree;        ///< flags to set again on entries that were replaced
    std::vector<std::string> assume_unchanged;
    [[nodiscard]] bool empty() const {
        return entries.empty() && unmerged.empty() && intent_to_add.empty() && skip_worktree.empty() &&
               assume_unchanged.empty();
    }
};

/// Bytes of an index that is the file `index` (or an empty one where it does not exist) with `edits` laid over it;
/// entries that it does not name keep their stat data and flags. Made by `git update-index -z --index-info` and its kin
/// on a copy (GIT_INDEX_FILE) below <gitdir>/carry; a split index comes out whole. The objects that it
/// names need only be in the private object directory; the empty blob of intent-to-add entries is written into the
/// repository. Flags of paths that the edits remove or leave unmerged are passed over. Throws Error{failed} where git
/// fails.
std::string edit_index(const Program& program, const std::filesystem::path& index, const IndexEdits& edits);

} // namespace carry::git
