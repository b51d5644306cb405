#include "base/text.hpp"

#include "base/unicode.hpp"
#include "carry/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace carry {
namespace {

/// The letter that follows the backslash in git's quoting, or 0.
char escape_letter(char c) {
    switch (c) {
    case '\a':
        return 'a';
    case '\b':
        return 'b';
    case '\t':
        return 't';
    case '\n':
        return 'n';
    case '\v':
        return 'v';
    case '\f':
        return 'f';
    case '\r':
        return 'r';
    case '"':
    case '\\':
        return c;
    default:
        return 0;
    }
}

std::optional<char> escaped_letter(char letter) {
    for (const char c : std::string_view("\a\b\t\n\v\f\r\"\\")) {
        if (escape_letter(c) == letter)
            return c;
    }
    return std::nullopt;
}

bool is_control(char32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/// Marks that reorder what follows them on a terminal, and line separators: a name could pose as another.
bool is_deceptive(char32_t c) {
    return c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

[[noreturn]] void throw_malformed(std::string_view token) {
    throw Error(ErrorKind::usage, fmt::format("malformed quoted path {}", quoted(token)));
}

} // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    if (text.empty())
        return parts;
    for (std::size_t at = 0;;) {
        const std::size_t end = text.find(separator, at);
        parts.push_back(text.substr(at, end - at));
        if (end == std::string_view::npos)
            return parts;
        at = end + 1;
    }
}

std::vector<std::string_view> split_terminated(std::string_view text, char terminator) {
    if (text.ends_with(terminator)) {
        text.remove_suffix(1);
        if (text.empty())
            return {text}; // one empty record, which split() would not count
    }
    return split(text, terminator);
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
        lines.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return lines;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string text;
    for (const auto& part : parts) {
        if (&part != parts.data())
            text += separator;
        text += part;
    }
    return text;
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool starts_with_line(std::string_view text, std::string_view line) {
    return text.starts_with(line) && (text.size() == line.size() || text[line.size()] == '\n');
}

bool is_utf8(std::string_view bytes) {
    while (!bytes.empty()) {
        if (!take_code_point(bytes))
            return false;
    }
    return true;
}

std::string quote_path(std::string_view path) {
    std::string body;
    bool needed = false;
    for (std::string_view rest = path; !rest.empty();) {
        const std::string_view before = rest;
        const auto code_point = take_code_point(rest);
        const char first = before.front();
        if (code_point && !is_control(*code_point) && escape_letter(first) == 0) {
            body += before.substr(0, before.size() - rest.size());
            continue;
        }
        needed = true;
        if (const char letter = escape_letter(first); letter != 0) {
            body += {'\\', letter};
            continue;
        }
        for (const char byte : before.substr(0, before.size() - rest.size()))
            body += fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
    }
    return needed ? '"' + body + '"' : std::string(path);
}

std::string unquote_path(std::string_view token) {
    if (token.size() < 2 || token.front() != '"' || token.back() != '"')
        throw_malformed(token);
    const std::string_view body = token.substr(1, token.size() - 2);
    std::string path;
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (body[i] == '"')
            throw_malformed(token);
        if (body[i] != '\\') {
            path += body[i];
            continue;
        }
        const std::string_view escape = body.substr(i + 1);
        if (escape.size() >= 3 && escape[0] <= '3' && std::all_of(escape.begin(), escape.begin() + 3, is_octal)) {
            path += static_cast<char>((escape[0] - '0') * 64 + (escape[1] - '0') * 8 + (escape[2] - '0'));
            i += 3;
        } else if (const auto c = escape.empty() ? std::nullopt : escaped_letter(escape[0])) {
            path += *c;
            i += 1;
        } else {
            throw_malformed(token);
        }
    }
    return path;
}

std::string escape_terminal(std::string_view text) {
    std::string visible;
    while (!text.empty()) {
        const std::string_view before = text;
        const auto code_point = take_code_point(text);
        const std::string_view bytes = before.substr(0, before.size() - text.size());
        if (code_point && !is_control(*code_point) && !is_deceptive(*code_point))
            visible += bytes;
        else if (bytes == "\n" || bytes == "\t" || bytes == "\r")
            visible += {'\\', escape_letter(bytes[0])};
        else if (code_point && *code_point >= 0x80)
            visible += fmt::format("\\u{:04x}", static_cast<unsigned>(*code_point));
        else
            for (const char byte : bytes)
                visible += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    return visible;
}

std::string quoted(std::string_view subject) {
    return '\'' + escape_terminal(subject) + '\'';
}

std::string shell_quote(std::string_view word) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
        return std::string(word);
    const bool printable = escape_terminal(word) == word;
    // $'...' where the bytes themselves would act on the terminal that shows the hint
    std::string text = printable ? "'" : "$'";
    for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        if (printable)
            text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        else if (c == '\'' || c == '\\')
            text += {'\\', c};
        else if (byte < 0x20 || byte >= 0x7f)
            text += fmt::format("\\{:03o}", byte);
        else
            text += c;
    }
    return text + '\'';
}

std::string count_of(std::size_t n, std::string_view singular, std::string_view plural) {
    if (n == 1)
        return fmt::format("1 {}", singular);
    return plural.empty() ? fmt::format("{} {}s", n, singular) : fmt::format("{} {}", n, plural);
}

} // namespace carry
