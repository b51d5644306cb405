/// Names that carried lines use and that upstream no longer has: clean as text, broken all the same.
#pragma once

#include "git/history.hpp"
#include "git/repository.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace carry::merge {

/// What a carried change adds to one file.
struct AddedLines {
    std::string path; ///< where it is now
    struct Line {
        std::size_t number = 0; ///< 0-based
        std::string text;
    };
    std::vector<Line> lines;
};

struct RemovedName {
    std::string name;
    std::string path; ///< that uses it
    std::size_t line = 0;
    std::string renamed_to; ///< where the line that defined it now defines another, and is the same otherwise
    std::optional<git::CommitInfo> by; ///< the upstream commit that removed its definition
};

/// Names that a file of the same language defined at `base`, that `added` uses and does not define itself, and that
/// stand nowhere in the tree of `target` (so that a mere move is none). Sorted by path and line, one for each name and
/// path. Bounded: large files, and more than some 32 MiB of changed ones, are passed over. One `git grep` where there
/// is something to look for, no process otherwise. Nothing in a partial clone, where looking would fetch.
std::vector<RemovedName> removed_names(git::Repository& repository, const git::ObjectId& base,
                                       const git::ObjectId& target, const std::vector<AddedLines>& added);

} // namespace carry::merge
