#include "support/lines.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace carry::test {

std::string numbered(std::string_view word, std::size_t count) {
    std::string text;
    for (std::size_t n = 1; n <= count; ++n)
        text += fmt::format("{} {}\n", word, n);
    return text;
}

std::string set_line(std::string_view text, std::size_t n, std::string_view line) {
    const auto lines = split_lines(text);
    if (n == 0 || n > lines.size())
        throw std::out_of_range(fmt::format("there is no line {} of {}", n, lines.size()));
    std::string result;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i + 1 != n) {
            result += lines[i];
            continue;
        }
        result += line;
        if (lines[i].ends_with('\n'))
            result += '\n';
    }
    return result;
}

} // namespace carry::test
