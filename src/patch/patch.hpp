/// A carried patch as a file: the text that `git apply` (uncommitted) or `git am` (commits) accepts, with DEP-3
/// headers, and the blob ids that let it be re-applied by merging blobs rather than by hunting for hunks.
#pragma once

#include "git/repository.hpp"
#include "git/tree.hpp"

#include <carry/words.hpp>

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace carry::patch {

/// What a patch changes on one path; a rename has both paths.
struct PathChange {
    std::string old_path, new_path; ///< equal unless renamed; empty: added / deleted
    std::optional<git::TreeEntry> before, after;
};

struct PatchFile {
    std::string name; ///< "0003-python-sglang-server_args.py.patch"
    Layer layer = Layer::unstaged;
    git::ObjectId commit; ///< of a commit patch
    std::string title;    ///< subject, or the path
    std::vector<PathChange> changes;
    bool gnu_patch = true;  ///< false: only git can apply it (binary, mode-only, link, submodule)
    bool too_large = false; ///< named in the series, without a patch file: a blob of more than 32 MiB
    std::string bundle;     ///< file name of a bundle beside it where `git am` would not reproduce the commit
};

/// What to write: two neighbouring trees of the chain (and for a commit its id).
struct LinkToWrite {
    Layer layer;
    git::ObjectId before_tree, after_tree;
    git::ObjectId commit; ///< null for uncommitted layers
};

/// Writes 0001-….patch …, `series` (quilt's format: name, then "# layer=… oids …" comments; names that only git can
/// apply are marked; series.hpp has it in full) into `directory` itself, which is made, in the order of application,
/// each commit one file, each uncommitted path one file (a rename one file). `origin` is "base <id> of <upstream>".
/// The files have `mode`, less the umask. Returns what it wrote.
std::vector<PatchFile> write_series(git::Repository& repository, const std::vector<LinkToWrite>& links,
                                    const git::ObjectId& base, const std::string& upstream, std::int64_t time,
                                    const std::filesystem::path& directory, mode_t mode = 0666);

/// Reads a series file (or a directory that holds one), or single patches: mbox or plain diff. Paths and blob ids come
/// from the patch text. Throws Error{usage} naming file and line where it is none.
struct ReadPatch {
    PatchFile file;
    std::string text;                  ///< the diff, from the first "diff --git"
    std::string author, date, message; ///< of a mail; empty for a plain diff
    std::string encoding;
    int strip = 1; ///< leading components of the names in `text` that are no part of the path (quilt's -pN)
};
std::vector<ReadPatch> read_patches(const std::vector<std::filesystem::path>& files);

/// The two trees of a patch, for a three-way merge: the pre-images found by their blob ids in the store, `git apply
/// --cached` run on a temporary index that holds them. Nothing where a pre-image is not known here.
struct PatchTrees {
    git::ObjectId before, after; ///< trees that hold only the touched paths
};
std::optional<PatchTrees> trees_of_patch(git::Repository& repository, const ReadPatch& patch,
                                         const git::ObjectId& head_tree);

} // namespace carry::patch
