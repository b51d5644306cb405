/// The write-ahead file of a transaction: everything that has to be known after a crash, on disk before it is needed.
#pragma once

#include "transaction/transition.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace carry::transaction {

/// How far it has come. A phase is on disk before the first act that belongs to it.
enum class Phase {
    preparing,   ///< nothing of the checkout has changed; only what is named here has been made
    committed,   ///< the point of no return is passed: to be finished
    reversing,   ///< it could not be finished: to be brought back
    completed,   ///< everything is new; only what was displaced is left to be removed
    rolled_back, ///< everything is old; as above
};

/// A directory that makes way for a file, and how it has to look where it is made again.
struct ClearedDirectory {
    std::string path;
    mode_t mode = 0;
    uid_t uid = 0;
    gid_t gid = 0;
    friend bool operator==(const ClearedDirectory&, const ClearedDirectory&) = default;
};

/// A lock file that was ours; the inode proves it after a crash. 0: it was not there yet when this was written.
struct LockFile {
    std::string path;
    std::uint64_t inode = 0;
    friend bool operator==(const LockFile&, const LockFile&) = default;
};

/// What moving one checkout makes on the way. Paths are relative to the worktree.
struct CheckoutLayout {
    std::vector<std::string> temporaries;     ///< one for each transition, by position
    std::vector<std::string> new_directories; ///< to be made, parents first
    std::vector<ClearedDirectory> cleared;    ///< to be removed before a file takes the name, deepest first
    std::vector<LockFile> ref_locks;
    /// Paths that somebody changed while it moved. They keep those bytes when everything else is brought back.
    std::vector<std::string> changed;
    bool index_changed = false; ///< the same for the index
};

struct Journal {
    Phase phase = Phase::preparing;
    std::string run;
    std::string token; ///< part of the name of every file that is made
    std::vector<CheckoutMove> moves;
    std::vector<CheckoutLayout> layouts; ///< one for each move
};

std::string serialize(const Journal& journal);
/// Throws Error{failed} on anything that is not exactly what serialize() wrote.
Journal parse_journal(std::string_view text);

std::filesystem::path journal_path(const std::filesystem::path& journal_dir);
/// Where the next version of it is written before it takes the name. The name is fixed, so that a crash leaves nothing
/// of an unknown name.
std::filesystem::path journal_draft_path(const std::filesystem::path& journal_dir);

/// On disk, file and directory synced, when it returns. Throws Error{failed}; the old version is whole then.
void write_journal(const std::filesystem::path& journal_dir, const Journal& journal);
/// Nothing where there is none. Throws Error{needs_person} where it is damaged.
std::optional<Journal> read_journal(const std::filesystem::path& journal_dir);
void remove_journal(const std::filesystem::path& journal_dir);

} // namespace carry::transaction
