/// Clean and smudge, line endings, ident, working-tree-encoding: all by git, under the right .gitattributes.
#pragma once

#include "git/attributes.hpp"
#include "git/program.hpp"
#include "git/tree.hpp"

#include <carry/error.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace carry::git {

/// Blob ids of working-tree files as `git add` would store them, under the checkout's own attributes; written to the
/// private object directory. `paths` are regular files. Done by `git update-index` in an index of its own: what git
/// stores depends on the index (a file that is CRLF there stays CRLF), and `hash-object` does not look at it.
/// Throws Error{refused} where a filter fails, naming the file and the filter.
std::map<std::string, ObjectId> hash_worktree_files(const Program& program, const std::vector<std::string>& paths);

/// What to throw where git has failed and a filter may be to blame: Error{refused} that names it (and the file, where
/// git does) if `words`, git's own, tell of one; Error{failed} with the message `otherwise` if not. `direction` is
/// "clean" or "smudge".
Error conversion_failure(const Program& program, std::string_view words, std::string_view direction,
                         const std::string& otherwise = "cannot convert files as their attributes say");

struct SmudgeItem {
    std::string path;
    ObjectId blob;
};

/// What git would write to disk for these blobs (regular files) under the attributes of the tree `attributes_from` (a
/// tree id), by `git cat-file --batch --filters`. Where the checkout has other .gitattributes than that tree, they are
/// put into a temporary working tree (below <gitdir>/carry) for it. Only paths whose bytes can differ from the blob
/// (attributes text, eol, crlf, ident, filter, working-tree-encoding, with core.autocrlf and core.eol) are converted
/// and returned: a path that is absent from the result has the blob's own bytes on disk. Calls `on_bytes` once for each
/// converted path with its bytes (they may be large: one at a time). Throws Error{refused} where a required filter
/// fails.
void smudge_blobs(const Program& program, TreeReader& trees, const ObjectId& attributes_from,
                  const std::vector<SmudgeItem>& items,
                  const std::function<void(const SmudgeItem&, std::string&&)>& on_bytes);

} // namespace carry::git
