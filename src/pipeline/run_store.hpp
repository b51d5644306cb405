/// The runs on disk: one directory a run below <gitdir>/carry/runs, with its record, snapshot, patches, transaction and
/// report.
#pragma once

#include "git/object_id.hpp"
#include "git/program.hpp"
#include "merge/rebase.hpp"
#include "transaction/transition.hpp"

#include <carry/report.hpp>
#include <carry/words.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace carry::pipeline {

/// Where a run stands. A crash in `open` changed nothing; one in `applying` is settled by the journal; one in
/// `verifying` is rolled back.
enum class RunState { open, applying, verifying, done, waiting, stopped, rolled_back };
std::string_view to_string(RunState state);

/// A path of a marked run that waits for a person, and the layer to put it back into.
struct PendingPath {
    std::string path;
    Layer layer = Layer::unstaged;
};

/// A file in conflict as it was marked, so that what a person makes of it can be remembered. Blobs.
struct PendingConflict {
    std::string path;
    git::ObjectId base, upstream, local; ///< base: null where both sides added it
    git::ObjectId marked;
    unsigned short marker_size = 7;
};

struct SubmodulePending;

/// What `continue` has to know beside the first run's snapshot.
struct Pending {
    std::string origin;         ///< the run whose snapshot is the state before everything: abort goes there
    git::ObjectId base, target; ///< of the upgrade
    std::vector<merge::ChainLink>
        links; ///< the commit in conflict, then what waits for it; empty: the uncommitted layers wait
    std::vector<PendingPath> paths;
    std::vector<PendingConflict> conflicts; ///< those of `paths` that hold markers
    git::ObjectId staged_tree;              ///< what the index shall hold in the end (layers)
    std::vector<std::string> intent_to_add;
    std::vector<std::pair<git::ObjectId, git::ObjectId>> rewritten; ///< commits that have landed: old and new id
    std::vector<SubmodulePending> submodules;                       ///< those that wait as well
};

/// The same of a submodule.
struct SubmodulePending {
    std::string path; ///< in the checkout around it
    Pending pending;
};

/// run.json.
struct RunRecord {
    std::string id;
    std::string command;
    RunState state = RunState::open;
    RunState lands_as = RunState::done; ///< what `applying` becomes when the transaction is completed
    std::int64_t time = 0;
    int exit_code = 0;
    git::ObjectId old_head, new_head;
    std::string target_name;          ///< "origin/main"
    std::vector<std::string> settles; ///< an undo: ids of the waiting runs that end with it
    std::optional<Pending> pending;
    bool changed = false; ///< something in the checkout was moved
    bool parked = false;  ///< it set patches aside: kept by retention
};

class RunStore {
public:
    explicit RunStore(git::RepositoryPaths paths);
    /// The share that the submodule at `path` has in the runs of this checkout: the records are this one's, snapshot,
    /// patches and transaction lie in `submodules/PATH` of each run's directory, and the root is the submodule's own.
    [[nodiscard]] RunStore nested(git::RepositoryPaths paths, const std::string& path) const;
    /// Paths of the submodules that have a share in a run, sorted; those in them are not among them.
    [[nodiscard]] std::vector<std::string> submodules(const std::string& id) const;

    [[nodiscard]] std::filesystem::path root() const; ///< <gitdir>/carry
    [[nodiscard]] std::filesystem::path directory(const std::string& id) const;

    /// A new directory (0700) with its record in state `open`.
    RunRecord create(const std::string& command, std::int64_t time);
    void save(const RunRecord& record);
    /// Throws Error{usage} where there is no such run.
    [[nodiscard]] RunRecord load(const std::string& id) const;
    /// Removes the directory; a run that found nothing to do leaves no record.
    void discard(const std::string& id);

    /// Oldest first; directories without a readable record are passed over.
    [[nodiscard]] std::vector<RunRecord> all() const;
    /// Id of the one run that starts with `prefix`. Throws Error{usage} for none or several.
    [[nodiscard]] std::string find(const std::string& prefix) const;
    /// The newest run that changed the checkout.
    [[nodiscard]] std::optional<RunRecord> last_changed() const;

    /// The run that waits for a person (file `current`).
    [[nodiscard]] std::optional<std::string> current() const;
    void set_current(const std::optional<std::string>& id);

    void save_moves(const std::string& id, const std::vector<transaction::CheckoutMove>& moves);
    [[nodiscard]] std::vector<transaction::CheckoutMove> load_moves(const std::string& id) const; ///< none recorded: {}
    /// With those of the submodules; this checkout's first.
    [[nodiscard]] std::vector<transaction::CheckoutMove> load_all_moves(const std::string& id) const;
    void save_report(const std::string& id, const Report& report);
    [[nodiscard]] std::optional<Report> load_report(const std::string& id) const;

    /// The commit that upstream was at when `upstream` was last upgraded to: the base of last resort in a shallow
    /// clone.
    [[nodiscard]] std::optional<git::ObjectId> last_base(const std::string& branch) const;
    void set_last_base(const std::string& branch, const git::ObjectId& id);

private:
    git::RepositoryPaths m_paths;
    std::filesystem::path m_runs;  ///< directories of all runs
    std::filesystem::path m_share; ///< below each of them; empty: all of it
};

} // namespace carry::pipeline
