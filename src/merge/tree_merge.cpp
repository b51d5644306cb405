#include "merge/tree_merge.hpp"

#include "merge/change_merge.hpp"

#include <algorithm>

namespace carry::merge {

std::string PathOutcome::change() const {
    if ((base && base->is_gitlink()) || (local && local->is_gitlink()))
        return "submodule";
    if (old_path.empty())
        return "added";
    if (path.empty())
        return "deleted";
    if (local_rename)
        return "renamed";
    if (base && local && base->is_link() != local->is_link())
        return "type";
    if (base && local && base->id == local->id)
        return "mode";
    return binary ? "binary" : "modified";
}

bool LinkMerge::clean() const {
    return std::none_of(paths.begin(), paths.end(), [](const PathOutcome& path) { return path.conflict.has_value(); });
}

LinkMerge merge_link(git::Repository& repository, const LinkMergeInput& input) {
    return merge_changes(repository, input, link_changes(repository, input.before, input.after));
}

} // namespace carry::merge
