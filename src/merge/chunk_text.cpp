#include "merge/chunk_text.hpp"

#include "merge/sequence_diff.hpp"

namespace carry::merge {

namespace {

void append(std::string& text, const Items& items, const git::LineRange& range) {
    for (std::size_t i = range.start; i < range.end(); ++i)
        text += items[i];
}

} // namespace

Items items_of(const Items& items, const git::LineRange& range) {
    const auto first = items.begin() + static_cast<std::ptrdiff_t>(range.start);
    return {first, first + static_cast<std::ptrdiff_t>(range.count)};
}

std::string bytes_of(const Items& items) {
    std::string bytes;
    append(bytes, items, {0, items.size()});
    return bytes;
}

std::optional<std::string> merged_text(const std::vector<MergeChunk>& chunks, const Items& upstream, const Items& local,
                                       const std::vector<std::optional<std::string>>& resolutions) {
    std::string text;
    std::size_t at = 0; // in the local version
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const MergeChunk& chunk = chunks[i];
        append(text, local, {at, chunk.whole_local.start - at});
        at = chunk.whole_local.end();
        if (chunk.kind == MergeChunk::Kind::upstream_only)
            append(text, upstream, chunk.whole_upstream);
        else if (chunk.kind != MergeChunk::Kind::in_conflict ||
                 equal_items(upstream, chunk.whole_upstream, local, chunk.whole_local))
            append(text, local, chunk.whole_local);
        else if (i < resolutions.size() && resolutions[i])
            text += *resolutions[i];
        else
            return std::nullopt;
    }
    append(text, local, {at, local.size() - at});
    return text;
}

std::optional<std::string> merge_sequences(const Items& base, const Items& upstream, const Items& local) {
    const auto upstream_changes = diff_sequences(base, upstream);
    const auto local_changes = diff_sequences(base, local);
    return merged_text(group_changes({upstream_changes, upstream}, {local_changes, local}), upstream, local);
}

} // namespace carry::merge
