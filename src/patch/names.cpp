#include "patch/names.hpp"

#include <fmt/format.h>

namespace carry::patch {

namespace {

constexpr std::size_t longest = 64;

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// Everything else becomes one dash; no dash or dot at an end, so that no name is hidden or odd.
std::string slug(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (is_plain(c))
            result += c;
        else if (!result.empty() && result.back() != '-')
            result += '-';
    }
    return result;
}

std::string numbered_name(std::size_t number, std::string_view text) {
    const auto first = text.find_first_not_of("-.");
    const auto last = text.find_last_not_of("-.");
    const auto body = first == std::string_view::npos ? "patch" : text.substr(first, last - first + 1);
    return fmt::format("{:04}-{}.patch", number, body);
}

} // namespace

std::string patch_name_of_subject(std::size_t number, std::string_view subject) {
    return numbered_name(number, std::string_view(slug(subject)).substr(0, longest));
}

std::string patch_name_of_path(std::size_t number, std::string_view path) {
    const auto text = slug(path);
    return numbered_name(number, std::string_view(text).substr(text.size() > longest ? text.size() - longest : 0));
}

std::string with_extension(std::string_view patch_name, std::string_view extension) {
    return std::string(patch_name.substr(0, patch_name.rfind('.'))) + std::string(extension);
}

} // namespace carry::patch
