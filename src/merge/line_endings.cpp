#include "merge/line_endings.hpp"

#include <algorithm>

namespace carry::merge {

LineEndings line_endings_of(std::string_view text) {
    bool lf = false;
    bool crlf = false;
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1)) {
        const bool carriage_return = end > 0 && text[end - 1] == '\r';
        lf = lf || !carriage_return;
        crlf = crlf || carriage_return;
        if (lf && crlf)
            return LineEndings::mixed;
    }
    if (lf)
        return LineEndings::lf;
    return crlf ? LineEndings::crlf : LineEndings::none;
}

std::string with_line_endings(std::string_view text, LineEndings endings) {
    std::string result;
    result.reserve(text.size() + text.size() / 16);
    while (!text.empty()) {
        const auto end = text.find('\n');
        auto line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (end == std::string_view::npos) {
            result += line;
            break;
        }
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        result += line;
        result += endings == LineEndings::crlf ? "\r\n" : "\n";
    }
    return result;
}

bool differ_in_endings_only(std::string_view a, std::string_view b) {
    if (a == b)
        return false;
    // with the return before it or without: the rest has to be the same, byte by byte
    while (!a.empty() && !b.empty()) {
        if (a.front() == b.front()) {
            a.remove_prefix(1);
            b.remove_prefix(1);
        } else if (a.starts_with("\r\n") && b.starts_with('\n')) {
            a.remove_prefix(1);
        } else if (b.starts_with("\r\n") && a.starts_with('\n')) {
            b.remove_prefix(1);
        } else {
            return false;
        }
    }
    return a.empty() && b.empty();
}

std::optional<LineEndings> merge_endings(LineEndings base, LineEndings upstream, LineEndings local) {
    if (base == LineEndings::none || (upstream == local && upstream == base))
        return std::nullopt;
    const auto is_plain = [](LineEndings endings) {
        return endings == LineEndings::lf || endings == LineEndings::crlf;
    };
    if (upstream != base && local != base && local != upstream && is_plain(local) && is_plain(upstream))
        return std::nullopt;
    const bool local_chooses = upstream == base || (local != base && is_plain(local));
    const auto choice = local_chooses ? local : upstream;
    return is_plain(choice) ? std::optional(choice) : std::nullopt;
}

} // namespace carry::merge
