/// secure and apply: from a planned end state to one transaction, with everything stored that it replaces.
#pragma once

#include "pipeline/workspace.hpp"
#include "snapshot/capture.hpp"
#include "transaction/apply.hpp"
#include "transaction/transition.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carry::pipeline {

/// The end state of a plan: HEAD, index and working tree each take their link of the new chain.
struct Landing {
    git::ObjectId head;                                 ///< commit
    git::ObjectId staged_tree;                          ///< the index, stage 0
    git::ObjectId end_tree;                             ///< the working tree: tracked and untracked files
    std::map<std::string, git::UnmergedEntry> unmerged; ///< stages 1-3 of marked conflicts
    std::vector<std::string> intent_to_add;             ///< entries that shall be intent-to-add
    std::map<std::string, git::ObjectId> raw; ///< raw bytes to write where they are known (local files that only moved)
    std::vector<git::ObjectId> index_objects; ///< what the index names besides, for the repository to have
    std::vector<std::string> untouched;       ///< paths whose file on disk stays as it is, whatever the trees say
    bool detaches = false;                    ///< HEAD leaves its branch, which stays where it is
};

/// One checkout's share in a run: the top one, or a submodule.
struct Moving {
    Workspace* workspace = nullptr;
    const snapshot::Snapshot* snapshot = nullptr;
    git::ObjectId base, upstream; ///< commits to keep for people; may be null
    Landing landing;
    transaction::CheckoutMove move = {};
};

/// A tree's entry as a file on disk with these raw bytes.
transaction::FileState state_of(const git::TreeEntry& entry, const git::ObjectId& content);

/// A submodule that is not checked out is an empty directory.
void plan_submodule_directories(const std::vector<git::TreeChange>& changes, transaction::CheckoutMove& move);

/// The move from the snapshot to the landing. Reads what is on disk at each path that changes and stores it (secure);
/// converts new contents as git would (smudge) and stores them. Throws Error{refused} where a path on disk is not what
/// the snapshot saw.
transaction::CheckoutMove plan_move(Workspace& workspace, const snapshot::Snapshot& snapshot, const Landing& landing,
                                    const std::string& reflog_message);

/// Records the snapshot of each in the run, makes everything that undoing it needs independent of the repository's own
/// objects (git gc), and keeps the old commits by refs/carry/<run>/….
void secure_run(const RunRecord& record, const std::vector<Moving>& all);

/// Publishes what each new HEAD and index need, then moves all of them in one transaction; the first is the top
/// checkout. The record goes from `open` over `applying` to `lands_as`.
void land(Workspace& workspace, RunRecord& record, const std::vector<Moving>& all);

} // namespace carry::pipeline
