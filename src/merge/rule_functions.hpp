/// The rules themselves; rules.hpp is what the merge uses.
#pragma once

#include "merge/rules.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carry::merge {

using RuleResult = std::optional<std::string>;

// rule_lines.cpp
RuleResult rule_absorbed(const ConflictLines& conflict);
RuleResult rule_includes(const ConflictLines& conflict);
RuleResult rule_adjacent_lines(const ConflictLines& conflict);
RuleResult rule_common_ends(const ConflictLines& conflict);
RuleResult rule_both_items(const ConflictLines& conflict);

// rule_space.cpp
RuleResult rule_indentation(const ConflictLines& conflict);
RuleResult rule_whitespace(const ConflictLines& conflict);

// rule_words.cpp
RuleResult rule_absorbed_words(const ConflictLines& conflict);
RuleResult rule_words(const ConflictLines& conflict);

/// True where `outer` holds the whole change from `base` to `inner`: all that inner added stands in outer, all that it
/// removed is gone there. `counts` says which added items make a change worth the name.
bool holds_change(const Items& base, const Items& outer, const Items& inner, bool (*counts)(std::string_view));

/// A letter or a digit, or a byte beyond ASCII.
bool has_word(std::string_view text);

/// Words, runs of blanks and single other characters.
Items words_of(std::string_view text);

/// How much of two texts is the same characters in the same order, 0 to 1; blanks do not count. Nothing of long ones
/// that differ.
double likeness(std::string_view a, std::string_view b);

} // namespace carry::merge
