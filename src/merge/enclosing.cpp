#include "merge/enclosing.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>

namespace carry::merge {

namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t tab_width = 8;
/// Deeper nesting than this, or headers further above, are not looked for.
constexpr std::size_t farthest = 5000;

bool has_words(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; });
}

/// Columns before the first character; nothing for a blank line.
std::optional<std::size_t> indentation(std::string_view line) {
    std::size_t column = 0;
    for (const char c : line) {
        if (c == '\t')
            column += tab_width - column % tab_width;
        else if (c == ' ')
            ++column;
        else if (c == '\n' || c == '\r')
            return std::nullopt;
        else
            return column;
    }
    return std::nullopt;
}

/// Comments and preprocessor lines stand where they like.
bool says_nothing(std::string_view text) {
    return text.starts_with('#') || text.starts_with("//") || text.starts_with("/*") || text.starts_with('*') ||
           text.starts_with("--") || text.starts_with(';');
}

/// "[server]", alone on its line.
bool is_section(std::string_view line) {
    const auto text = trim(line);
    return !line.empty() && line.front() == '[' && text.ends_with(']') && has_words(text);
}

/// What a block is called: without parameters, values and opening brackets.
std::string name_of_header(std::string_view line) {
    auto text = trim(line);
    const bool is_item = text.starts_with('-') || text.starts_with('"') || text.starts_with('\'');
    if (!is_item)
        text = trim(text.substr(0, text.find('(')));
    while (!text.empty() && std::string_view(":{,[= \t").find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    return std::string(text);
}

class Climb {
public:
    Climb(const Lines& lines, std::size_t line) : m_lines(lines), m_line(line) {}

    std::vector<std::string> blocks() {
        std::vector<std::string> names;
        auto column = indentation(m_lines[m_line]);
        for (auto next = m_line; next < m_lines.size() && !column; ++next)
            column = indentation(m_lines[next]); // a blank line stands where the next one does
        auto limit = column.value_or(0);
        auto at = m_line;
        const std::size_t last = m_line > farthest ? m_line - farthest : 0;
        while (limit > 0 && at > last) {
            --at;
            const auto here = indentation(m_lines[at]);
            const auto text = trim(m_lines[at]);
            if (!here || *here >= limit || says_nothing(text))
                continue;
            limit = *here;
            if (auto name = header(at, *here, last); !name.empty())
                names.push_back(std::move(name));
        }
        while (at > last && !is_section(m_lines[at]))
            --at;
        if (at < m_line && is_section(m_lines[at]))
            names.emplace_back(trim(m_lines[at]));
        std::ranges::reverse(names);
        return names;
    }

private:
    /// Of the block that opens at `at`, which may be its bracket alone.
    std::string header(std::size_t at, std::size_t column, std::size_t last) const {
        const auto text = trim(m_lines[at]);
        if (has_words(text))
            return name_of_header(text);
        for (auto above = at; above-- > last;) {
            const auto here = indentation(m_lines[above]);
            const auto line = trim(m_lines[above]);
            if (!here || *here > column || says_nothing(line))
                continue;
            if (*here < column || std::string_view(",;}]").find(line.back()) != std::string_view::npos)
                break;
            if (has_words(line))
                return name_of_header(line);
        }
        return column > 0 ? first_inside(at) : std::string();
    }

    /// What tells an object without a name from its neighbours; not where that is the very line that is asked for.
    std::string first_inside(std::size_t at) const {
        for (auto below = at + 1; below < m_line; ++below)
            if (const auto line = trim(m_lines[below]); !line.empty())
                return has_words(line) ? name_of_header(line) : std::string();
        return {};
    }

    const Lines& m_lines;
    std::size_t m_line;
};

} // namespace

std::vector<std::string> enclosing_blocks(const Lines& lines, std::size_t line) {
    return line < lines.size() ? Climb(lines, line).blocks() : std::vector<std::string>{};
}

bool has_block(const Lines& lines, const std::vector<std::string>& blocks) {
    constexpr std::size_t most_tries = 64;
    constexpr std::size_t lines_below = 4; // a bracket, a blank line or a comment may come first
    std::size_t tries = 0;
    for (std::size_t at = 0; at < lines.size() && tries < most_tries; ++at) {
        if (!has_words(lines[at]) || (name_of_header(lines[at]) != blocks.back() && trim(lines[at]) != blocks.back()))
            continue;
        ++tries;
        for (auto below = at + 1; below < std::min(at + 1 + lines_below, lines.size()); ++below)
            if (indentation(lines[below]) && enclosing_blocks(lines, below) == blocks)
                return true;
    }
    return false;
}

} // namespace carry::merge
