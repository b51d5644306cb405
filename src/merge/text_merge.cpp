#include "merge/text_merge.hpp"

#include "base/text.hpp"
#include "merge/chunk_text.hpp"
#include "merge/hunk_fates.hpp"
#include "merge/line_endings.hpp"
#include "merge/sequence_diff.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace carry::merge {

namespace {

/// The second comparison is for files that people write.
constexpr std::size_t most_second_bytes = std::size_t{16} << 20U;

/// The three versions, as bytes and as lines.
struct Versions {
    Versions(std::string_view base_bytes, std::string_view upstream_bytes, std::string_view local_bytes)
        : base(base_bytes), upstream(upstream_bytes), local(local_bytes), base_lines(split_lines(base)),
          upstream_lines(split_lines(upstream)), local_lines(split_lines(local)) {}

    std::string_view base, upstream, local;
    Items base_lines, upstream_lines, local_lines;
};

/// Conflicts in which both sides came to the same lines in different steps are none.
void settle_same_text(std::vector<MergeChunk>& chunks, const Versions& versions) {
    for (auto& chunk : chunks)
        if (chunk.kind == MergeChunk::Kind::in_conflict &&
            equal_items(versions.upstream_lines, chunk.whole_upstream, versions.local_lines, chunk.whole_local))
            chunk.kind = MergeChunk::Kind::same_text;
}

/// Merges by the lines that recur least. Nothing in a conflict.
std::optional<TextMerge> merge_by_histogram(const Versions& versions, const git::MergeOptions& options) {
    if (std::max({versions.base.size(), versions.upstream.size(), versions.local.size()}) > most_second_bytes)
        return std::nullopt;
    const auto upstream = diff_sequences(versions.base_lines, versions.upstream_lines);
    const auto local = diff_sequences(versions.base_lines, versions.local_lines);
    auto chunks = group_changes({upstream, versions.upstream_lines}, {local, versions.local_lines});
    settle_same_text(chunks, versions);
    auto bytes = merged_text(chunks, versions.upstream_lines, versions.local_lines);
    if (!bytes)
        return std::nullopt;
    return TextMerge{.clean = true, .bytes = std::move(*bytes), .hunks = hunk_fates(chunks, local, options)};
}

/// Asks the rules about each conflict of a file.
class Ruling {
public:
    Ruling(const Versions& versions, const TextRules& rules)
        : m_versions(versions),
          m_chunks(merge_chunks(versions.base, versions.upstream, versions.local, git::ConflictStyle::diff3)) {
        settle_same_text(m_chunks, versions);
        m_proposals.resize(m_chunks.size());
        m_decisions.resize(m_chunks.size());
        if (versions.base.empty())
            return; // both sides added the file: nothing says what either changed
        const auto traits = traits_of(rules.path);
        for (std::size_t i = 0; i < m_chunks.size(); ++i) {
            const auto& chunk = m_chunks[i];
            if (chunk.kind != MergeChunk::Kind::in_conflict)
                continue;
            m_proposals[i] = propose({.base = items_of(versions.base_lines, chunk.base),
                                      .upstream = items_of(versions.upstream_lines, chunk.whole_upstream),
                                      .local = items_of(versions.local_lines, chunk.whole_local),
                                      .traits = traits});
            if (const auto* proposal = decision(m_proposals[i], rules.deciding))
                m_decisions[i] = *proposal;
        }
    }

    /// Nothing where a conflict remains.
    [[nodiscard]] std::optional<TextMerge> merged(const git::MergeOptions& options) const {
        std::vector<std::optional<std::string>> texts;
        for (const auto& decided : m_decisions)
            texts.push_back(decided ? std::optional(decided->bytes) : std::nullopt);
        auto bytes = merged_text(m_chunks, m_versions.upstream_lines, m_versions.local_lines, texts);
        if (!bytes)
            return std::nullopt;
        const auto local = git::diff_lines(m_versions.base, m_versions.local);
        return TextMerge{
            .clean = true, .bytes = std::move(*bytes), .hunks = hunk_fates(m_chunks, local, options, m_decisions)};
    }

    /// Notes in each conflict what is proposed for it.
    void tell(std::vector<HunkOutcome>& hunks) const {
        std::map<std::pair<std::size_t, std::size_t>, HunkOutcome*> shown;
        for (auto& hunk : hunks)
            if (hunk.fate == Fate::conflict)
                shown.try_emplace({hunk.base.start, hunk.base.count}, &hunk);
        for (std::size_t i = 0; i < m_chunks.size(); ++i) {
            const auto found = shown.find({m_chunks[i].base.start, m_chunks[i].base.count});
            if (found != shown.end())
                found->second->proposals = m_proposals[i];
        }
    }

private:
    const Versions& m_versions;
    std::vector<MergeChunk> m_chunks;
    std::vector<std::vector<Proposal>> m_proposals;
    std::vector<std::optional<Proposal>> m_decisions;
};

/// What merged only because the lines were compared without their endings is the rule's work.
void label_line_endings(TextMerge& merge, LineEndings endings, bool upstreams) {
    const std::string reason = "rule " + std::string(to_string(Rule::line_endings));
    for (auto& hunk : merge.hunks)
        if (hunk.fate == Fate::kept || hunk.fate == Fate::merged) {
            hunk.fate = Fate::resolved;
            hunk.reason = reason;
        }
    merge.note = reason + ": merged by lines, with " + (upstreams ? "upstream's" : "your") + " line endings (" +
                 (endings == LineEndings::crlf ? "CRLF" : "LF") + ")";
}

/// The lines are merged as if all had the same endings, and the endings by themselves. Nothing where they are no
/// matter.
std::optional<TextMerge> merge_by_lines(const Versions& versions, const git::MergeOptions& options,
                                        const TextRules& rules) {
    const auto upstreams = line_endings_of(versions.upstream);
    const auto endings = merge_endings(line_endings_of(versions.base), upstreams, line_endings_of(versions.local));
    if (!endings)
        return std::nullopt;
    const auto plain = [](std::string_view text) { return with_line_endings(text, LineEndings::lf); };
    auto merge = merge_text(plain(versions.base), plain(versions.upstream), plain(versions.local), options, rules);
    if (!merge)
        return std::nullopt;
    merge->bytes = with_line_endings(merge->bytes, *endings);
    label_line_endings(*merge, *endings, *endings == upstreams);
    return merge;
}

} // namespace

std::optional<TextMerge> merge_text(std::string_view base, std::string_view upstream, std::string_view local,
                                    const git::MergeOptions& options, const TextRules& rules) {
    auto merged = git::merge_buffers(base, upstream, local, options);
    if (!merged)
        return std::nullopt;
    TextMerge result;
    result.clean = merged->clean;
    result.bytes = std::move(merged->bytes);
    const bool in_conflict = !result.clean && options.favor == git::MergeFavor::none;
    const Versions versions(base, upstream, local);
    // what a favoured side settles looks clean
    const bool unsettled = !result.clean || options.favor != git::MergeFavor::none;
    if (unsettled && rules.deciding.has(Rule::line_endings)) {
        if (auto by_lines = merge_by_lines(versions, options, rules))
            return by_lines;
    }
    if (in_conflict) {
        if (auto second = merge_by_histogram(versions, options))
            return second;
    }
    result.hunks = hunk_fates(base, upstream, local, options);
    follow_verdict(result.clean, result.hunks);
    if (in_conflict) {
        const Ruling ruling(versions, rules);
        if (auto decided = ruling.merged(options))
            return decided;
        ruling.tell(result.hunks);
    }
    return result;
}

std::vector<HunkOutcome> hunks_of(std::string_view base, std::string_view local, Fate fate) {
    std::vector<HunkOutcome> hunks;
    for (const auto& change : git::diff_lines(base, local)) {
        HunkOutcome hunk;
        hunk.fate = fate;
        hunk.base = change.before;
        hunk.local = change.after;
        if (fate == Fate::absorbed) {
            hunk.upstream = change.after;
            hunk.result = change.after;
            hunk.reason = "upstream has it";
        } else if (fate == Fate::conflict || fate == Fate::parked) {
            hunk.upstream = std::nullopt;
        } else {
            hunk.upstream = change.before;
            hunk.result = change.after;
        }
        hunks.push_back(std::move(hunk));
    }
    return hunks;
}

} // namespace carry::merge
