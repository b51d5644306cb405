/// The rules that go beyond three-way merging, by name (docs/merging.md). A rule proposes lines for a conflict; one
/// that is switched on decides.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace carry {

/// In the order in which they are asked.
enum class Rule : std::uint8_t {
    absorbed,
    includes,
    adjacent_lines,
    indentation,
    line_endings,
    common_ends,
    absorbed_words,
    whitespace,
    words,
    both_items,
};

struct RuleInfo {
    Rule rule;
    std::string_view name; ///< "adjacent-lines"
    std::string_view meaning;
    bool on_by_default;
    double precision; ///< measured: right of those proposed; docs/merging.md says how
};

/// All of them, in the order of Rule.
std::span<const RuleInfo> rule_table();
std::string_view to_string(Rule rule);
std::optional<Rule> rule_by_name(std::string_view name);

/// Which rules decide.
class RuleSet {
public:
    constexpr RuleSet() = default;
    static RuleSet defaults();
    static RuleSet all();

    [[nodiscard]] constexpr bool has(Rule rule) const noexcept { return (m_bits & bit(rule)) != 0; }
    constexpr void add(Rule rule) noexcept { m_bits |= bit(rule); }
    constexpr void add(RuleSet rules) noexcept { m_bits |= rules.m_bits; }
    friend constexpr bool operator==(RuleSet, RuleSet) = default;

private:
    static constexpr std::uint32_t bit(Rule rule) noexcept { return std::uint32_t{1} << static_cast<unsigned>(rule); }
    std::uint32_t m_bits = 0;
};

} // namespace carry
