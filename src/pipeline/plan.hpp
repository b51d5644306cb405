/// The plan: the complete predicted result, computed away from the checkout. Writes objects into the private directory
/// and nothing else.
#pragma once

#include "merge/rebase.hpp"
#include "pipeline/landing.hpp"
#include "pipeline/parked.hpp"
#include "pipeline/target.hpp"
#include "snapshot/capture.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace carry::pipeline {

struct NestedCheckout;

struct Plan {
    std::vector<merge::ChainLink>
        links; ///< everything carried, oldest first; patches that were parked before and are tried again among them
    merge::RebasedChain chain; ///< with every conflict set aside
    git::ObjectId onto;        ///< where the links land, if not on the target: HEAD, where upstream has nothing new
    /// Edited files that upstream stopped tracking and ignores now: they stay on disk as they are, and leave the index.
    std::vector<std::string> released;
    std::size_t local_commits = 0;    ///< on the base, merges included
    bool integrates_by_merge = false; ///< upstream is merged into the branch instead of rebasing it
    std::vector<std::string> notes;
    std::vector<Warning> warnings;
    std::vector<NestedCheckout> nested; ///< submodules that move as well, in path order
    /// Submodules that upstream removed and that hold local work, as conflicts: they stay on disk.
    std::vector<merge::PathOutcome> abandoned;
    /// Commits of submodules that both sides moved and that were merged, by the link's layer and the sides.
    std::map<std::tuple<Layer, std::string, git::ObjectId, git::ObjectId, git::ObjectId>, git::ObjectId> gitlinks;

    Plan();
    Plan(Plan&&) noexcept;
    Plan& operator=(Plan&&) noexcept;
    ~Plan();
    /// With all submodules.
    [[nodiscard]] bool clean() const;
};

/// Captures what is in upstream's way as well (so `snapshot` grows), then merges.
Plan make_plan(Workspace& workspace, snapshot::Snapshot& snapshot, const Target& target,
               const std::vector<ParkedPatch>& parked);

/// The checkout, its submodules and what is set aside stay as they are; `parked` was there before.
bool changes_nothing(Workspace& workspace, const snapshot::Snapshot& snapshot, const Plan& plan,
                     const std::vector<ParkedPatch>& parked);

/// The links of everything carried on `base`, without parked ones.
std::vector<merge::ChainLink> chain_links(Workspace& workspace, const snapshot::Snapshot& snapshot,
                                          const Target& target, Plan& plan);

git::ConflictStyle conflict_style(const Settings& settings);

/// Labels for conflict markers, style from the settings.
git::MergeOptions marker_options(const Settings& settings, const Target& target);

/// Rebased commits' committer line: the configured identity, now; empty where none is configured (each keeps its own).
std::string committer_line(Workspace& workspace);

} // namespace carry::pipeline
