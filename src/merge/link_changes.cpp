#include "merge/link_changes.hpp"

#include "git/history.hpp"

#include <algorithm>
#include <map>

namespace carry::merge {

namespace {

using ChangesByPath = std::map<std::string, LocalChange, std::less<>>;

bool is_empty_blob(git::Repository& repository, const git::TreeEntry& entry) {
    if (entry.is_gitlink())
        return false;
    const auto header = repository.objects().header(entry.id);
    return header && header->size == 0;
}

/// Turns a removal and an addition into one change where git takes them for a rename.
void pair_renames(git::Repository& repository, const git::ObjectId& before, const git::ObjectId& after,
                  ChangesByPath& changes) {
    for (const auto& rename : git::find_renames(repository.program(), before, after, true)) {
        const auto from = changes.find(rename.from);
        const auto to = changes.find(rename.to);
        if (from == changes.end() || to == changes.end() || from->second.local || to->second.base)
            continue;
        if (is_empty_blob(repository, *from->second.base))
            continue;
        to->second.old_path = rename.from;
        to->second.base = from->second.base;
        changes.erase(from);
    }
}

} // namespace

std::vector<LocalChange> link_changes(git::Repository& repository, const git::ObjectId& before,
                                      const git::ObjectId& after) {
    ChangesByPath changes;
    bool removes = false;
    bool adds = false;
    for (auto& change : repository.trees().diff(before, after)) {
        removes = removes || !change.after;
        adds = adds || !change.before;
        changes[change.path] = {change.before ? change.path : std::string{}, change.after ? change.path : std::string{},
                                change.before, change.after};
    }
    if (removes && adds)
        pair_renames(repository, before, after, changes);

    std::vector<LocalChange> result;
    result.reserve(changes.size());
    for (auto& [path, change] : changes)
        result.push_back(std::move(change));
    return result;
}

} // namespace carry::merge
