#include "pipeline/checked_out.hpp"

#include "base/directory.hpp"
#include "git/sparse.hpp"

namespace carry::pipeline {

std::set<std::string> paths_left_out(Workspace& workspace, const snapshot::Snapshot& snapshot, const Landing& landing) {
    auto& repository = workspace.repository();
    const auto& flagged_paths = snapshot.flags.skip_worktree;
    const bool sparse = repository.capabilities().sparse_checkout;
    if (!sparse && flagged_paths.empty())
        return {};
    auto& trees = repository.trees();
    const std::set<std::string> flagged(flagged_paths.begin(), flagged_paths.end());
    DirectoryTree directories(repository.paths().worktree);
    std::set<std::string> left_out;
    std::vector<std::string> brought;
    for (const auto& change : trees.diff(snapshot.staged_tree, landing.staged_tree)) {
        if (!change.after || landing.unmerged.contains(change.path) || directories.status(change.path) ||
            trees.find(landing.end_tree, change.path) != change.after)
            continue;
        if (!change.before)
            brought.push_back(change.path);
        else if (flagged.contains(change.path))
            left_out.insert(change.path);
    }
    if (sparse)
        left_out.merge(git::outside_sparse_checkout(repository.program(), repository.objects(), brought));
    return left_out;
}

} // namespace carry::pipeline
