#include "config/values.hpp"

#include "base/text.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace carry::config {
namespace {

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    if (result.ec != std::errc() || result.ptr != end)
        return std::nullopt;
    return number;
}

unsigned shift_of(char unit) {
    switch (unit) {
    case 'k':
        return 10;
    case 'm':
        return 20;
    case 'g':
        return 30;
    default:
        return 0;
    }
}

} // namespace

void throw_wrong_value(std::string_view text, std::string_view name, std::string_view wanted, std::string_view where) {
    const std::string place = where.empty() ? std::string() : fmt::format("{}: ", where);
    throw Error(ErrorKind::usage, fmt::format("{}'{}' is not {}: {}", place, name, wanted, quoted(text)));
}

bool parse_boolean(std::string_view text, std::string_view name, std::string_view where) {
    const std::string word = lower_case(text);
    if (word == "true" || word == "yes" || word == "on" || word == "1")
        return true;
    if (word == "false" || word == "no" || word == "off" || word == "0" || word.empty())
        return false;
    throw_wrong_value(text, name, "true or false", where);
}

std::uint64_t parse_number(std::string_view text, std::string_view name, std::string_view where) {
    const auto number = whole_number(text);
    if (!number)
        throw_wrong_value(text, name, "a whole number", where);
    return *number;
}

std::uint64_t parse_size(std::string_view text, std::string_view name, std::string_view where) {
    std::string digits = lower_case(text);
    const unsigned shift = digits.empty() ? 0 : shift_of(digits.back());
    if (shift > 0)
        digits.pop_back();
    const auto number = whole_number(digits);
    if (!number || *number > (std::numeric_limits<std::uint64_t>::max() >> shift))
        throw_wrong_value(text, name, "a size in bytes (k, m or g may follow)", where);
    return *number << shift;
}

} // namespace carry::config
