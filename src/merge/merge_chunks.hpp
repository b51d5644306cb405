/// How the three versions of a text file lie against each other: the chunks that git's merge works with.
#pragma once

#include "git/buffers.hpp"

#include <string_view>
#include <vector>

namespace carry::merge {

/// A line number, moved by what came before it.
inline std::size_t add(std::size_t line, std::ptrdiff_t delta) {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(line) + delta);
}

/// Lines with their ends, or words; views into a text.
using Items = std::vector<std::string_view>;
bool equal_items(const Items& a, const git::LineRange& in_a, const Items& b, const git::LineRange& in_b);

/// A part of the file that at least one side changed, with its place in each version.
struct MergeChunk {
    enum class Kind {
        upstream_only,
        local_only,
        identical,  ///< both sides made the very same hunk
        same_text,  ///< their hunks differ, what became of the lines does not
        in_conflict ///< as the markers show it
    };
    Kind kind = Kind::upstream_only;
    git::LineRange base; ///< of a chunk in conflict: all that either side changed there
    git::LineRange upstream;
    git::LineRange local;
    /// Before common lines were taken off a conflict, or it was split; equal to the above for all others.
    git::LineRange whole_upstream;
    git::LineRange whole_local;
};

/// One side of a merge: its items (lines, words) and how they came from the base. Both outlive it.
struct ChangedSide {
    const std::vector<git::LineChange>& changes;
    const Items& items;
};

/// Hunks that overlap or touch are one chunk; equal hunks never conflict. In order.
std::vector<MergeChunk> group_changes(const ChangedSide& upstream, const ChangedSide& local);

/// What xdl_merge does at git's level for `style`: touching hunks are one chunk, equal hunks never conflict, and
/// conflicts shrink to what differs. In order.
std::vector<MergeChunk> merge_chunks(std::string_view base, std::string_view upstream, std::string_view local,
                                     git::ConflictStyle style);

} // namespace carry::merge
