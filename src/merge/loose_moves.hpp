/// Tracked files that were moved without git being told ("mv a b"): gone from a tracked link, and new, under another
/// name, in the untracked one. What upstream changed in such a file goes where the file went.
#pragma once

#include "git/repository.hpp"
#include "merge/link_changes.hpp"
#include "merge/rebase.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carry::merge {

struct LooseMove {
    std::string from, to;
    std::optional<git::TreeEntry> base;     ///< what was moved
    std::optional<git::TreeEntry> upstream; ///< upstream's version of it; known once its deletion is `settled`
    bool settled = false;
    bool failed = false; ///< upstream's changes do not go together with those in the moved file
};

/// By git's rename detection, and only for files that upstream changed: the others need no merge. `head_tree` is what
/// the links (uncommitted, in order) land on.
std::vector<LooseMove> find_loose_moves(git::Repository& repository, const git::ObjectId& head_tree, const PathMap& map,
                                        const std::vector<ChainLink>& links);

/// Marks the link's changes that are halves of a move. A move whose deletion is not settled is none.
void announce_moves(const std::vector<LooseMove>& moves, const ChainLink& link, std::vector<LocalChange>& changes);

/// Takes down what became of the halves.
void note_moves(std::vector<LooseMove>& moves, const ChainLink& link, const LinkMerge& merge);

} // namespace carry::merge
