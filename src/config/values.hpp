/// Reading a value of each type of the table. All throw Error{usage} that begins with `where`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carry::config {

/// git's words: true, yes, on, 1; false, no, off, 0 and nothing.
bool parse_boolean(std::string_view text, std::string_view name, std::string_view where);

/// A whole number of 0 or more.
std::uint64_t parse_number(std::string_view text, std::string_view name, std::string_view where);

/// A number of bytes, with k, m or g (of 1024) behind it.
std::uint64_t parse_size(std::string_view text, std::string_view name, std::string_view where);

/// Throws "WHERE: 'NAME' is not WANTED: 'TEXT'".
[[noreturn]] void throw_wrong_value(std::string_view text, std::string_view name, std::string_view wanted,
                                    std::string_view where);

} // namespace carry::config
