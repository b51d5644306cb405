/// The record of a checkout before anything happens: HEAD, index, flags, status, and the uncommitted layers as trees in
/// the private object directory. Reads only; the checkout and the repository's own objects stay untouched.
#pragma once

#include "git/index.hpp"
#include "git/repository.hpp"
#include "snapshot/status.hpp"

#include <carry/settings.hpp>

#include <sys/stat.h>

#include <map>
#include <string>
#include <vector>

namespace carry::snapshot {

/// Enough of lstat to notice that a file is no longer what was read.
struct FileStamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t mtime_ns = 0, ctime_ns = 0;
    std::uint32_t mode = 0;
    static FileStamp of(const struct stat& status);
    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

struct Snapshot {
    git::Head head;
    std::optional<git::Upstream> upstream;
    Status status;
    git::IndexFlags flags;

    git::ObjectId head_tree;      ///< null on an unborn branch
    git::ObjectId staged_tree;    ///< the index (intent-to-add entries left out; an unmerged path has ours)
    git::ObjectId unstaged_tree;  ///< tracked paths as on disk, intent-to-add files too, edits hidden by flags too
    git::ObjectId untracked_tree; ///< that, with untracked files: the end of the chain

    /// Raw bytes of captured files where they differ from what the tree holds (filters, line endings). Also every
    /// captured file whose raw bytes equal the tree's blob is left out.
    std::map<std::string, git::ObjectId> raw;
    std::map<std::string, FileStamp> stamps; ///< of every captured file, as it was read
    std::vector<std::string> intent_to_add;
    std::vector<std::string> left_out;     ///< untracked files over the budget
    std::vector<std::string> hidden_edits; ///< edits under assume-unchanged or skip-worktree

    std::uint64_t index_time = 0;     ///< its modification time, nanoseconds since 1970
    git::ObjectId index_blob;         ///< the index file's bytes; null where there is no index file
    std::vector<std::string> stashes; ///< ids, newest first
    std::vector<std::pair<std::string, std::string>> remotes; ///< name, url
    std::vector<std::string> submodules;                      ///< `git submodule status` lines
    std::vector<std::string> log;                             ///< the last entries, one line each
    std::int64_t time = 0;
};

/// Throws Error{refused} where a filter fails or something cannot be stored. `check_hidden` are paths for which flags
/// must not hide edits (those that upstream changes); with none given all flagged paths are compared.
Snapshot capture(git::Repository& repository, const Settings& settings);

/// Objects and a ref for people and gc: refs/carry/<run>/… are written by the pipeline; this writes the chain as
/// commits (staged, unstaged, untracked) on HEAD, with messages "carry: staged" …, and returns the tip (HEAD's commit
/// where nothing is carried).
git::ObjectId write_chain(git::Repository& repository, const Snapshot& snapshot);

/// Adds files that are in upstream's way (ignored, or over the budget) to the end of the chain: stores their bytes,
/// returns the new tree, and adds to snapshot.raw and stamps. Directories in the way: all files below them.
git::ObjectId capture_in_the_way(git::Repository& repository, Snapshot& snapshot,
                                 const std::vector<std::string>& paths);

} // namespace carry::snapshot
