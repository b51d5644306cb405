/// Which merge driver git would use for a path, and running the ones that git's configuration defines.
#pragma once

#include "git/buffers.hpp"
#include "git/repository.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

struct MergeDriver {
    enum class Kind { text, binary, union_of_both, external };
    Kind kind = Kind::text;
    std::string name;    ///< the attribute's value; empty for the built-in decisions
    std::string command; ///< of an external one: merge.<name>.driver
    unsigned short marker_size = 7;
    std::string note;              ///< what a person should know about the choice
    std::optional<bool> generated; ///< the attribute linguist-generated, where it is set or unset
};

/// One for each path, by the attributes `merge`, `conflict-marker-size` and `linguist-generated`, and by merge.default
/// and merge.<name>.driver. The .gitattributes files are those of `onto`, the tree that is merged into, as in a
/// checkout that git rebases; one that neither `onto` nor `local` knows is untracked, and counts as it is on disk. One
/// git process for all of them.
std::map<std::string, MergeDriver> choose_drivers(git::Repository& repository, const git::ObjectId& onto,
                                                  const git::ObjectId& local, const std::vector<std::string>& paths);

struct DriverInput {
    std::string path; ///< for %P
    std::string_view base, ours, theirs;
    git::MergeOptions markers;
};
struct DriverResult {
    enum class Verdict { clean, conflict, failed };
    Verdict verdict = Verdict::failed;
    std::string bytes; ///< what the driver left in %A; empty where it failed
};

/// Runs the command as git does: by `sh -c` in the worktree, versions in temporary files (below git-carry's own
/// directory), exit 0 clean, 1 to 128 conflict.
DriverResult run_driver(const git::Repository& repository, const MergeDriver& driver, const DriverInput& input);

} // namespace carry::merge
