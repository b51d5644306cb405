#include "merge/sequence_diff.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>

namespace carry::merge {

namespace {

using Id = std::uint32_t;

/// Items that recur more often than this anchor nothing.
constexpr std::size_t most_occurrences = 64;

/// Items looked at in all. Each split looks at its region anew, so a change in every second line of a large file would
/// cost the square of its lines; what is left then counts as changed.
constexpr std::size_t most_work = 100'000'000;

/// Half-open ranges of both sequences.
struct Region {
    std::size_t a_begin, a_end;
    std::size_t b_begin, b_end;
    [[nodiscard]] bool empty() const { return a_begin == a_end; }
};

/// Marks what is not common to both.
class HistogramDiff {
public:
    HistogramDiff(const std::vector<Id>& a, const std::vector<Id>& b, std::size_t ids)
        : m_a(a), m_b(b), m_first(ids, none), m_count(ids, 0), m_next(a.size(), none), m_changed_a(a.size(), false),
          m_changed_b(b.size(), false) {}

    void run() {
        std::size_t work = 0;
        std::vector<Region> todo = {{0, m_a.size(), 0, m_b.size()}};
        while (!todo.empty()) {
            const Region region = todo.back();
            todo.pop_back();
            if (region.a_begin == region.a_end || region.b_begin == region.b_end) {
                mark(region);
                continue;
            }
            work += region.a_end - region.a_begin + region.b_end - region.b_begin;
            const Region common = work > most_work ? Region{} : best_common(region);
            if (common.empty()) {
                mark(region);
                continue;
            }
            todo.push_back({region.a_begin, common.a_begin, region.b_begin, common.b_begin});
            todo.push_back({common.a_end, region.a_end, common.b_end, region.b_end});
        }
    }

    std::vector<bool>& changed_a() { return m_changed_a; }
    std::vector<bool>& changed_b() { return m_changed_b; }

private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    void mark(const Region& region) {
        std::fill(m_changed_a.begin() + static_cast<std::ptrdiff_t>(region.a_begin),
                  m_changed_a.begin() + static_cast<std::ptrdiff_t>(region.a_end), true);
        std::fill(m_changed_b.begin() + static_cast<std::ptrdiff_t>(region.b_begin),
                  m_changed_b.begin() + static_cast<std::ptrdiff_t>(region.b_end), true);
    }

    /// Where each item of `a` stands in the region, first to last, and how often.
    void index(const Region& region) {
        for (std::size_t i = region.a_end; i-- > region.a_begin;) {
            m_next[i] = m_first[m_a[i]];
            m_first[m_a[i]] = i;
            ++m_count[m_a[i]];
        }
    }

    void forget(const Region& region) {
        for (std::size_t i = region.a_begin; i < region.a_end; ++i) {
            m_first[m_a[i]] = none;
            m_count[m_a[i]] = 0;
        }
    }

    /// The common run whose rarest item is rarest; of those the longest.
    Region best_common(const Region& region) {
        index(region);
        Region best{region.a_begin, region.a_begin, region.b_begin, region.b_begin};
        std::size_t best_count = most_occurrences + 1;
        for (std::size_t at = region.b_begin; at < region.b_end;)
            at = try_item(region, at, best, best_count);
        forget(region);
        if (best_count > most_occurrences)
            best.a_end = best.a_begin;
        return best;
    }

    /// Grows a run around each place in `a` that holds the item; returns the item to go on with.
    std::size_t try_item(const Region& region, std::size_t at, Region& best, std::size_t& best_count) const {
        std::size_t next_at = at + 1;
        if (m_count[m_b[at]] > best_count)
            return next_at;
        for (std::size_t place = m_first[m_b[at]]; place != none;) {
            std::size_t count = m_count[m_b[at]];
            Region run{place, place + 1, at, at + 1};
            while (run.a_begin > region.a_begin && run.b_begin > region.b_begin &&
                   m_a[run.a_begin - 1] == m_b[run.b_begin - 1]) {
                --run.a_begin;
                --run.b_begin;
                count = std::min(count, m_count[m_a[run.a_begin]]);
            }
            while (run.a_end < region.a_end && run.b_end < region.b_end && m_a[run.a_end] == m_b[run.b_end]) {
                count = std::min(count, m_count[m_a[run.a_end]]);
                ++run.a_end;
                ++run.b_end;
            }
            next_at = std::max(next_at, run.b_end);
            if (run.a_end - run.a_begin > best.a_end - best.a_begin || count < best_count) {
                best = run;
                best_count = count;
            }
            place = m_next[place];
            while (place != none && place < run.a_end)
                place = m_next[place];
        }
        return next_at;
    }

    const std::vector<Id>& m_a;
    const std::vector<Id>& m_b;
    std::vector<std::size_t> m_first; ///< by item: its first place in the indexed region
    std::vector<std::size_t> m_count;
    std::vector<std::size_t> m_next; ///< by place: the next one with the same item
    std::vector<bool> m_changed_a;
    std::vector<bool> m_changed_b;
};

/// A run of changed items that walks along one sequence; between two runs lies one unchanged item at least, or none
/// where the run is empty.
class Group {
public:
    Group(std::vector<bool>& changed, const std::vector<Id>& ids) : m_changed(&changed), m_ids(&ids) { grow_end(); }

    [[nodiscard]] std::size_t start() const { return m_start; }
    [[nodiscard]] std::size_t end() const { return m_end; }
    [[nodiscard]] bool empty() const { return m_start == m_end; }

    bool next() {
        if (m_end == m_changed->size())
            return false;
        m_start = m_end + 1;
        m_end = m_start;
        grow_end();
        return true;
    }
    bool previous() {
        if (m_start == 0)
            return false;
        m_end = m_start - 1;
        m_start = m_end;
        grow_start();
        return true;
    }
    bool slide_up() {
        if (m_start == 0 || (*m_ids)[m_start - 1] != (*m_ids)[m_end - 1])
            return false;
        (*m_changed)[--m_start] = true;
        (*m_changed)[--m_end] = false;
        grow_start();
        return true;
    }
    bool slide_down() {
        if (m_end == m_changed->size() || (*m_ids)[m_start] != (*m_ids)[m_end])
            return false;
        (*m_changed)[m_start++] = false;
        (*m_changed)[m_end++] = true;
        grow_end();
        return true;
    }

private:
    void grow_end() {
        while (m_end < m_changed->size() && (*m_changed)[m_end])
            ++m_end;
    }
    void grow_start() {
        while (m_start > 0 && (*m_changed)[m_start - 1])
            --m_start;
    }
    std::vector<bool>* m_changed;
    const std::vector<Id>* m_ids;
    std::size_t m_start = 0;
    std::size_t m_end = 0;
};

/// As git does it: a group slides as far down as it can, or to the last place where the other sequence has a change
/// too; groups that meet become one.
void compact(std::vector<bool>& changed, const std::vector<Id>& ids, std::vector<bool>& other_changed,
             const std::vector<Id>& other_ids) {
    Group group(changed, ids);
    Group other(other_changed, other_ids);
    do {
        if (group.empty())
            continue;
        std::size_t size = 0;
        std::size_t earliest = 0;
        std::optional<std::size_t> beside_other;
        do {
            size = group.end() - group.start();
            beside_other.reset();
            while (group.slide_up())
                other.previous();
            earliest = group.end();
            if (!other.empty())
                beside_other = group.end();
            while (group.slide_down()) {
                other.next();
                if (!other.empty())
                    beside_other = group.end();
            }
        } while (size != group.end() - group.start());
        if (beside_other && group.end() != earliest)
            while (other.empty() && group.slide_up())
                other.previous();
    } while (group.next() && other.next());
}

std::vector<git::LineChange> ranges(const std::vector<bool>& changed_a, const std::vector<bool>& changed_b) {
    std::vector<git::LineChange> changes;
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < changed_a.size() || b < changed_b.size()) {
        git::LineChange change{{a, 0}, {b, 0}};
        while (a < changed_a.size() && changed_a[a])
            ++a;
        while (b < changed_b.size() && changed_b[b])
            ++b;
        change.before.count = a - change.before.start;
        change.after.count = b - change.after.start;
        if (change.before.count + change.after.count > 0) {
            changes.push_back(change);
            continue;
        }
        ++a;
        ++b;
    }
    return changes;
}

} // namespace

std::vector<git::LineChange> diff_sequences(const std::vector<std::string_view>& before,
                                            const std::vector<std::string_view>& after) {
    std::unordered_map<std::string_view, Id> known;
    const auto ids_of = [&known](const std::vector<std::string_view>& items) {
        std::vector<Id> ids;
        ids.reserve(items.size());
        for (const auto& item : items)
            ids.push_back(known.try_emplace(item, static_cast<Id>(known.size())).first->second);
        return ids;
    };
    const auto a = ids_of(before);
    const auto b = ids_of(after);
    HistogramDiff diff(a, b, known.size());
    diff.run();
    compact(diff.changed_a(), a, diff.changed_b(), b);
    compact(diff.changed_b(), b, diff.changed_a(), a);
    return ranges(diff.changed_a(), diff.changed_b());
}

} // namespace carry::merge
