#include "merge/loose_moves.hpp"

#include "git/history.hpp"
#include "merge/tree_place.hpp"

#include <algorithm>

namespace carry::merge {

namespace {

bool is_tracked_now(const ChainLink& link) {
    return link.parked_name.empty() && (link.layer == Layer::staged || link.layer == Layer::unstaged);
}

bool is_untracked_now(const ChainLink& link) {
    return link.parked_name.empty() && link.layer == Layer::untracked;
}

} // namespace

std::vector<LooseMove> find_loose_moves(git::Repository& repository, const git::ObjectId& head_tree, const PathMap& map,
                                        const std::vector<ChainLink>& links) {
    auto& trees = repository.trees();
    git::TreeEdits removed;
    git::TreeEdits added;
    for (const auto& link : links) {
        for (const auto& change : trees.diff(link.before, link.after)) {
            if (is_tracked_now(link) && !change.after) {
                const auto upstream = find_place(trees, head_tree, map.map(change.path)).leaf;
                if (upstream && upstream != change.before && !map.moved(change.path))
                    removed[change.path] = change.before;
            } else if (is_tracked_now(link)) {
                removed.erase(change.path);
            } else if (is_untracked_now(link) && !change.before) {
                added[change.path] = change.after;
            }
        }
    }
    std::vector<LooseMove> moves;
    if (removed.empty() || added.empty())
        return moves;
    for (auto& rename : git::find_renames(repository.program(), trees.edit({}, removed), trees.edit({}, added), true)) {
        LooseMove move;
        move.base = removed[rename.from];
        move.from = std::move(rename.from);
        move.to = std::move(rename.to);
        moves.push_back(std::move(move));
    }
    return moves;
}

void announce_moves(const std::vector<LooseMove>& moves, const ChainLink& link, std::vector<LocalChange>& changes) {
    for (auto& change : changes) {
        for (const auto& move : moves) {
            if (is_tracked_now(link) && change.path.empty() && change.old_path == move.from)
                change.moved_to = move.to;
            if (is_untracked_now(link) && change.old_path.empty() && change.path == move.to && move.settled)
                change.origin = {move.from, move.base, move.upstream};
        }
    }
}

void note_moves(std::vector<LooseMove>& moves, const ChainLink& link, const LinkMerge& merge) {
    for (auto& move : moves) {
        for (const auto& path : merge.paths) {
            if (is_tracked_now(link) && path.path.empty() && path.old_path == move.from) {
                move.settled = !path.conflict;
                move.upstream = path.upstream;
            } else if (is_untracked_now(link) && path.path == move.to && path.conflict) {
                move.failed = true;
            }
        }
    }
}

} // namespace carry::merge
