#include "report/page.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace carry::report {
namespace {

std::string_view code_of(Paint color) {
    switch (color) {
    case Paint::good:
        return "32";
    case Paint::notice:
        return "33";
    case Paint::bad:
        return "1;31";
    case Paint::dim:
        return "2";
    case Paint::none:
        break;
    }
    return {};
}

} // namespace

std::string paint(const TextStyle& style, Paint color, std::string_view text) {
    const std::string_view code = code_of(color);
    if (!style.color || code.empty() || text.empty())
        return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::size_t visible_width(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const std::size_t start = text.find('\x1b');
        plain += text.substr(0, start);
        if (start == std::string_view::npos)
            break;
        const std::size_t end = text.find('m', start);
        if (end == std::string_view::npos)
            break;
        text.remove_prefix(end + 1);
    }
    return display_width(plain);
}

std::string padded(std::string_view text, std::size_t width) {
    std::string result(text);
    const std::size_t used = visible_width(text);
    if (used < width)
        result.append(width - used, ' ');
    return result;
}

void Page::gap() {
    if (!m_text.empty() && !m_text.ends_with("\n\n"))
        m_text += '\n';
}

void Page::line(std::string_view text) {
    m_text += text;
    m_text += '\n';
}

void Page::pieces(std::string_view head, std::size_t indent, const std::vector<std::string>& pieces,
                  std::string_view between) {
    std::string line(head);
    std::size_t used = visible_width(line);
    bool fresh = true; // nothing but the head or the indentation stands on this line
    for (const auto& piece : pieces) {
        if (piece.empty())
            continue;
        const std::size_t width = visible_width(piece);
        if (!fresh && m_style.width > 0 && used + between.size() + width > m_style.width) {
            add_trimmed(line);
            line.assign(indent, ' ');
            used = indent;
            fresh = true;
        }
        if (!fresh) {
            line += between;
            used += between.size();
        }
        line += piece;
        used += width;
        fresh = false;
    }
    add_trimmed(line);
}

void Page::add_trimmed(std::string_view text) {
    line(text.substr(0, text.find_last_not_of(' ') + 1));
}

} // namespace carry::report
