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

void sum_up(PathOutcome& outcome) {
    if (outcome.conflict) {
        outcome.fate = Fate::conflict;
        return;
    }
    const auto any = [&](Fate fate) {
        return std::ranges::any_of(outcome.hunks, [fate](const HunkOutcome& hunk) { return hunk.fate == fate; });
    };
    const bool decided = any(Fate::resolved); // also where nothing of it is left
    if ((outcome.fate == Fate::absorbed && !decided) || outcome.new_path.empty())
        return;
    outcome.fate = decided ? Fate::resolved : any(Fate::merged) ? Fate::merged : Fate::kept;
    if (outcome.new_path == outcome.path)
        return;
    if (!decided)
        outcome.fate = Fate::moved;
    for (auto& hunk : outcome.hunks) {
        if (hunk.fate == Fate::kept)
            hunk.fate = Fate::moved;
    }
}

bool touches(const std::set<std::string>& paths, const LocalChange& change) {
    return (!change.path.empty() && paths.contains(change.path)) ||
           (!change.old_path.empty() && paths.contains(change.old_path));
}

LinkMerge merge_link(git::Repository& repository, const LinkMergeInput& input) {
    return merge_changes(repository, input, link_changes(repository, input.before, input.after));
}

} // namespace carry::merge
