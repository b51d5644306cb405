/// The uncommitted end of a chain: staged, unstaged, untracked, ignored. Their conflicts are settled path by path.
#pragma once

#include "merge/link_changes.hpp"
#include "merge/rebase.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace carry::merge {

/// A rebase on its way.
struct Walk {
    git::Repository& repository;
    const RebaseInput& input;
    RebasedChain result;
    /// Paths (of the old world) that an earlier link left behind, with that link's label.
    std::map<std::string, std::string> left_out;

    [[nodiscard]] std::set<std::string> left_out_paths() const;
    /// The label of the link that left one of the change's paths behind; empty: none did.
    [[nodiscard]] std::string left_out_by(const LocalChange& change) const;
    void leave_out(const PathOutcome& outcome, const std::string& label);
    [[nodiscard]] git::MergeOptions markers(const ChainLink& link) const;
};

/// A change that is passed over because an earlier one on its path was: its fate is parked.
PathOutcome parked_outcome(Walk& walk, const LocalChange& change);

/// Walks `links` (uncommitted, in order) on from walk.result.head_tree, and appends their outcomes and trees. A
/// conflict keeps the path's staged and unstaged change out, together.
void walk_setting_aside(Walk& walk, const std::vector<ChainLink>& links);

/// The same for halt mode: everything goes in, with its conflicts. A path in conflict in the staged link takes along
/// what the later links did to it.
void walk_with_conflicts(Walk& walk, const std::vector<ChainLink>& links);

} // namespace carry::merge
