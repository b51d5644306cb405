#include "merge/line_endings.hpp"

#include "base/text.hpp"

namespace carry::merge {

namespace {

enum class Ending { lf, crlf };

/// Of all lines; nothing where there is none, or they differ.
std::optional<Ending> ending_of(std::string_view text) {
    std::optional<Ending> ending;
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
        const auto here = at > 0 && text[at - 1] == '\r' ? Ending::crlf : Ending::lf;
        if (ending && *ending != here)
            return std::nullopt;
        ending = here;
    }
    return ending;
}

std::string with_ending(std::string_view text, Ending ending) {
    std::string result;
    result.reserve(text.size() + text.size() / 16);
    for (auto line : split_lines(text)) {
        if (!line.ends_with('\n')) {
            result += line;
            continue;
        }
        line.remove_suffix(line.ends_with("\r\n") ? 2 : 1);
        result += line;
        result += ending == Ending::crlf ? "\r\n" : "\n";
    }
    return result;
}

} // namespace

std::optional<AlikeVersions> with_switched_endings(std::string_view base, std::string_view upstream,
                                                   std::string_view local) {
    const auto old = ending_of(base);
    if (!old)
        return std::nullopt;
    const auto fresh = *old == Ending::lf ? Ending::crlf : Ending::lf;
    const bool by_upstream = ending_of(upstream) == fresh;
    if (!by_upstream && ending_of(local) != fresh)
        return std::nullopt;
    return AlikeVersions{with_ending(base, fresh), with_ending(upstream, fresh), with_ending(local, fresh),
                         fresh == Ending::lf ? "LF" : "CRLF", by_upstream};
}

} // namespace carry::merge
