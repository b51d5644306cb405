#include "merge/line_tracking.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <utility>

namespace carry::merge {

namespace {

using git::LineChange;
using git::LineRange;

bool touches(const LineRange& range, const LineChange& change) {
    const LineRange& before = change.before;
    if (range.count > 0) {
        if (before.count > 0)
            return before.start < range.end() && range.start < before.end();
        return before.start >= range.start && before.start <= range.end();
    }
    if (before.start < range.start && range.start < before.end())
        return true;
    const bool beside = before.start == range.start || before.end() == range.start;
    return beside && change.after.count > before.count;
}

bool widens(const LineRange& range, const LineRange& before) {
    if (range.count == 0)
        return before.count > 0;
    if (before.count == 0)
        return before.start == range.start || before.start == range.end();
    return before.start < range.start || before.end() > range.end();
}

std::size_t moved(std::size_t line, std::ptrdiff_t delta) {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(line) + delta);
}

bool is_at_line_ends(std::string_view text, std::size_t at, std::size_t size) {
    const bool begins = at == 0 || text[at - 1] == '\n';
    const std::size_t end = at + size;
    const bool ends = end == text.size() || (size > 0 && text[end - 1] == '\n');
    return begins && ends;
}

std::vector<LineRange> common(const std::vector<LineRange>& a, const std::vector<LineRange>& b) {
    std::vector<LineRange> result;
    for (const auto& first : a)
        for (const auto& second : b) {
            const std::size_t start = std::max(first.start, second.start);
            const std::size_t end = std::min(first.end(), second.end());
            // two removals at one place are common, too
            if (start < end || (start == end && first.count == 0 && second.count == 0))
                result.push_back({start, end - start});
        }
    return result;
}

} // namespace

FollowedLines follow(const TrackedLines& lines, const std::vector<LineChange>& changes) {
    const LineRange& range = lines.range;
    FollowedLines result;
    result.lines.widened = lines.widened;
    std::ptrdiff_t delta = 0;
    std::optional<std::size_t> start;
    std::optional<std::size_t> end;
    for (const auto& change : changes) {
        const auto growth =
            static_cast<std::ptrdiff_t>(change.after.count) - static_cast<std::ptrdiff_t>(change.before.count);
        if (touches(range, change)) {
            if (!start)
                start = moved(std::min(range.start, change.before.start), delta);
            end = moved(std::max(range.end(), change.before.end()), delta + growth);
            result.touched.push_back(change.after);
            result.lines.widened = result.lines.widened || widens(range, change.before);
        } else if (change.before.start >= range.end() && change.before.end() > range.start) {
            break;
        }
        delta += growth;
    }
    if (!start)
        start = moved(range.start, delta);
    if (!end)
        end = moved(range.end(), delta);
    result.lines.range = {*start, *end - *start};
    return result;
}

TextLines::TextLines(std::string text) : m_text(std::move(text)) {
    for (std::size_t at = 0; at < m_text.size();) {
        m_starts.push_back(at);
        const auto newline = m_text.find('\n', at);
        at = newline == std::string::npos ? m_text.size() : newline + 1;
    }
    m_starts.push_back(m_text.size());
}

std::string_view TextLines::at(const git::LineRange& range) const {
    const auto last = m_starts.size() - 1;
    const auto begin = m_starts[std::min(range.start, last)];
    return std::string_view(m_text).substr(begin, m_starts[std::min(range.end(), last)] - begin);
}

bool lines_hold(const TextLines& text, const TrackedLines& lines, std::string_view wanted) {
    if (wanted.empty())
        return lines.range.count == 0;
    const auto newlines = static_cast<std::size_t>(std::ranges::count(wanted, '\n'));
    const std::size_t wanted_lines = newlines + (wanted.back() == '\n' ? 0 : 1);
    if (lines.range.count < wanted_lines || (!lines.widened && lines.range.count != wanted_lines))
        return false;
    const auto held = text.at(lines.range);
    if (!lines.widened)
        return held == wanted;
    for (std::size_t at = held.find(wanted); at != std::string_view::npos; at = held.find(wanted, at + 1))
        if (is_at_line_ends(held, at, wanted.size()))
            return true;
    return false;
}

bool have_common_lines(const std::vector<std::vector<LineRange>>& touched) {
    if (touched.empty())
        return false;
    std::vector<LineRange> left = touched.front();
    for (std::size_t i = 1; i < touched.size(); ++i)
        left = common(left, touched[i]);
    return !left.empty();
}

std::size_t letters_of(std::string_view line) {
    return static_cast<std::size_t>(
        std::count_if(line.begin(), line.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; }));
}

} // namespace carry::merge
