#include "merge/hunk_fates.hpp"

#include "base/text.hpp"
#include "merge/merge_chunks.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace carry::merge {

namespace {

using git::LineChange;
using git::LineRange;
using Kind = MergeChunk::Kind;

/// Patches carry three lines of context; a change closer than that changes what stands around the hunk.
constexpr std::size_t context_lines = 3;

bool overlap(const LineRange& a, const LineRange& b) {
    if (a.count == 0 || b.count == 0)
        return a.start <= b.end() && b.start <= a.end();
    return a.start < b.end() && b.start < a.end();
}

std::string shift_reason(std::ptrdiff_t shift) {
    if (shift == 0)
        return {};
    const auto lines = static_cast<std::size_t>(shift > 0 ? shift : -shift);
    return count_of(lines, "line") + (shift > 0 ? " down" : " up");
}

std::string conflict_reason(const MergeChunk& chunk) {
    if (chunk.base.count == 0)
        return "both sides added different lines here";
    if (chunk.whole_upstream.count == 0)
        return "upstream removed these lines";
    if (chunk.whole_local.count == 0)
        return "upstream changed the lines that are removed here";
    return "both sides changed these lines";
}

/// Walks the chunks once, keeping count of where each version has got to.
class FateWalk {
public:
    FateWalk(const std::vector<MergeChunk>& chunks, const std::vector<LineChange>& hunks,
             const git::MergeOptions& options, const std::vector<std::optional<Proposal>>& decisions)
        : m_chunks(chunks), m_hunks(hunks), m_options(options), m_decisions(decisions) {}

    std::vector<HunkOutcome> outcomes() {
        find_next_upstream();
        for (m_at = 0; m_at < m_chunks.size(); ++m_at) {
            const MergeChunk& chunk = m_chunks[m_at];
            if (m_at == 0 || !same_place(m_chunks[m_at - 1], chunk)) {
                m_local_known = chunk.whole_local.start;
                m_upstream_known = chunk.whole_upstream.start;
            }
            switch (chunk.kind) {
            case Kind::upstream_only:
                break;
            case Kind::local_only:
                kept(chunk);
                break;
            case Kind::identical:
            case Kind::same_text:
                absorbed_until(chunk.whole_local.end());
                break;
            case Kind::in_conflict:
                conflict(chunk);
                break;
            }
            move_on(chunk);
        }
        return std::move(m_outcomes);
    }

private:
    /// For each chunk: where the next one begins that upstream changed on its own.
    void find_next_upstream() {
        m_next_upstream.assign(m_chunks.size(), none);
        std::size_t next = none;
        for (std::size_t i = m_chunks.size(); i-- > 0;) {
            m_next_upstream[i] = next;
            if (is_upstreams(m_chunks[i]))
                next = m_chunks[i].base.start;
        }
    }

    /// Two parts of what was one conflict before it was split.
    static bool same_place(const MergeChunk& first, const MergeChunk& second) {
        return first.kind == Kind::in_conflict && second.kind == Kind::in_conflict &&
               second.whole_local.start < first.whole_local.end();
    }

    static bool is_upstreams(const MergeChunk& chunk) {
        return chunk.kind == Kind::upstream_only || chunk.kind == Kind::in_conflict;
    }

    [[nodiscard]] bool beside_upstreams(const LineRange& base) const {
        const bool after = m_last_upstream != none && base.start - m_last_upstream < context_lines;
        const std::size_t next = m_next_upstream[m_at];
        return after || (next != none && next - base.end() < context_lines);
    }

    [[nodiscard]] LineRange in_result(const LineRange& local) const {
        return {add(local.start, m_result_delta), local.count};
    }

    void kept(const MergeChunk& chunk) {
        HunkOutcome outcome;
        outcome.base = chunk.base;
        outcome.local = chunk.local;
        outcome.upstream = chunk.upstream;
        outcome.result = in_result(chunk.local);
        if (beside_upstreams(chunk.base)) {
            outcome.fate = Fate::merged;
            outcome.reason = "upstream changed lines next to it";
        } else {
            outcome.fate = Fate::kept;
            outcome.reason = shift_reason(static_cast<std::ptrdiff_t>(chunk.upstream.start) -
                                          static_cast<std::ptrdiff_t>(chunk.base.start));
        }
        m_outcomes.push_back(std::move(outcome));
        ++m_next_hunk;
    }

    /// Local hunks up to `end` that no conflict shows: both sides have these lines.
    void absorbed_until(std::size_t end) {
        for (; m_next_hunk < m_hunks.size() && m_hunks[m_next_hunk].after.end() <= end; ++m_next_hunk) {
            const LineChange& hunk = m_hunks[m_next_hunk];
            HunkOutcome outcome;
            outcome.fate = Fate::absorbed;
            outcome.base = hunk.before;
            outcome.local = hunk.after;
            outcome.upstream = {m_upstream_known + (hunk.after.start - m_local_known), hunk.after.count};
            outcome.result = in_result(hunk.after);
            outcome.reason = "upstream has it";
            m_outcomes.push_back(std::move(outcome));
        }
    }

    void conflict(const MergeChunk& chunk) {
        // those before it that it does not show
        while (m_next_hunk < m_hunks.size() && m_hunks[m_next_hunk].after.start < chunk.local.start &&
               !overlap(m_hunks[m_next_hunk].after, chunk.local))
            absorbed_until(m_hunks[m_next_hunk].after.end());
        while (m_next_hunk < m_hunks.size() && overlap(m_hunks[m_next_hunk].after, chunk.local))
            ++m_next_hunk;

        HunkOutcome outcome;
        outcome.base = chunk.base;
        outcome.local = chunk.local;
        outcome.upstream = chunk.upstream;
        decide(chunk, outcome);
        m_outcomes.push_back(std::move(outcome));
    }

    /// Of the chunk that the walk is at.
    [[nodiscard]] const Proposal* decision() const {
        return m_at < m_decisions.size() && m_decisions[m_at] ? &*m_decisions[m_at] : nullptr;
    }

    void decide(const MergeChunk& chunk, HunkOutcome& outcome) const {
        if (const auto* proposal = decision()) {
            outcome.fate = Fate::resolved;
            outcome.reason = "rule " + std::string(to_string(proposal->rule));
            outcome.result = in_result(chunk.local);
            outcome.result->count = split_lines(proposal->bytes).size();
            return;
        }
        switch (m_options.favor) {
        case git::MergeFavor::none:
            outcome.fate = Fate::conflict;
            outcome.reason = conflict_reason(chunk);
            break;
        case git::MergeFavor::ours:
            outcome.fate = Fate::resolved;
            outcome.reason = "upstream's lines were taken";
            break;
        case git::MergeFavor::theirs:
            outcome.fate = Fate::resolved;
            outcome.reason = "the local lines were taken";
            outcome.result = in_result(chunk.local);
            break;
        case git::MergeFavor::union_of_both:
            outcome.fate = Fate::merged;
            outcome.reason = "the lines of both sides are in";
            outcome.result = in_result(chunk.local);
            outcome.result->start += chunk.upstream.count;
            break;
        }
    }

    /// Lines that the merged file has for a conflict.
    [[nodiscard]] std::size_t written(const MergeChunk& chunk) const {
        constexpr std::size_t markers = 3; // <<<<<<<, =======, >>>>>>>
        if (const auto* proposal = decision())
            return split_lines(proposal->bytes).size();
        switch (m_options.favor) {
        case git::MergeFavor::ours:
            return chunk.upstream.count;
        case git::MergeFavor::theirs:
            return chunk.local.count;
        case git::MergeFavor::union_of_both:
            return chunk.upstream.count + chunk.local.count;
        case git::MergeFavor::none:
            break;
        }
        const bool shows_base = m_options.style != git::ConflictStyle::merge;
        return markers + chunk.upstream.count + chunk.local.count + (shows_base ? 1 + chunk.base.count : 0);
    }

    void move_on(const MergeChunk& chunk) {
        if (chunk.kind == Kind::upstream_only)
            m_result_delta +=
                static_cast<std::ptrdiff_t>(chunk.upstream.count) - static_cast<std::ptrdiff_t>(chunk.local.count);
        if (chunk.kind == Kind::in_conflict) {
            m_result_delta +=
                static_cast<std::ptrdiff_t>(written(chunk)) - static_cast<std::ptrdiff_t>(chunk.local.count);
            m_local_known = chunk.local.end();
            m_upstream_known = chunk.upstream.end();
            if (m_at + 1 == m_chunks.size() || !same_place(chunk, m_chunks[m_at + 1]))
                absorbed_until(chunk.whole_local.end());
        }
        if (is_upstreams(chunk))
            m_last_upstream = chunk.base.end();
    }

    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    const std::vector<MergeChunk>& m_chunks;
    const std::vector<LineChange>& m_hunks; ///< base -> local
    const git::MergeOptions& m_options;
    const std::vector<std::optional<Proposal>>& m_decisions;
    std::vector<std::size_t> m_next_upstream;
    std::vector<HunkOutcome> m_outcomes;
    std::size_t m_at = 0;
    std::size_t m_next_hunk = 0;
    std::size_t m_last_upstream = none; ///< base line after upstream's last own change
    std::size_t m_local_known = 0;      ///< where, in this chunk, local and upstream were last at the same line …
    std::size_t m_upstream_known = 0;   ///< … of either
    std::ptrdiff_t m_result_delta = 0;  ///< merged file against the local one
};

} // namespace

std::vector<HunkOutcome> hunk_fates(std::string_view base, std::string_view upstream, std::string_view local,
                                    const git::MergeOptions& options) {
    return hunk_fates(merge_chunks(base, upstream, local, options.style), git::diff_lines(base, local), options);
}

std::vector<HunkOutcome> hunk_fates(const std::vector<MergeChunk>& chunks, const std::vector<LineChange>& hunks,
                                    const git::MergeOptions& options,
                                    const std::vector<std::optional<Proposal>>& decisions) {
    return FateWalk(chunks, hunks, options, decisions).outcomes();
}

void follow_verdict(bool clean, std::vector<HunkOutcome>& hunks) {
    const auto in_conflict = [](const HunkOutcome& hunk) { return hunk.fate == Fate::conflict; };
    if (clean) {
        for (auto& hunk : hunks)
            if (in_conflict(hunk)) {
                hunk.fate = Fate::merged;
                hunk.reason = "both sides changed these lines";
            }
        return;
    }
    if (hunks.empty() || std::ranges::any_of(hunks, in_conflict))
        return;
    const auto beside = std::ranges::find(hunks, Fate::merged, &HunkOutcome::fate);
    HunkOutcome& hunk = beside != hunks.end() ? *beside : hunks.front();
    hunk.fate = Fate::conflict;
    hunk.result.reset();
    hunk.reason = "both sides changed these lines";
}

} // namespace carry::merge
