/// The uncommitted end of a chain: staged, unstaged, untracked, ignored. Their conflicts are settled path by path.
#pragma once

#include "merge/link_changes.hpp"
#include "merge/loose_moves.hpp"
#include "merge/rebase.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace carry::merge {

/// Both names of a path whose name changed.
void add_names(std::set<std::string>& names, const PathOutcome& outcome);

/// A rebase on its way.
struct Walk {
    git::Repository& repository;
    const RebaseInput& input;
    RebasedChain result;
    /// Paths (of the old world) that a link left behind, with that link's label; by the name of the parked patch that
    /// it belongs to. What was parked before and what is carried now were made without each other.
    std::map<std::string, std::map<std::string, std::string>> left_out = {};
    /// Old world of a parked patch -> new one, by its name; it may be older than the chain's.
    std::map<std::string, PathMap> parked_maps = {};
    std::vector<LooseMove> moves = {};

    [[nodiscard]] std::set<std::string> left_out_paths(const ChainLink& link) const;
    /// The label of the earlier link that left one of the change's paths behind; empty: none did.
    [[nodiscard]] std::string needed_by(const ChainLink& link, const LocalChange& change) const;
    void leave_out(const ChainLink& link, const PathOutcome& outcome, const std::string& label);
    /// Leaves the link out before it is tried.
    void give_up(const ChainLink& link);
    /// Of the chain, or of the parked patch that the link belongs to.
    PathMap& map_of(const ChainLink& link);
    [[nodiscard]] git::MergeOptions markers(const ChainLink& link) const;
    [[nodiscard]] GitlinkMerger gitlinks(const ChainLink& link) const;
    /// What an uncommitted link made is what the later ones start from.
    void take_tree(const LinkOutcome& outcome);
};

/// Staged or unstaged.
bool is_tracked(const ChainLink& link);

/// A change that is passed over because an earlier one on its path was: its fate is parked.
PathOutcome parked_outcome(Walk& walk, const ChainLink& link, const LocalChange& change);

/// Walks `links` (uncommitted, in order) on from walk.result.head_tree, and appends their outcomes and trees. A
/// conflict keeps the path's staged and unstaged change out, together.
void walk_setting_aside(Walk& walk, const std::vector<ChainLink>& links);

/// The same for halt mode: everything goes in, with its conflicts. A path in conflict in the staged link takes along
/// what the later links did to it.
void walk_with_conflicts(Walk& walk, const std::vector<ChainLink>& links);

} // namespace carry::merge
