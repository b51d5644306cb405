/// A range of lines on its way through one version of a file after another.
#pragma once

#include "git/buffers.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

struct TrackedLines {
    git::LineRange range;
    bool widened = false; ///< lines beside it came in, because one change took both; the range holds more than it did
};

struct FollowedLines {
    TrackedLines lines;
    std::vector<git::LineRange> touched; ///< what the changes that touched it put there, in the new version
};

/// `lines` after `changes`. A change touches the range where it overlaps it, or inserts at its edge; an empty range is
/// touched by what adds lines there.
FollowedLines follow(const TrackedLines& lines, const std::vector<git::LineChange>& changes);

/// A text that many ranges are looked up in: it knows where its lines begin.
class TextLines {
public:
    explicit TextLines(std::string text);
    [[nodiscard]] const std::string& text() const noexcept { return m_text; }
    /// What lies beyond the end is left out.
    [[nodiscard]] std::string_view at(const git::LineRange& range) const;

private:
    std::string m_text;
    std::vector<std::size_t> m_starts; ///< and the end
};

/// The lines of `text` in the range are `wanted`; of a widened range, some of them in a row are. Nothing wanted:
/// the range is gone.
bool lines_hold(const TextLines& text, const TrackedLines& lines, std::string_view wanted);

/// For a merge, what each parent's difference put there: some line is new to all parents, so that the merge itself
/// made it.
bool have_common_lines(const std::vector<std::vector<git::LineRange>>& touched);

/// Letters and digits (of any alphabet) in a line: few of them say nothing, since "}" stands everywhere.
std::size_t letters_of(std::string_view line);

} // namespace carry::merge
