#include "config/settings.hpp"

#include "base/text.hpp"
#include "config/nearest.hpp"
#include "config/values.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace carry::config {
namespace {

using Values = std::vector<std::string>;

/// A key with the way its values get into the settings. `where` is for messages.
struct Row {
    Key key;
    void (*set)(Settings&, const Values&, std::string_view where);
};

template <typename Enum>
using Words = std::vector<std::pair<std::string_view, Enum>>;

template <typename Enum>
Enum word_of(const Values& values, std::string_view name, const Words<Enum>& words, std::string_view where) {
    std::string known;
    for (const auto& [word, value] : words) {
        if (values.back() == word)
            return value;
        known += known.empty() ? "" : word == words.back().first ? " or " : ", ";
        known += word;
    }
    throw_wrong_value(values.back(), name, known, where);
}

template <typename Number>
Number number_of(const Values& values, std::string_view name, std::string_view where) {
    const auto number = parse_number(values.back(), name, where);
    if (number > std::numeric_limits<Number>::max())
        throw_wrong_value(values.back(), name, "a number of that range", where);
    return static_cast<Number>(number);
}

[[noreturn]] void throw_wrong_rule(std::string_view name, std::string_view where) {
    std::vector<std::string> known = {"none", "all", "default"};
    for (const auto& info : rule_table())
        known.emplace_back(info.name);
    const std::string place = where.empty() ? std::string() : fmt::format("{}: ", where);
    Error error(ErrorKind::usage, fmt::format("{}'rules' names no rule {}", place, quoted(name)));
    if (const auto meant = nearest(name, known))
        error.hint(fmt::format("did you mean '{}'?", *meant));
    else
        error.hint(fmt::format("rules are {}", join(known, ", ")));
    throw error;
}

void set_on_conflict(Settings& settings, const Values& values, std::string_view where) {
    settings.on_conflict = word_of<OnConflict>(
        values, "on-conflict", {{"stop", OnConflict::stop}, {"mark", OnConflict::mark}, {"park", OnConflict::park}},
        where);
}

void set_integrate(Settings& settings, const Values& values, std::string_view where) {
    settings.integrate = word_of<Integrate>(
        values, "integrate",
        {{"auto", Integrate::automatic}, {"rebase", Integrate::rebase}, {"merge", Integrate::merge}}, where);
}

void set_markers(Settings& settings, const Values& values, std::string_view where) {
    settings.markers = word_of<ConflictMarkers>(
        values, "markers",
        {{"merge", ConflictMarkers::merge}, {"diff3", ConflictMarkers::diff3}, {"zdiff3", ConflictMarkers::zdiff3}},
        where);
}

void set_upstream(Settings& settings, const Values& values, std::string_view where) {
    if (values.back().empty())
        throw_wrong_value(values.back(), "upstream", "the name of a branch, such as origin/main", where);
    settings.upstream = values.back();
}

void set_verify(Settings& settings, const Values& values, std::string_view where) {
    if (std::any_of(values.begin(), values.end(), [](const auto& value) { return trim(value).empty(); }))
        throw_wrong_value("", "verify", "a command", where);
    settings.verify = values;
}

void set_offline(Settings& settings, const Values& values, std::string_view where) {
    settings.offline = parse_boolean(values.back(), "offline", where);
}

void set_keep_runs(Settings& settings, const Values& values, std::string_view where) {
    settings.keep_runs = number_of<std::size_t>(values, "keep-runs", where);
}

void set_untracked_max_files(Settings& settings, const Values& values, std::string_view where) {
    settings.untracked_max_files = number_of<std::size_t>(values, "untracked-max-files", where);
}

void set_untracked_max_bytes(Settings& settings, const Values& values, std::string_view where) {
    settings.untracked_max_bytes = parse_size(values.back(), "untracked-max-bytes", where);
}

void set_in_the_way_limit(Settings& settings, const Values& values, std::string_view where) {
    settings.in_the_way_limit = parse_size(values.back(), "in-the-way-limit", where);
}

void set_fetch_stall_seconds(Settings& settings, const Values& values, std::string_view where) {
    settings.fetch_stall_seconds = number_of<unsigned>(values, "fetch-stall-seconds", where);
}

void set_resolutions(Settings& settings, const Values& values, std::string_view where) {
    settings.resolutions = parse_boolean(values.back(), "resolutions", where);
}

void set_hooks(Settings& settings, const Values& values, std::string_view where) {
    settings.hooks = parse_boolean(values.back(), "hooks", where);
}

void set_hook_seconds(Settings& settings, const Values& values, std::string_view where) {
    settings.hook_seconds = number_of<unsigned>(values, "hook-seconds", where);
}

/// Names, separated by commas; a list in YAML and several entries in git's configuration are put together.
void set_rules(Settings& settings, const Values& values, std::string_view where) {
    RuleSet rules;
    for (const auto& value : values)
        for (const auto word : split(value, ',')) {
            const auto name = trim(word);
            if (name == "all")
                rules.add(RuleSet::all());
            else if (name == "default")
                rules.add(RuleSet::defaults());
            else if (const auto rule = rule_by_name(name))
                rules.add(*rule);
            else if (name != "none")
                throw_wrong_rule(name, where);
        }
    settings.rules = rules;
}

const std::vector<Row>& table() {
    static const std::vector<Row> rows = {
        {{"on-conflict", "carry.onConflict", "stop|mark|park",
          "what an upgrade does with what does not merge: leave the checkout as it is, mark the conflicts in the "
          "files, or set those patches aside",
          "stop", false},
         set_on_conflict},
        {{"integrate", "carry.integrate", "auto|rebase|merge",
          "how local commits get onto the new upstream; auto rebases them where they are linear", "auto", false},
         set_integrate},
        {{"upstream", "carry.upstream", "string",
          "the branch to follow, such as origin/main, where git has none configured for the current branch", "", false},
         set_upstream},
        {{"verify", "carry.verify", "list of strings",
          "shell commands that must succeed on the new state; otherwise the upgrade is undone", "", false},
         set_verify},
        {{"offline", "carry.offline", "boolean", "take upstream as it was last fetched", "false", false}, set_offline},
        {{"resolutions", "carry.resolutions", "boolean",
          "remember how conflicts were resolved, and resolve them in the same way when they come again", "true", false},
         set_resolutions},
        {{"keep-runs", "carry.keepRuns", "integer", "how many runs that changed the checkout keep their records", "30",
          true},
         set_keep_runs},
        {{"untracked-max-files", "carry.untrackedMaxFiles", "integer",
          "how many untracked files a snapshot records; the others are listed", "10000", true},
         set_untracked_max_files},
        {{"untracked-max-bytes", "carry.untrackedMaxBytes", "size",
          "how many bytes of untracked files a snapshot records", "1g", true},
         set_untracked_max_bytes},
        {{"in-the-way-limit", "carry.inTheWayLimit", "size",
          "a larger file that stands in upstream's way is a conflict instead of being stored", "1g", false},
         set_in_the_way_limit},
        {{"fetch-stall-seconds", "carry.fetchStallSeconds", "integer",
          "a fetch that says nothing for so long is ended; 0 waits for ever", "120", true},
         set_fetch_stall_seconds},
        {{"hooks", "carry.hooks", "boolean",
          "run git's hooks post-checkout, post-merge and post-rewrite when HEAD has moved", "true", false},
         set_hooks},
        {{"hook-seconds", "carry.hookSeconds", "integer", "a hook that takes longer is ended; 0 waits for ever", "300",
          false},
         set_hook_seconds},
        {{"markers", "carry.markers", "merge|diff3|zdiff3",
          "the style of conflict markers, as git's merge.conflictStyle", "zdiff3", true},
         set_markers},
        {{"rules", "carry.rules", "list of strings",
          "rules that decide what three-way merging leaves in conflict: names, none, default or all", "default", false},
         set_rules},
    };
    return rows;
}

} // namespace

const std::vector<Key>& keys() {
    static const std::vector<Key> all = [] {
        std::vector<Key> collected;
        for (const auto& row : table())
            collected.push_back(row.key);
        return collected;
    }();
    return all;
}

void set_value(Settings& settings, std::string_view yaml_name, const std::vector<std::string>& values,
               std::string_view where) {
    const auto& rows = table();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const Row& candidate) { return candidate.key.yaml_name == yaml_name; });
    if (row == rows.end())
        throw Error(ErrorKind::usage, fmt::format("{}: unknown key {}", where, quoted(yaml_name)));
    if (values.empty() && row->key.type != "list of strings")
        throw Error(ErrorKind::usage, fmt::format("{}: '{}' has no value", where, yaml_name));
    row->set(settings, values, where);
}

bool same_settings(const Settings& a, const Settings& b) {
    const auto all = [](const Settings& s) {
        return std::tie(s.on_conflict, s.integrate, s.to, s.base, s.upstream, s.verify, s.offline, s.keep_runs,
                        s.untracked_max_files, s.untracked_max_bytes, s.in_the_way_limit, s.fetch_stall_seconds,
                        s.hooks, s.hook_seconds, s.markers, s.resolutions);
    };
    const auto same_rule = [&](const RuleInfo& info) { return a.rules.has(info.rule) == b.rules.has(info.rule); };
    return all(a) == all(b) && std::all_of(rule_table().begin(), rule_table().end(), same_rule);
}

} // namespace carry::config
