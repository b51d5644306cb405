#include "merge/resolution.hpp"

#include "base/text.hpp"
#include "base/time.hpp"
#include "merge/conflict_image.hpp"

#include <algorithm>
#include <cstddef>

namespace carry::merge {

namespace {

/// How many conflicts a plain text still holds; nothing where its markers make no sense.
std::optional<std::size_t> conflicts_left(std::string_view image, std::size_t marker_size) {
    const auto read = conflict_image(image, marker_size, MarkerForm::bare);
    return read ? std::optional(read->conflicts.size()) : std::nullopt;
}

std::string without_carriage_returns(std::string text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n')
            result += text[i];
    return result;
}

/// Lines from a conflict's first marker to its last.
std::vector<git::LineRange> conflict_blocks(std::string_view text, std::size_t marker_size) {
    const std::string open = std::string(marker_size, '<') + ' ';
    const std::string close = std::string(marker_size, '>') + ' ';
    std::vector<git::LineRange> blocks;
    std::size_t depth = 0;
    std::size_t number = 0;
    for (const auto line : split_lines(text)) {
        if (line.starts_with(open) && depth++ == 0)
            blocks.push_back({number, 0});
        else if (line.starts_with(close) && depth > 0 && --depth == 0)
            blocks.back().count = number + 1 - blocks.back().start;
        ++number;
    }
    return blocks;
}

/// Where lines of the earlier text are in the later one.
git::LineRange carried_over(const std::vector<git::LineChange>& changes, const git::LineRange& range) {
    const auto position = [&](std::size_t line, bool end) {
        std::ptrdiff_t shift = 0;
        for (const auto& change : changes) {
            if (line < change.before.start || (end && line == change.before.start))
                break;
            if (line < change.before.end())
                return end ? change.after.end() : change.after.start;
            shift += static_cast<std::ptrdiff_t>(change.after.count) - static_cast<std::ptrdiff_t>(change.before.count);
        }
        return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(line) + shift);
    };
    const auto start = position(range.start, false);
    const auto end = range.count > 0 ? position(range.end(), true) : start;
    return {start, end > start ? end - start : 0};
}

} // namespace

std::vector<std::string> conflict_texts(std::string_view base, std::string_view upstream, std::string_view local,
                                        const git::MergeOptions& options) {
    using Style = git::ConflictStyle;
    std::vector<std::string> texts;
    for (const auto style : {options.style, Style::merge, Style::zdiff3, Style::diff3}) {
        auto other = options;
        other.style = style;
        auto merged = git::merge_buffers(base, upstream, local, other);
        if (merged && !merged->clean && std::ranges::find(texts, merged->bytes) == texts.end())
            texts.push_back(std::move(merged->bytes));
    }
    return texts;
}

std::string with_carriage_returns(std::string_view text) {
    std::string result;
    result.reserve(text.size() + text.size() / 16);
    for (const char c : text) {
        if (c == '\n' && !result.ends_with('\r'))
            result += '\r';
        result += c;
    }
    return result;
}

ResolutionMemory::ResolutionMemory(ResolutionStore store) : m_store(std::move(store)), m_any(!m_store.empty()) {}

/// Merges the first recorded resolution of `id` that fits into `image`.
const Resolution* ResolutionMemory::apply(const std::string& id, std::string& image, unsigned short marker_size,
                                          bool whole) {
    const auto before = conflicts_left(image, marker_size).value_or(0);
    for (auto& resolution : m_store.find(id)) {
        git::MergeOptions options;
        options.style = git::ConflictStyle::merge;
        options.marker_size = marker_size;
        auto merged = git::merge_buffers(resolution.preimage, image, resolution.postimage, options);
        if (!merged || !merged->clean)
            continue;
        const auto left = conflicts_left(merged->bytes, marker_size);
        if (!left || (whole ? *left > 0 : *left >= before))
            continue;
        image = std::move(merged->bytes);
        m_used.push_back(std::move(resolution));
        return &m_used.back();
    }
    return nullptr;
}

std::optional<ResolutionMemory::Resolved> ResolutionMemory::resolve_text(std::string_view text,
                                                                         unsigned short marker_size) {
    auto image = conflict_image(text, marker_size);
    if (!image || image->conflicts.empty())
        return std::nullopt;
    const auto used_before = m_used.size();
    const auto* taken = apply(image->id(m_store.format()), image->bytes, marker_size, true);
    // Conflicts that came one by one are found one by one.
    if (taken == nullptr && image->conflicts.size() > 1)
        for (const auto& conflict : image->conflicts) {
            taken = apply(ConflictImage::id_of(m_store.format(), conflict), image->bytes, marker_size, false);
            if (taken == nullptr)
                break;
        }
    if (taken == nullptr || holds_conflict(image->bytes, marker_size)) {
        m_used.resize(used_before);
        return std::nullopt;
    }
    const auto day = taken->recorded > 0 ? " of " + utc_date(taken->recorded) : std::string();
    return Resolved{std::move(image->bytes), "recorded resolution " + taken->id.substr(0, 9) + day};
}

std::optional<ResolutionMemory::Resolved> ResolutionMemory::resolve(const std::vector<std::string>& texts,
                                                                    unsigned short marker_size) {
    if (!m_any)
        return std::nullopt;
    for (const auto& text : texts)
        if (auto resolved = resolve_text(text, marker_size))
            return resolved;
    for (const auto& text : texts) {
        if (text.find('\r') != std::string::npos)
            continue;
        if (auto resolved = resolve_text(with_carriage_returns(text), marker_size)) {
            resolved->bytes = without_carriage_returns(std::move(resolved->bytes));
            return resolved;
        }
    }
    return std::nullopt;
}

void take_resolution(TextMerge& merge, const ResolutionMemory::Resolved& resolved, std::size_t marker_size) {
    const auto changes = git::diff_lines(merge.bytes, resolved.bytes);
    const auto blocks = conflict_blocks(merge.bytes, marker_size);
    std::size_t next = 0;
    for (auto& hunk : merge.hunks) {
        if (hunk.fate == Fate::conflict) {
            hunk.fate = Fate::resolved;
            hunk.reason = resolved.reason;
            if (next < blocks.size())
                hunk.result = blocks[next++];
        }
        if (hunk.result)
            hunk.result = carried_over(changes, *hunk.result);
    }
    merge.clean = true;
    merge.bytes = resolved.bytes;
}

} // namespace carry::merge
