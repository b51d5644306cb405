/// Three-way merge and line differences of byte buffers, by libgit2's xdiff (byte-identical to `git merge-file`).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::git {

/// A NUL in the first 8000 bytes, as git decides it (buffer_is_binary).
bool is_binary(std::string_view bytes);

/// One changed range of lines, without context; 0-based, half-open by count. With a count of zero, `start` is the
/// line before which something was inserted or removed.
struct LineRange {
    std::size_t start = 0;
    std::size_t count = 0;
    [[nodiscard]] std::size_t end() const noexcept { return start + count; }
    friend bool operator==(const LineRange&, const LineRange&) = default;
};
struct LineChange {
    LineRange before;
    LineRange after;
};

/// Changed ranges from `before` to `after`, in order: `git diff -U0 --no-indent-heuristic` with Myers, what the merge
/// uses.
std::vector<LineChange> diff_lines(std::string_view before, std::string_view after);

enum class MergeFavor { none, ours, theirs, union_of_both };
enum class ConflictStyle { merge, diff3, zdiff3 };

struct MergeOptions {
    MergeFavor favor = MergeFavor::none;
    ConflictStyle style = ConflictStyle::zdiff3;
    std::string ours_label = "upstream";
    std::string base_label = "base";
    std::string theirs_label = "yours";
    unsigned short marker_size = 7;
};

struct MergedBuffer {
    bool clean = false;
    std::string bytes; ///< with conflict markers where not clean
};

/// Nothing where an input is binary: that is never merged as text.
std::optional<MergedBuffer> merge_buffers(std::string_view base, std::string_view ours, std::string_view theirs,
                                          const MergeOptions& options = {});

} // namespace carry::git
