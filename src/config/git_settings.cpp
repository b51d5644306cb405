#include "base/text.hpp"
#include "config/nearest.hpp"
#include "config/settings.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace carry::config {
namespace {

/// git lists section and name in lower case.
std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

[[noreturn]] void throw_unknown(const git::Config::Entry& entry) {
    std::vector<std::string> known;
    for (const auto& key : keys())
        known.push_back(lower_case(key.git_name));
    Error error(ErrorKind::usage, fmt::format("{}: unknown key {}", escape_terminal(entry.origin), quoted(entry.key)));
    if (const auto meant = nearest(entry.key, known)) {
        const auto same = [&](const Key& key) { return lower_case(key.git_name) == *meant; };
        error.hint(fmt::format("did you mean '{}'?", std::find_if(keys().begin(), keys().end(), same)->git_name));
    }
    throw error;
}

} // namespace

void read_git_config(Settings& settings, const git::Config& config) {
    struct Found {
        std::vector<std::string> values;
        std::string origin; ///< of the last one, which wins
    };
    std::map<std::string, Found, std::less<>> found; // by YAML name
    for (const auto& entry : config.with_prefix("carry.")) {
        const auto same = [&](const Key& key) { return lower_case(key.git_name) == entry.key; };
        const auto key = std::find_if(keys().begin(), keys().end(), same);
        if (key == keys().end())
            throw_unknown(entry);
        if (!entry.value && key->type != "boolean")
            throw Error(ErrorKind::usage,
                        fmt::format("{}: '{}' has no value", escape_terminal(entry.origin), key->git_name));
        auto& here = found[key->yaml_name];
        here.values.push_back(entry.value.value_or("true"));
        here.origin = entry.origin;
    }
    for (const auto& [name, values] : found)
        set_value(settings, name, values.values, escape_terminal(values.origin));
}

} // namespace carry::config
