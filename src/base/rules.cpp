#include <carry/rules.hpp>

#include <algorithm>
#include <array>

namespace carry {

namespace {

constexpr std::array table = {
    RuleInfo{Rule::absorbed, "absorbed", "upstream's change holds the whole local change: upstream's lines", true, .90},
    RuleInfo{Rule::includes, "includes", "the local change holds upstream's whole change: the local lines", true, .95},
    RuleInfo{Rule::adjacent_lines, "adjacent-lines",
             "each side rewrote lines of its own that stand next to the other's: both rewrites", true, 1.0},
    RuleInfo{Rule::indentation, "indentation",
             "one side only moved the lines in or out: the other side's lines, moved alike", true, 1.0},
    RuleInfo{Rule::line_endings, "line-endings",
             "one side switched the file's line endings: both changes, with the new endings", true, 1.0},
    RuleInfo{Rule::common_ends, "common-ends",
             "both sides begin or end alike and one has nothing else: the longer side", false, .84},
    RuleInfo{Rule::absorbed_words, "absorbed-words", "one side's words hold all that the other changed: that side",
             false, .88},
    RuleInfo{Rule::whitespace, "whitespace", "one side changed nothing but whitespace: the other side", false, .68},
    RuleInfo{Rule::words, "words", "the sides changed different words of the same lines: both", false, .65},
    RuleInfo{Rule::both_items, "both-items", "both sides added lines in one place: upstream's, then the local ones",
             false, .12},
};

} // namespace

std::span<const RuleInfo> rule_table() {
    return table;
}

std::string_view to_string(Rule rule) {
    return table.at(static_cast<std::size_t>(rule)).name;
}

std::optional<Rule> rule_by_name(std::string_view name) {
    const auto found = std::ranges::find(table, name, &RuleInfo::name);
    return found == table.end() ? std::nullopt : std::optional<Rule>(found->rule);
}

RuleSet RuleSet::defaults() {
    RuleSet rules;
    for (const auto& info : table)
        if (info.on_by_default)
            rules.add(info.rule);
    return rules;
}

RuleSet RuleSet::all() {
    RuleSet rules;
    for (const auto& info : table)
        rules.add(info.rule);
    return rules;
}

} // namespace carry
