/// Texts that merge tests are made of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace carry::test {

/// numbered("line", 3) is "line 1\nline 2\nline 3\n".
std::string numbered(std::string_view word, std::size_t count);

/// `text` with its line number `n` (from 1) replaced by `line`, its newline kept. Throws std::out_of_range.
std::string set_line(std::string_view text, std::size_t n, std::string_view line);

} // namespace carry::test
