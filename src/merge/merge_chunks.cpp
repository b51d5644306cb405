#include "merge/merge_chunks.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace carry::merge {

namespace {

using git::LineChange;
using git::LineRange;
using Kind = MergeChunk::Kind;
using Lines = Items;

/// xdl_simplify_non_conflicts: fewer common lines than markers would take are drawn into the conflict.
constexpr std::size_t joined_lines = 3;

std::ptrdiff_t growth(const LineRange& from, const LineRange& to) {
    return static_cast<std::ptrdiff_t>(to.count) - static_cast<std::ptrdiff_t>(from.count);
}

LineRange between(std::size_t start, std::size_t end) {
    return {start, end - start};
}

/// The bytes of some lines of a text; the lines are views into one buffer.
std::string_view bytes_between(const Lines& lines, const LineRange& range) {
    if (range.count == 0)
        return {};
    const auto& first = lines[range.start];
    const auto& last = lines[range.end() - 1];
    return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

/// Groups the hunks of both sides that overlap or touch, as xdl_do_merge does.
class Grouping {
public:
    Grouping(const std::vector<LineChange>& upstream, const Lines& upstream_lines, const std::vector<LineChange>& local,
             const Lines& local_lines)
        : m_upstream(upstream), m_upstream_lines(upstream_lines), m_local(local), m_local_lines(local_lines) {}

    std::vector<MergeChunk> chunks() {
        std::vector<MergeChunk> result;
        while (m_next_upstream < m_upstream.size() || m_next_local < m_local.size())
            result.push_back(next());
        return result;
    }

private:
    [[nodiscard]] bool at_identical() const {
        if (m_next_upstream == m_upstream.size() || m_next_local == m_local.size())
            return false;
        const LineChange& upstream = m_upstream[m_next_upstream];
        const LineChange& local = m_local[m_next_local];
        return upstream.before == local.before &&
               equal_items(m_upstream_lines, upstream.after, m_local_lines, local.after);
    }

    /// Takes all hunks of one side that begin at `end` or before it; `end` moves on with them.
    static bool take(const std::vector<LineChange>& hunks, std::size_t& next, std::size_t& end, std::ptrdiff_t& delta) {
        const std::size_t first = next;
        while (next < hunks.size() && hunks[next].before.start <= end) {
            end = std::max(end, hunks[next].before.end());
            delta += growth(hunks[next].before, hunks[next].after);
            ++next;
        }
        return next != first;
    }

    MergeChunk next() {
        constexpr auto none = std::numeric_limits<std::size_t>::max();
        const bool identical = at_identical();
        const std::size_t start =
            std::min(m_next_upstream < m_upstream.size() ? m_upstream[m_next_upstream].before.start : none,
                     m_next_local < m_local.size() ? m_local[m_next_local].before.start : none);
        std::size_t end = start;
        const std::size_t upstream_start = add(start, m_upstream_delta);
        const std::size_t local_start = add(start, m_local_delta);
        bool upstream = false;
        bool local = false;
        for (bool more = true; more;) {
            const bool more_upstream = take(m_upstream, m_next_upstream, end, m_upstream_delta);
            const bool more_local = take(m_local, m_next_local, end, m_local_delta);
            upstream = upstream || more_upstream;
            local = local || more_local;
            more = more_upstream || more_local;
        }
        MergeChunk chunk;
        chunk.kind = identical           ? Kind::identical
                     : upstream && local ? Kind::in_conflict
                     : upstream          ? Kind::upstream_only
                                         : Kind::local_only;
        chunk.base = between(start, end);
        chunk.upstream = chunk.whole_upstream = between(upstream_start, add(end, m_upstream_delta));
        chunk.local = chunk.whole_local = between(local_start, add(end, m_local_delta));
        return chunk;
    }

    const std::vector<LineChange>& m_upstream;
    const Lines& m_upstream_lines;
    const std::vector<LineChange>& m_local;
    const Lines& m_local_lines;
    std::size_t m_next_upstream = 0;
    std::size_t m_next_local = 0;
    std::ptrdiff_t m_upstream_delta = 0;
    std::ptrdiff_t m_local_delta = 0;
};

/// xdl_refine_zdiff3_conflicts: lines that both sides begin or end with are no part of the conflict.
void trim_conflicts(std::vector<MergeChunk>& chunks, const Lines& upstream_lines, const Lines& local_lines) {
    for (auto& chunk : chunks) {
        if (chunk.kind != Kind::in_conflict)
            continue;
        LineRange& upstream = chunk.upstream;
        LineRange& local = chunk.local;
        while (upstream.count > 0 && local.count > 0 && upstream_lines[upstream.start] == local_lines[local.start]) {
            upstream = between(upstream.start + 1, upstream.end());
            local = between(local.start + 1, local.end());
        }
        while (upstream.count > 0 && local.count > 0 &&
               upstream_lines[upstream.end() - 1] == local_lines[local.end() - 1]) {
            --upstream.count;
            --local.count;
        }
    }
}

/// xdl_refine_conflicts: a conflict becomes one for each difference between the sides, or none.
std::vector<MergeChunk> split_conflicts(const std::vector<MergeChunk>& chunks, const Lines& upstream_lines,
                                        const Lines& local_lines) {
    std::vector<MergeChunk> result;
    for (const auto& chunk : chunks) {
        if (chunk.kind != Kind::in_conflict || chunk.upstream.count == 0 || chunk.local.count == 0) {
            result.push_back(chunk);
            continue;
        }
        const auto differences =
            git::diff_lines(bytes_between(upstream_lines, chunk.upstream), bytes_between(local_lines, chunk.local));
        MergeChunk part = chunk;
        if (differences.empty()) {
            part.kind = Kind::same_text;
            result.push_back(part);
        }
        for (const auto& difference : differences) {
            part.upstream = {chunk.upstream.start + difference.before.start, difference.before.count};
            part.local = {chunk.local.start + difference.after.start, difference.after.count};
            result.push_back(part);
        }
    }
    return result;
}

/// xdl_simplify_non_conflicts: conflicts that only a few lines keep apart become one.
std::vector<MergeChunk> join_conflicts(const std::vector<MergeChunk>& chunks) {
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    std::vector<MergeChunk> result;
    std::size_t last = none; // of the list that git keeps: it has no entry for an identical change
    for (const auto& chunk : chunks) {
        const bool joins = last != none && chunk.kind == Kind::in_conflict && result[last].kind == Kind::in_conflict &&
                           chunk.upstream.start - result[last].upstream.end() <= joined_lines;
        if (joins) {
            MergeChunk& grown = result[last];
            grown.base = between(grown.base.start, chunk.base.end());
            grown.upstream = between(grown.upstream.start, chunk.upstream.end());
            grown.local = between(grown.local.start, chunk.local.end());
            grown.whole_upstream = between(grown.whole_upstream.start, chunk.whole_upstream.end());
            grown.whole_local = between(grown.whole_local.start, chunk.whole_local.end());
            continue;
        }
        if (chunk.kind != Kind::identical)
            last = result.size();
        result.push_back(chunk);
    }
    return result;
}

} // namespace

bool equal_items(const Items& a, const LineRange& in_a, const Items& b, const LineRange& in_b) {
    const auto first = [](const Items& items, const LineRange& range) {
        return items.begin() + static_cast<std::ptrdiff_t>(range.start);
    };
    return in_a.count == in_b.count &&
           std::equal(first(a, in_a), first(a, in_a) + static_cast<std::ptrdiff_t>(in_a.count), first(b, in_b));
}

std::vector<MergeChunk> group_changes(const ChangedSide& upstream, const ChangedSide& local) {
    return Grouping(upstream.changes, upstream.items, local.changes, local.items).chunks();
}

std::vector<MergeChunk> merge_chunks(std::string_view base, std::string_view upstream, std::string_view local,
                                     git::ConflictStyle style) {
    const Lines upstream_lines = split_lines(upstream);
    const Lines local_lines = split_lines(local);
    const auto upstream_hunks = git::diff_lines(base, upstream);
    const auto local_hunks = git::diff_lines(base, local);
    auto chunks = group_changes({upstream_hunks, upstream_lines}, {local_hunks, local_lines});
    if (style == git::ConflictStyle::merge)
        return join_conflicts(split_conflicts(chunks, upstream_lines, local_lines));
    if (style == git::ConflictStyle::zdiff3)
        trim_conflicts(chunks, upstream_lines, local_lines);
    return chunks;
}

} // namespace carry::merge
