#include "merge/chunk_text.hpp"
#include "merge/rule_functions.hpp"
#include "merge/sequence_diff.hpp"

#include <algorithm>

namespace carry::merge {

namespace {

/// Comparing more words than a person would read helps nobody.
constexpr std::size_t most_words = 4000;
/// Two texts of a thousand characters.
constexpr std::size_t most_compared = 1'000'000;
constexpr double least_likeness = 0.5;

bool is_space_or_tab(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

std::string without_blanks(std::string_view text) {
    std::string rest(text);
    std::erase_if(rest, is_space_or_tab);
    return rest;
}

/// Of the longest common subsequence.
std::size_t common_length(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1, 0);
    for (const char c : a) {
        std::size_t diagonal = 0;
        for (std::size_t i = 0; i < b.size(); ++i) {
            const std::size_t above = row[i + 1];
            row[i + 1] = c == b[i] ? diagonal + 1 : std::max(above, row[i]);
            diagonal = above;
        }
    }
    return row.back();
}

Items words_in(const Items& lines) {
    Items words;
    for (const auto& line : lines) {
        for (const auto word : words_of(line))
            if (!is_space_or_tab(word.front()))
                words.push_back(word);
    }
    return words;
}

/// Nothing where the two edits of the line touch each other, or make it another line.
RuleResult merged_line(std::string_view base, std::string_view upstream, std::string_view local) {
    if (upstream == local || local == base)
        return std::string(upstream);
    if (upstream == base)
        return std::string(local);
    if (likeness(base, upstream) < least_likeness || likeness(base, local) < least_likeness)
        return std::nullopt;
    return merge_sequences(words_of(base), words_of(upstream), words_of(local));
}

} // namespace

bool has_word(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return is_word(c) && c != '_'; });
}

Items words_of(std::string_view text) {
    Items words;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        const auto same = is_word(text[at]) ? is_word : is_space_or_tab(text[at]) ? is_space_or_tab : nullptr;
        while (same != nullptr && end < text.size() && same(text[end]))
            ++end;
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

double likeness(std::string_view a, std::string_view b) {
    const auto text_a = without_blanks(a);
    const auto text_b = without_blanks(b);
    const std::size_t all = text_a.size() + text_b.size();
    if (text_a == text_b || text_a.size() * text_b.size() > most_compared)
        return text_a == text_b ? 1.0 : 0.0;
    return 2.0 * static_cast<double>(common_length(text_a, text_b)) / static_cast<double>(all);
}

RuleResult rule_absorbed_words(const ConflictLines& conflict) {
    const auto base = words_in(conflict.base);
    const auto upstream = words_in(conflict.upstream);
    const auto local = words_in(conflict.local);
    if (base.size() + upstream.size() + local.size() > most_words)
        return std::nullopt;
    if (holds_change(base, upstream, local, has_word))
        return bytes_of(conflict.upstream);
    if (holds_change(base, local, upstream, has_word))
        return bytes_of(conflict.local);
    return std::nullopt;
}

RuleResult rule_words(const ConflictLines& conflict) {
    const auto& base = conflict.base;
    if (base.size() != conflict.upstream.size() || base.size() != conflict.local.size())
        return std::nullopt;
    std::string bytes;
    for (std::size_t i = 0; i < base.size(); ++i) {
        const auto line = merged_line(base[i], conflict.upstream[i], conflict.local[i]);
        if (!line)
            return std::nullopt;
        bytes += *line;
    }
    return bytes;
}

} // namespace carry::merge
