#include "pipeline/policy.hpp"

#include "pipeline/remember.hpp"

#include <algorithm>
#include <set>

namespace carry::pipeline {

namespace {

using merge::PathOutcome;
using merge::RebasedChain;

/// Local files that were only carried along keep their very bytes (line endings that git would not have written).
std::map<std::string, git::ObjectId> known_raw_bytes(const snapshot::Snapshot& snapshot, const RebasedChain& chain) {
    std::map<std::string, git::ObjectId> raw;
    for (const auto& link : chain.links)
        for (const auto& outcome : link.merge.paths) {
            if (!outcome.merged || !outcome.local || outcome.merged->id != outcome.local->id ||
                outcome.new_path.empty())
                continue;
            const auto found = snapshot.raw.find(outcome.path);
            if (found != snapshot.raw.end())
                raw[outcome.new_path] = found->second;
            else if (snapshot.stamps.count(outcome.path))
                raw[outcome.new_path] = outcome.local->id;
        }
    return raw;
}

const std::string& landing_path(const PathOutcome& outcome) {
    return outcome.new_path.empty() ? outcome.display_path() : outcome.new_path;
}

bool is_beyond_the_index(Layer layer) {
    return layer == Layer::untracked || layer == Layer::ignored;
}

/// Collects the conflicts of uncommitted links; the first on a path wins.
void mark_layers(const RebasedChain& chain, Marked& marked, git::TreeEdits& files) {
    for (const auto& link : chain.links) {
        for (const auto& outcome : link.merge.paths) {
            const auto path = landing_path(outcome);
            const auto earlier = marked.landing.unmerged.find(path);
            if (earlier != marked.landing.unmerged.end()) {
                // Removed from the index and kept on disk: the file is the user's, the question is only whether it is
                // tracked.
                if (is_beyond_the_index(link.link.layer) && !earlier->second.theirs)
                    marked.landing.untouched.push_back(path);
                continue;
            }
            if (!outcome.conflict || link.link.layer == Layer::commit)
                continue;
            marked.landing.unmerged[path] = outcome.conflict->stages;
            files[path] = outcome.conflict->marked;
            marked.pending.paths.push_back({path, link.link.layer});
            note_conflict(marked.pending, path, *outcome.conflict);
        }
    }
}

/// Untracked files that are in nobody's way stay on disk, the user's own to change meanwhile; what waits does not bring
/// them again.
void leave_in_place(git::TreeReader& trees, const snapshot::Snapshot& snapshot, const git::ObjectId& tree,
                    Marked& marked, git::TreeEdits& files) {
    git::TreeEdits left;
    for (const auto& change : trees.diff(snapshot.unstaged_tree, snapshot.untracked_tree))
        if (change.after && !files.count(change.path) && !trees.find(tree, change.path)) {
            files[change.path] = change.after;
            left[change.path] = std::nullopt;
        }
    for (auto& link : marked.pending.links)
        if (is_beyond_the_index(link.layer)) {
            link.before = trees.edit(link.before, left);
            link.after = trees.edit(link.after, left);
        }
}

/// A commit in conflict: its clean paths are staged, the others marked; the uncommitted layers wait in the snapshot,
/// but for untracked files, which stay where they are.
void mark_commit(Workspace& workspace, const snapshot::Snapshot& snapshot, const RebasedChain& chain, Marked& marked,
                 bool first) {
    auto& trees = workspace.repository().trees();
    const auto& halted = chain.links.back();
    marked.landing.staged_tree = halted.merge.tree;
    git::TreeEdits files;
    for (const auto& outcome : halted.merge.paths) {
        if (!outcome.conflict)
            continue;
        const auto path = landing_path(outcome);
        marked.landing.unmerged[path] = outcome.conflict->stages;
        files[path] = outcome.conflict->marked;
        marked.pending.paths.push_back({path, Layer::commit});
        note_conflict(marked.pending, path, *outcome.conflict);
    }
    if (first)
        leave_in_place(trees, snapshot, halted.merge.tree, marked, files);
    marked.landing.end_tree = trees.edit(halted.merge.tree, files);
}

} // namespace

std::vector<std::string> moved_intent_to_add(const std::vector<std::string>& paths, const RebasedChain& chain) {
    std::vector<std::string> result;
    for (const auto& path : paths)
        for (const auto& link : chain.links)
            for (const auto& outcome : link.merge.paths)
                if (link.link.layer == Layer::unstaged && outcome.path == path && outcome.old_path.empty() &&
                    outcome.merged && outcome.fate != Fate::absorbed && !link.set_aside_paths.count(path))
                    result.push_back(landing_path(outcome));
    return result;
}

Landing land_chain(const snapshot::Snapshot& snapshot, const RebasedChain& chain) {
    Landing landing;
    landing.head = chain.head;
    landing.staged_tree = chain.staged_tree;
    landing.end_tree = chain.untracked_tree;
    landing.intent_to_add = moved_intent_to_add(snapshot.intent_to_add, chain);
    landing.raw = known_raw_bytes(snapshot, chain);
    return landing;
}

Landing land_plan(const snapshot::Snapshot& snapshot, const Plan& plan) {
    auto landing = land_chain(snapshot, plan.chain);
    landing.untouched = plan.released;
    return landing;
}

Marked mark_conflicts(Workspace& workspace, const snapshot::Snapshot& snapshot, const RebasedChain& chain,
                      const std::vector<merge::ChainLink>& links, bool first) {
    Marked marked;
    marked.landing = land_chain(snapshot, chain);
    if (chain.halted) {
        marked.landing.intent_to_add.clear();
        marked.pending.links.assign(links.begin() + static_cast<std::ptrdiff_t>(chain.links.size() - 1), links.end());
        marked.halted = chain.links.back().link.commit;
        mark_commit(workspace, snapshot, chain, marked, first);
        return marked;
    }
    git::TreeEdits files;
    mark_layers(chain, marked, files);
    marked.landing.end_tree = workspace.repository().trees().edit(chain.untracked_tree, files);
    marked.pending.staged_tree = chain.staged_tree;
    marked.pending.intent_to_add = marked.landing.intent_to_add;
    return marked;
}

} // namespace carry::pipeline
