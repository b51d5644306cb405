#include "git/config.hpp"

#include "base/text.hpp"

#include <carry/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <limits>

namespace carry::git {

namespace {

char lower(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

/// Section and name in lower case, as git lists them; the subsection keeps its letters.
std::string canonical_key(std::string_view key) {
    std::string text(key);
    const auto first = text.find('.');
    const auto last = text.rfind('.');
    if (first == std::string::npos)
        return text;
    const auto at = [&](std::size_t position) { return text.begin() + static_cast<std::ptrdiff_t>(position); };
    std::transform(text.begin(), at(first), text.begin(), lower);
    std::transform(at(last), text.end(), at(last), lower);
    return text;
}

std::optional<std::int64_t> parse_int(const std::string& text) {
    errno = 0;
    char* end = nullptr;
    const std::intmax_t number = std::strtoimax(text.c_str(), &end, 0);
    if (end == text.c_str() || errno != 0)
        return std::nullopt;
    std::int64_t unit = 1;
    if (const std::string_view suffix = end; equals_ignoring_case(suffix, "k"))
        unit = std::int64_t{1} << 10U;
    else if (equals_ignoring_case(suffix, "m"))
        unit = std::int64_t{1} << 20U;
    else if (equals_ignoring_case(suffix, "g"))
        unit = std::int64_t{1} << 30U;
    else if (!suffix.empty())
        return std::nullopt;
    if (number > std::numeric_limits<std::int64_t>::max() / unit ||
        number < std::numeric_limits<std::int64_t>::min() / unit)
        return std::nullopt;
    return number * unit;
}

std::optional<bool> parse_bool(const std::optional<std::string>& value) {
    if (!value)
        return true;
    const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
        return std::any_of(words.begin(), words.end(),
                           [&](std::string_view word) { return equals_ignoring_case(*value, word); });
    };
    if (is_one_of({"true", "yes", "on"}))
        return true;
    if (is_one_of({"false", "no", "off", ""}))
        return false;
    if (const auto number = parse_int(*value))
        return *number != 0;
    return std::nullopt;
}

Error wrong_value(const Config::Entry& entry, std::string_view wanted) {
    return Error(ErrorKind::usage, "'" + entry.key + "' in " + entry.origin + " is not " + std::string(wanted) + ": " +
                                       (entry.value ? quoted(*entry.value) : "no value"));
}

} // namespace

Config Config::read(const Program& program) {
    const std::string text = program.output({"config", "-l", "-z", "--show-origin", "--show-scope"});
    const auto fields = split_terminated(text, '\0');
    constexpr std::size_t fields_per_entry = 3;
    Config config;
    config.m_entries.reserve(fields.size() / fields_per_entry);
    for (std::size_t i = 0; i + 2 < fields.size(); i += fields_per_entry) {
        Entry entry;
        entry.scope = fields[i];
        entry.origin = fields[i + 1];
        const std::string_view pair = fields[i + 2];
        const auto newline = pair.find('\n');
        entry.key = pair.substr(0, newline);
        if (newline != std::string_view::npos)
            entry.value = pair.substr(newline + 1);
        config.m_by_key.emplace(entry.key, config.m_entries.size());
        config.m_entries.push_back(std::move(entry));
    }
    return config;
}

const Config::Entry* Config::last(std::string_view key) const {
    const auto [begin, end] = m_by_key.equal_range(canonical_key(key));
    return begin == end ? nullptr : &m_entries[std::prev(end)->second];
}

std::optional<std::string> Config::get(std::string_view key) const {
    const Entry* entry = last(key);
    if (entry == nullptr)
        return std::nullopt;
    return entry->value.value_or("");
}

std::vector<std::string> Config::get_all(std::string_view key) const {
    std::vector<std::string> values;
    const auto [begin, end] = m_by_key.equal_range(canonical_key(key));
    for (auto it = begin; it != end; ++it)
        values.push_back(m_entries[it->second].value.value_or(""));
    return values;
}

std::optional<bool> Config::get_bool(std::string_view key) const {
    const Entry* entry = last(key);
    if (entry == nullptr)
        return std::nullopt;
    if (const auto value = parse_bool(entry->value))
        return value;
    throw wrong_value(*entry, "a boolean");
}

std::optional<std::int64_t> Config::get_int(std::string_view key) const {
    const Entry* entry = last(key);
    if (entry == nullptr)
        return std::nullopt;
    if (const auto value = entry->value ? parse_int(*entry->value) : std::nullopt)
        return value;
    throw wrong_value(*entry, "a number");
}

std::vector<Config::Entry> Config::with_prefix(std::string_view prefix) const {
    std::vector<Entry> entries;
    std::copy_if(m_entries.begin(), m_entries.end(), std::back_inserter(entries),
                 [&](const Entry& entry) { return std::string_view(entry.key).starts_with(prefix); });
    return entries;
}

} // namespace carry::git
