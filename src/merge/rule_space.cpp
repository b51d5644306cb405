#include "merge/chunk_text.hpp"
#include "merge/rule_functions.hpp"
#include "merge/sequence_diff.hpp"

#include <algorithm>
#include <array>

namespace carry::merge {

namespace {

std::string_view indent_of(std::string_view line) {
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

std::string_view text_of(std::string_view line) {
    return line.substr(indent_of(line).size());
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool only(std::string_view indent, char c) {
    return indent.find_first_not_of(c) == std::string_view::npos;
}

/// One way to move lines in or out, the same for every line.
struct Shift {
    enum class Kind { add, drop, rescale };
    Kind kind = Kind::add;
    std::string_view text = {}; ///< of add and drop: what comes before the old indentation, or goes from its beginning
    char from = ' ';            ///< of rescale: so many of these …
    std::size_t from_size = 1;
    char to = ' '; ///< … become so many of those
    std::size_t to_size = 1;

    [[nodiscard]] std::optional<std::string> indent(std::string_view old) const {
        switch (kind) {
        case Kind::add:
            return std::string(text) + std::string(old);
        case Kind::drop:
            return old.starts_with(text) ? std::optional(std::string(old.substr(text.size()))) : std::nullopt;
        case Kind::rescale:
            break;
        }
        if (!only(old, from) || old.size() % from_size != 0)
            return std::nullopt;
        return std::string(old.size() / from_size * to_size, to);
    }

    /// Nothing where a line cannot be moved so.
    [[nodiscard]] std::optional<std::vector<std::string>> lines(const Items& old) const {
        std::vector<std::string> moved;
        for (const auto& line : old) {
            const auto fresh = is_blank(line) ? std::string(indent_of(line)) : indent(indent_of(line));
            if (!fresh)
                return std::nullopt;
            moved.push_back(*fresh + std::string(text_of(line)));
        }
        return moved;
    }
};

struct IndentPair {
    std::string_view before, after;
};

/// Indentations of the lines that are the same on both sides but for it.
std::vector<IndentPair> indents(const Items& base, const Items& side) {
    Items base_texts;
    Items side_texts;
    std::ranges::transform(base, std::back_inserter(base_texts), text_of);
    std::ranges::transform(side, std::back_inserter(side_texts), text_of);
    std::vector<IndentPair> pairs;
    std::size_t at_base = 0;
    std::size_t at_side = 0;
    const auto take_until = [&](std::size_t end) {
        for (; at_base < end; ++at_base, ++at_side)
            if (!is_blank(base[at_base]))
                pairs.push_back({indent_of(base[at_base]), indent_of(side[at_side])});
    };
    for (const auto& change : diff_sequences(base_texts, side_texts)) {
        take_until(change.before.start);
        at_base = change.before.end();
        at_side = change.after.end();
    }
    take_until(base.size());
    return pairs;
}

bool any_moved(const std::vector<IndentPair>& pairs) {
    return std::ranges::any_of(pairs, [](const IndentPair& pair) { return pair.before != pair.after; });
}

/// Every way that explains all of the pairs.
std::vector<Shift> shifts_of(const std::vector<IndentPair>& pairs) {
    const auto moved = std::ranges::find_if(pairs, [](const auto& pair) { return pair.before != pair.after; });
    std::vector<Shift> candidates;
    const auto [before, after] = *moved;
    if (after.ends_with(before))
        candidates.push_back({.kind = Shift::Kind::add, .text = after.substr(0, after.size() - before.size())});
    if (before.ends_with(after))
        candidates.push_back({.kind = Shift::Kind::drop, .text = before.substr(0, before.size() - after.size())});
    constexpr std::array<std::size_t, 4> widths = {2, 3, 4, 8};
    for (const auto width : widths) {
        candidates.push_back({Shift::Kind::rescale, {}, '\t', 1, ' ', width});
        candidates.push_back({Shift::Kind::rescale, {}, ' ', width, '\t', 1});
        for (const auto other : widths)
            if (other != width)
                candidates.push_back({Shift::Kind::rescale, {}, ' ', width, ' ', other});
    }
    std::erase_if(candidates, [&pairs](const Shift& shift) {
        return std::ranges::any_of(pairs,
                                   [&shift](const auto& pair) { return shift.indent(pair.before) != pair.after; });
    });
    return candidates;
}

/// Lines that the other side added at an end of the block may belong inside of it or not.
bool adds_at_an_end(const Items& base, const Items& other) {
    return std::ranges::any_of(diff_sequences(base, other), [&base](const git::LineChange& change) {
        return change.before.count == 0 && (change.before.start == 0 || change.before.end() == base.size());
    });
}

Items views_of(const std::vector<std::string>& lines) {
    return {lines.begin(), lines.end()};
}

/// `moving` moved the lines of `base` in or out, and may have edited some; `other` did not move any.
RuleResult moved_alike(const Items& base, const Items& moving, const Items& other) {
    const auto pairs = indents(base, moving);
    if (!any_moved(pairs) || any_moved(indents(base, other)))
        return std::nullopt;
    RuleResult result;
    for (const auto& shift : shifts_of(pairs)) {
        if (shift.kind != Shift::Kind::rescale && adds_at_an_end(base, other))
            return std::nullopt;
        const auto moved_base = shift.lines(base);
        const auto moved_other = shift.lines(other);
        if (!moved_base || !moved_other)
            return std::nullopt;
        auto merged = merge_sequences(views_of(*moved_base), moving, views_of(*moved_other));
        // where two readings of the shift differ, nobody knows which was meant
        if (!merged || (result && *result != *merged))
            return std::nullopt;
        result = std::move(merged);
    }
    return result;
}

bool differ_in_blanks_only(const Items& a, const Items& b) {
    const auto without_blanks = [](const Items& lines) {
        std::string text = bytes_of(lines);
        std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
        return text;
    };
    return without_blanks(a) == without_blanks(b);
}

} // namespace

RuleResult rule_indentation(const ConflictLines& conflict) {
    if (auto by_upstream = moved_alike(conflict.base, conflict.upstream, conflict.local))
        return by_upstream;
    return moved_alike(conflict.base, conflict.local, conflict.upstream);
}

RuleResult rule_whitespace(const ConflictLines& conflict) {
    if (conflict.traits.indentation_means || conflict.base.empty())
        return std::nullopt;
    if (differ_in_blanks_only(conflict.base, conflict.upstream))
        return bytes_of(conflict.local);
    if (differ_in_blanks_only(conflict.base, conflict.local))
        return bytes_of(conflict.upstream);
    return std::nullopt;
}

} // namespace carry::merge
