#include "pipeline/index_plan.hpp"

#include <set>

namespace carry::pipeline {

namespace {

/// Intent-to-add entries stay as they are unless their file went elsewhere or upstream has the path now.
void plan_intent_to_add(git::Repository& repository, const snapshot::Snapshot& snapshot, const Landing& landing,
                        git::IndexEdits& edits) {
    const std::set<std::string> before(snapshot.intent_to_add.begin(), snapshot.intent_to_add.end());
    const std::set<std::string> after(landing.intent_to_add.begin(), landing.intent_to_add.end());
    for (const auto& path : before)
        if (!after.count(path) && !edits.entries.count(path) && !edits.unmerged.count(path) &&
            !repository.trees().find(landing.staged_tree, path))
            edits.entries[path] = std::nullopt;
    for (const auto& path : after)
        if (!before.count(path))
            edits.intent_to_add.push_back(path);
}

/// Replaced entries lose their flags; they return where the file is still what the flag hides.
void plan_flags(const std::vector<std::string>& flagged, const git::IndexEdits& edits,
                std::vector<std::string>& again) {
    for (const auto& path : flagged) {
        const auto edit = edits.entries.find(path);
        if (edit != edits.entries.end() && edit->second)
            again.push_back(path);
    }
}

} // namespace

git::IndexEdits plan_index(git::Repository& repository, const snapshot::Snapshot& snapshot, const Landing& landing,
                           const std::set<std::string>& left_out) {
    git::IndexEdits edits;
    for (const auto& change : repository.trees().diff(snapshot.staged_tree, landing.staged_tree))
        edits.entries[change.path] = change.after;
    for (const auto& [path, entry] : landing.unmerged) {
        edits.entries.erase(path);
        edits.unmerged[path] = entry;
    }
    // A path that was unmerged and is settled now: the trees agree on it, the index does not.
    for (const auto& unmerged : snapshot.status.unmerged)
        if (!edits.unmerged.count(unmerged.path) && !edits.entries.count(unmerged.path))
            edits.entries[unmerged.path] = repository.trees().find(landing.staged_tree, unmerged.path);
    plan_intent_to_add(repository, snapshot, landing, edits);
    plan_flags(snapshot.flags.skip_worktree, edits, edits.skip_worktree);
    // a file that was not there and is now would hide what it holds
    std::erase_if(edits.skip_worktree,
                  [&](const std::string& path) { return left_out.contains(path) || !snapshot.stamps.contains(path); });
    edits.skip_worktree.insert(edits.skip_worktree.end(), left_out.begin(), left_out.end());
    plan_flags(snapshot.flags.assume_unchanged, edits, edits.assume_unchanged);
    return edits;
}

} // namespace carry::pipeline
