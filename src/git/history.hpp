/// Questions about history: bases, ranges, and who touched a path.
#pragma once

#include "git/object_id.hpp"
#include "git/program.hpp"
#include "git/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carry::git {

/// Commits may be in the repository or in git-carry's own object directory. Every function here throws Error{failed}
/// where git fails.

/// Nothing where the histories have nothing in common (shallow clones, restarted upstreams). The first of several.
std::optional<ObjectId> merge_base(const Program& program, const ObjectId& a, const ObjectId& b);
/// `git merge-base --fork-point REF COMMIT`: the newest of the ref's former values (by its reflog) that COMMIT
/// contains. Nothing where the reflog does not help.
std::optional<ObjectId> fork_point(const Program& program, const std::string& ref, const ObjectId& commit);
bool is_ancestor(const Program& program, const ObjectId& ancestor, const ObjectId& descendant);

/// base..tip, oldest first (topological); merges included. A null base stands for "no base": all of tip's history.
struct RangeCommit {
    ObjectId id;
    std::vector<ObjectId> parents;
};
std::vector<RangeCommit> commits_between(const Program& program, const ObjectId& base, const ObjectId& tip);
std::size_t count_between(const Program& program, const ObjectId& base, const ObjectId& tip);

/// A commit for people.
struct CommitInfo {
    ObjectId id;
    std::string subject;   ///< UTF-8
    std::string author;    ///< name, UTF-8
    std::int64_t date = 0; ///< author date, seconds
};
CommitInfo describe_commit(const Program& program, const ObjectId& id);
/// The last `count` entries of the log, newest first.
std::vector<CommitInfo> recent_commits(const Program& program, const ObjectId& tip, std::size_t count);

/// The newest commits of tip's history that a remote-tracking branch of `remote` holds: tip itself, or what the others
/// were made on.
std::vector<ObjectId> newest_on_remote(const Program& program, const ObjectId& tip, const std::string& remote);

/// Working trees of this repository, other than this one, that have `branch` ("refs/heads/main") checked out and are
/// still there.
std::vector<std::string> worktrees_on(const Program& program, const std::string& branch);

/// One value that a ref has had, with what git wrote beside it ("pull: Fast-forward").
struct ReflogEntry {
    ObjectId commit;
    std::string message;
};
/// The newest 200, newest first; none where the ref keeps no log.
std::vector<ReflogEntry> reflog(const Program& program, const std::string& ref);

/// Mail addresses of the committers of base..tip, in no order, each as often as it is there.
std::vector<std::string> committers_between(const Program& program, const ObjectId& base, const ObjectId& tip);

struct CommitTree {
    ObjectId id, tree;
    [[nodiscard]] bool empty() const; ///< no file in it
};
/// The newest 10,000 commits of tip's history, newest first.
std::vector<CommitTree> trees_of_history(const Program& program, const ObjectId& tip);

/// One commit's effect on one path.
struct PathChange {
    CommitInfo commit;
    bool merge = false; ///< one row for each parent
    std::string path;
    std::optional<TreeEntry> before;
    std::optional<TreeEntry> after;
};
/// Commits of base..tip that changed one of `paths`, oldest first (`git log --topo-order --reverse -m --raw -z
/// --no-renames`, simplified as git log does).
std::vector<PathChange> path_history(const Program& program, const ObjectId& base, const ObjectId& tip,
                                     const std::vector<std::string>& paths);

/// Paths that git's rename detection (-M, its default threshold, exact and inexact) pairs between two trees or commits.
struct Rename {
    std::string from;
    std::string to;
    int similarity = 100; ///< percent
};
std::vector<Rename> find_renames(const Program& program, const ObjectId& before, const ObjectId& after,
                                 bool private_objects);

} // namespace carry::git
