#include "report/markdown_text.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace carry::report {

std::string markdown_text(std::string_view text) {
    constexpr std::string_view markup = "\\`*_[]#|~!";
    std::string escaped;
    for (const char c : escape_terminal(text)) {
        if (c == '<')
            escaped += "&lt;";
        else if (c == '>')
            escaped += "&gt;";
        else if (c == '&')
            escaped += "&amp;";
        else if (markup.find(c) != std::string_view::npos)
            escaped += {'\\', c};
        else
            escaped += c;
    }
    return escaped;
}

std::string markdown_code(std::string_view text) {
    const std::string visible = escape_terminal(text);
    const bool plain = !visible.empty() && visible.find_first_of("`|\\") == std::string::npos &&
                       visible.front() != ' ' && visible.back() != ' ';
    return plain ? '`' + visible + '`' : markdown_text(text);
}

std::string markdown_block(std::string_view text) {
    if (text.empty())
        return {};
    std::string body;
    std::size_t longest = 0;
    std::size_t ticks = 0;
    for (const auto line : split_terminated(text, '\n'))
        body += escape_terminal(line) + '\n';
    for (const char c : body) {
        ticks = c == '`' ? ticks + 1 : 0;
        longest = std::max(longest, ticks);
    }
    const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
    return fence + "text\n" + body + fence + '\n';
}

} // namespace carry::report
