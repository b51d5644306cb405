/// Submodules that are checked out: planned with the checkout around them, by the same pipeline, and moved in its
/// transaction.
#pragma once

#include "pipeline/gitmodules.hpp"
#include "pipeline/plan.hpp"

#include <carry/error.hpp>

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
    std::vector<ParkedPatch> parked; ///< in it, before the run
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
    void add_removed(Plan& plan, const std::string& path, const git::TreeEntry& before);
    /// Those that stay where they are and in which something is set aside that finds its place now.
    void retry_parked(Plan& plan);
    /// What submodule.NAME.update says; empty: nothing.
    std::string update_mode(const std::string& path);
    void note_urls(Plan& plan);

    Workspace& m_workspace;
    const snapshot::Snapshot& m_snapshot;
    std::map<std::string, std::unique_ptr<Opened>> m_opened; ///< null: not checked out
    decltype(Plan::gitlinks) m_answers;
    std::optional<std::map<std::string, SubmoduleEntry>> m_entries; ///< of .gitmodules before
};

/// Paths of the submodules that are checked out, sorted; with `changed_only` those in which git status sees something.
std::vector<std::string> checked_out_submodules(Workspace& workspace, const snapshot::Snapshot& snapshot,
                                                bool changed_only);

/// The newest commit at or before `commit` that a remote has; null: none. Commits after it are only here.
git::ObjectId last_published(const git::Repository& repository, const git::ObjectId& commit);

/// No submodule is in conflict within itself, none that is gone upstream holds local work.
bool submodules_clean(const Plan& plan);

/// Has a submodule's plan conflicts that wait for a person under `mark`?
bool waits_when_marked(const Workspace& workspace, const Plan& plan);

/// The shares of a plan's submodules in a run, with those in them: moved from their snapshots to where their plans end.
/// With `pending` conflicts in them are marked, and what waits is added to it.
void add_submodules(std::vector<Moving>& all, const Plan& plan, const RunRecord& record,
                    std::vector<SubmodulePending>* pending = nullptr);

/// Refuses where what waits behind a commit in conflict moves a submodule of the plan: it could not wait with it.
void refuse_waiting_submodules(Workspace& workspace, const Plan& plan, const Pending& pending);

/// Is a path of the report one of a submodule of the plan?
bool is_in_submodule(const Workspace& workspace, const Plan& plan, const std::string& shown_path);

/// The entry of a submodule that ends at upstream's commit because commits in it are set aside is not `absorbed`.
/// `parked`: by the policy; in conflict otherwise.
void tell_set_aside_commits(const Workspace& workspace, const NestedCheckout& nested, bool parked, Report& report);

/// What is thrown within a submodule, as the top checkout says it: the sentence names the submodule, and the hints'
/// commands go there.
Error named_error(const Workspace& submodule, const Error& error);

/// Runs `action`; where it refuses something in a submodule, named_error() is thrown.
template <class Action>
auto within(const Workspace& workspace, Action&& action) {
    try {
        return action();
    } catch (const Error& error) {
        if (workspace.prefix().empty() || error.kind() != ErrorKind::refused)
            throw;
        throw named_error(workspace, error);
    }
}

/// The answer that was given for a finished plan, for the same chain walked again.
std::optional<git::ObjectId> planned_gitlink(const Plan& plan, Layer layer, const merge::GitlinkSides& sides);

} // namespace carry::pipeline
