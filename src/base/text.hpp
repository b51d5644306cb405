/// Text for people and for git: quoting, escaping, widths, splitting. Bytes in, bytes out; nothing here
/// assumes that a path or a message is UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carry {

/// Splits at every `separator`; "a,b," gives {"a","b",""}; an empty text gives {}.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Records that each end in `terminator` (NUL or newline); an unterminated last one counts too.
std::vector<std::string_view> split_terminated(std::string_view text, char terminator);

/// Lines with their "\n"; the last may lack it.
std::vector<std::string_view> split_lines(std::string_view text);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

std::string_view trim(std::string_view text);

bool starts_with_line(std::string_view text, std::string_view line);

bool is_utf8(std::string_view bytes);

/// git's C-style quoting (quote.c): "a\tb" in double quotes with octal escapes where the name holds control
/// characters, quotes, backslashes or, with `escape_high`, bytes above 0x7f that are not valid UTF-8; otherwise the
/// name as it is.
std::string quote_path(std::string_view path);

/// The inverse, for a token that starts with '"'. Throws Error{usage} on a malformed one.
std::string unquote_path(std::string_view quoted);

/// For a terminal: control characters, escapes and invalid UTF-8 made visible (\x1b), so that no name or
/// subject can move the cursor or change colours. Never adds quotes.
std::string escape_terminal(std::string_view text);

/// 'subject' for messages: escaped for a terminal and in single quotes.
std::string quoted(std::string_view subject);
/// The same; these stand here because std::quoted would be the better match for a std::string.
inline std::string quoted(const std::string& subject) {
    return quoted(std::string_view(subject));
}
inline std::string quoted(const char* subject) {
    return quoted(std::string_view(subject));
}
inline std::string quoted(std::string& subject) {
    return quoted(std::string_view(subject));
}

/// Terminal columns of valid UTF-8 text (wide and combining characters counted as terminals do).
std::size_t display_width(std::string_view text);

/// For a shell: quoted in single quotes where needed, for hints that people paste.
std::string shell_quote(std::string_view word);

/// "1 commit", "2 commits".
std::string count_of(std::size_t n, std::string_view singular, std::string_view plural = {});

} // namespace carry
