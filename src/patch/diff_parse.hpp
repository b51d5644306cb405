/// Reading a diff as `git apply` does: which files it changes, with their modes and blob ids. Total over hostile input.
#pragma once

#include "patch/patch.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace carry::patch {

/// One file's part of a diff.
struct FileDiff {
    std::string old_path, new_path; ///< without "a/" and "b/"; both are set, even of added and deleted files
    bool added = false, deleted = false;
    bool renamed = false, copied = false;
    bool binary = false;                      ///< a git binary patch
    std::uint32_t old_mode = 0, new_mode = 0; ///< 0: the diff does not say
    std::string old_id, new_id;               ///< as written, maybe abbreviated; empty: the diff does not say
    /// Ids that are full; the null id otherwise.
    [[nodiscard]] PathChange change() const;
};

struct ParsedDiff {
    std::vector<FileDiff> files;
    std::size_t start = 0; ///< offset of the first header; text.size() where there is none
};

/// `where` is the file for messages, `first_line` the number of the text's first line in it; `strip` leading components
/// are taken off the names. Throws Error{usage} "x.patch:12: …" on a hunk that is cut short or malformed, and on a path
/// that leads out of the tree.
ParsedDiff parse_diff(std::string_view text, std::string_view where, std::size_t first_line = 1, int strip = 1);

} // namespace carry::patch
