#include "snapshot/hidden_edits.hpp"

namespace carry::snapshot {

std::map<std::string, git::TreeEntry> flagged_files(WorktreeReader& reader, git::TreeReader& trees,
                                                    const git::ObjectId& staged_tree, const git::IndexFlags& flags) {
    std::map<std::string, git::TreeEntry> present;
    for (const auto* list : {&flags.skip_worktree, &flags.assume_unchanged}) {
        for (const auto& path : *list) {
            if (path.empty() || path.ends_with('/') || !reader.status(path))
                continue;
            const auto entry = trees.find(staged_tree, path);
            if (entry && (entry->is_regular() || entry->is_link()))
                present.emplace(path, *entry);
        }
    }
    return present;
}

} // namespace carry::snapshot
