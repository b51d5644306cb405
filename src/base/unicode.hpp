/// Code points of UTF-8 text, for what text.cpp and directory.cpp have to know of them.
#pragma once

#include <optional>
#include <string_view>

namespace carry {

/// Takes the first code point off `bytes`. Where they do not begin with well-formed UTF-8 (RFC 3629: no overlong
/// forms, no surrogates) it takes one byte and returns nothing. `bytes` must not be empty.
std::optional<char32_t> take_code_point(std::string_view& bytes);

} // namespace carry
