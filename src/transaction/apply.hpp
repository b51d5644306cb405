/// The transaction: the only code that writes to a checkout. Prepare, one commit record, move; see
/// docs/architecture.md.
#pragma once

#include "git/repository.hpp"
#include "transaction/transition.hpp"

#include <carry/progress.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace carry::transaction {

/// One checkout to move, and the store its contents are read from (both outlive the transaction).
struct Participant {
    CheckoutMove move;
    git::ObjectStore* store = nullptr;
    git::ObjectFormat format = git::ObjectFormat::sha1;
};

struct ApplyOptions {
    std::string run; ///< id, kept in the journal
    /// Called at named steps ("index-locked", "temporaries-written", "refs-prepared", "committed", "moved:<n>",
    /// "index-moved", "refs-moved"): for fault injection and tests. May throw before "committed".
    std::function<void(std::string_view step)> at_step = {};
    ProgressCallback progress = {};
    /// For file systems that get RENAME_EXCHANGE and RENAME_NOREPLACE wrong; those that refuse them are found out.
    bool plain_renames = false;
};

/// Moves all of them or none. `journal_dir` is the first checkout's <gitdir>/carry. Throws Error{failed} with the
/// checkout as it was (disk full, a path changed since it was read: "'app.txt' was changed while the run was being
/// planned", somebody's index.lock, a ref that moved), or Error{needs_person} where it could not be brought back
/// without overwriting somebody's bytes. Equal bytes are never rewritten: transitions whose states are equal are
/// skipped.
void apply(const std::vector<Participant>& participants, const std::filesystem::path& journal_dir,
           const ApplyOptions& options = {});

/// What is on disk at a path, with its raw bytes stored (written to the store unless it is there), for the `before` of
/// a transition. Directories count as absent.
FileState read_state(const git::RepositoryPaths& paths, const std::string& path, git::ObjectStore& store);

} // namespace carry::transaction
