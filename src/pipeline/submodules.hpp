/// Submodules that are checked out: planned with the checkout around them, by the same pipeline, and moved in its
/// transaction.
#pragma once

#include "pipeline/plan.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carry::pipeline {

/// A submodule that is checked out and moves.
struct NestedCheckout {
    std::string path; ///< in the checkout around it
    std::unique_ptr<Workspace> workspace;
    snapshot::Snapshot snapshot;
    Target target; ///< the commit that the checkout around it records in the end, and what the local changes sit on
    Plan plan;
    /// Nothing is committed in it, so HEAD ends at a commit that has nothing to do with its branch: it is detached, as
    /// `git submodule update` does it.
    bool detaches = false;
};

/// Plans the submodules of one checkout. The chain asks it which commit has both sides in it where both moved one.
class SubmodulePlanner {
public:
    /// Both outlive it.
    SubmodulePlanner(Workspace& workspace, const snapshot::Snapshot& snapshot);
    ~SubmodulePlanner();
    SubmodulePlanner(const SubmodulePlanner&) = delete;
    SubmodulePlanner& operator=(const SubmodulePlanner&) = delete;

    /// As merge-ort does it: the one that contains the other. Commits that are only here and that the checkout around
    /// records nowhere yet are rebased onto upstream's. Throws Error{refused} where upstream's commit cannot be had.
    std::optional<git::ObjectId> merge(Layer layer, const merge::GitlinkSides& sides);

    /// The submodules that the chain moves, into the plan, with notes on those that come and go. Throws Error{refused}
    /// where one cannot be carried.
    void finish(Plan& plan);

private:
    struct Opened;
    Opened* open(const std::string& path);
    std::optional<git::ObjectId> merge_in(Opened& opened, Layer layer, const merge::GitlinkSides& sides);
    void plan_move(Opened& opened, const git::ObjectId& base, const git::ObjectId& onto);
    void add_moved(Plan& plan, const std::string& path, const git::ObjectId& onto);
    void add_removed(Plan& plan, const std::string& path);

    Workspace& m_workspace;
    const snapshot::Snapshot& m_snapshot;
    std::map<std::string, std::unique_ptr<Opened>> m_opened; ///< null: not checked out
    decltype(Plan::gitlinks) m_answers;
};

/// No submodule is in conflict within itself.
bool submodules_clean(const Plan& plan);

/// The shares of a plan's submodules in a run, with those in them: moved from their snapshots to where their plans end.
void add_submodules(std::vector<Moving>& all, const Plan& plan, const std::string& command);

/// The answer that was given for a finished plan, for the same chain walked again.
std::optional<git::ObjectId> planned_gitlink(const Plan& plan, Layer layer, const merge::GitlinkSides& sides);

} // namespace carry::pipeline
