/// Each rule: where it proposes what, and where it must keep silent.

#include "base/text.hpp"
#include "merge/chunk_text.hpp"
#include "merge/rule_functions.hpp"
#include "merge/rules.hpp"

#include <gtest/gtest.h>

#include <string>

namespace carry::merge {
namespace {

/// Lines of one conflict; "|" ends a line.
class Texts {
public:
    Texts(std::string base, std::string upstream, std::string local, std::string_view path = "a.c")
        : m_texts{lines(std::move(base)), lines(std::move(upstream)), lines(std::move(local))} {
        conflict.base = split_lines(m_texts[0]);
        conflict.upstream = split_lines(m_texts[1]);
        conflict.local = split_lines(m_texts[2]);
        conflict.traits = traits_of(path);
    }
    Texts(const Texts&) = delete;
    Texts& operator=(const Texts&) = delete;

    static std::string lines(std::string text) {
        for (auto& c : text)
            c = c == '|' ? '\n' : c;
        return text;
    }
    ConflictLines conflict;

private:
    std::string m_texts[3];
};

/// What `rule` makes of the three, with "|" for a line's end; "-" where it proposes nothing.
std::string by(RuleResult (*rule)(const ConflictLines&), const Texts& texts) {
    auto result = rule(texts.conflict).value_or("-");
    for (auto& c : result)
        c = c == '\n' ? '|' : c;
    return result;
}

TEST(RuleAbsorbed, TakesUpstreamWhereItHoldsTheWholeLocalChange) {
    EXPECT_EQ(by(rule_absorbed, {"a|b|", "a|check(x);|log(x);|b|", "a|check(x);|b|"}), "a|check(x);|log(x);|b|");
    EXPECT_EQ(by(rule_absorbed, {"old(x);|rest();|", "new(x, y);|other();|", "new(x, y);|rest();|"}),
              "new(x, y);|other();|");
}

TEST(RuleAbsorbed, IsSilentWhereSomethingOfTheLocalChangeWouldBeLost) {
    EXPECT_EQ(by(rule_absorbed, {"limit = 10|", "limit = 20|", "limit = 99|"}), "-");
    EXPECT_EQ(by(rule_absorbed, {"", "check(x);|log(x);|", "check(x);|trace(x);|"}), "-");
    // the local side removed a line that upstream still has
    EXPECT_EQ(by(rule_absorbed, {"a();|b();|", "a();|b();|c();|", "a();|c();|"}), "-");
    // the local side removed the line that upstream only rewrote
    EXPECT_EQ(by(rule_absorbed, {"old.flags |= F;|new.path = old.path;|", "old_file.flags |= F;|new_file.path = x;|",
                                 "new_file.path = x;|"}),
              "-");
    // braces and empty lines make no change
    EXPECT_EQ(by(rule_absorbed, {"x();|", "y();|}|", "x();|}|"}), "-");
    // a removal alone: what upstream made of the line may have to go as well
    EXPECT_EQ(by(rule_absorbed, {"a = 1|b = 2|", "a = 1|b = 3|", "a = 1|"}), "-");
}

TEST(RuleIncludes, TakesTheLocalSideWhereItHoldsUpstreamsWholeChange) {
    EXPECT_EQ(by(rule_includes, {"a|b|", "a|check(x);|b|", "a|check(x);|log(x);|b|"}), "a|check(x);|log(x);|b|");
    EXPECT_EQ(by(rule_includes, {"a|b|", "a|check(y);|b|", "a|check(x);|log(x);|b|"}), "-");
    EXPECT_EQ(by(rule_includes, {"limit = 10|", "limit = 20|", "limit = 99|"}), "-");
}

TEST(RuleAdjacentLines, TakesBothSidesRewrites) {
    EXPECT_EQ(by(rule_adjacent_lines,
                 {"theme = robby|home = old.example.org/wiki|", "theme = robby|home = new.example.org/wiki|",
                  "theme = bobby|home = old.example.org/wiki|"}),
              "theme = bobby|home = new.example.org/wiki|");
    EXPECT_EQ(by(rule_adjacent_lines, {"alpha = 100|beta = 200|gamma = 300|", "alpha = 101|beta = 200|gamma = 301|",
                                       "alpha = 100|beta = 202|gamma = 300|"}),
              "alpha = 101|beta = 202|gamma = 301|");
}

TEST(RuleAdjacentLines, IsSilentWhereALineIsContestedNewOrGone) {
    EXPECT_EQ(by(rule_adjacent_lines, {"limit = 10|", "limit = 20|", "limit = 99|"}), "-");
    EXPECT_EQ(
        by(rule_adjacent_lines, {"alpha = 100|beta = 200|", "alpha = 101|beta = 201|", "alpha = 100|beta = 202|"}),
        "-");
    EXPECT_EQ(by(rule_adjacent_lines, {"alpha = 100|beta = 200|", "beta = 200|", "alpha = 100|beta = 202|"}), "-");
    EXPECT_EQ(by(rule_adjacent_lines,
                 {"alpha = 100|beta = 200|", "alpha = 101|more = 1|beta = 200|", "alpha = 100|beta = 202|"}),
              "-");
    // what stands there now is another line, not a new version of it
    EXPECT_EQ(by(rule_adjacent_lines, {"kv_cache_dtype,|k_scale,|", "-1,|k_scale,|", "kv_cache_dtype,|1.0 / root,|"}),
              "-");
}

TEST(RuleIndentation, MovesTheOtherSidesLinesAlike) {
    EXPECT_EQ(by(rule_indentation, {"\tone();|\ttwo();|\tthree();|", "    one();|    two();|    three();|",
                                    "\tone();|\ttwo(2);|\tthree();|"}),
              "    one();|    two(2);|    three();|");
    EXPECT_EQ(by(rule_indentation, {"one();|two();|three();|", "if (x) {|    one();|    two();|    three();|}|",
                                    "one();|two(2);|three();|"}),
              "if (x) {|    one();|    two(2);|    three();|}|");
    // out again, by the local side; upstream's new line, deeper by one, goes along
    EXPECT_EQ(by(rule_indentation, {"    for x in y:|        one(x)|    two()|",
                                    "    for x in y:|        one(x)|        "
                                    "more(x)|    two()|",
                                    "for x in y:|    one(x)|two()|", "a.py"}),
              "for x in y:|    one(x)|    more(x)|two()|");
    EXPECT_EQ(by(rule_indentation, {"\tif x:|\t\ta()|\tb()|", "    if x:|        a()|    b()|",
                                    "\tif x:|\t\ta()|\t\t\tc()|\tb()|", "a.py"}),
              "    if x:|        a()|            c()|    b()|");
}

TEST(RuleIndentation, LeavesEmptyLinesAsTheyAre) {
    EXPECT_EQ(by(rule_indentation, {"a();||b();|", "  a();||  b();|", "a();||b(1);|"}), "  a();||  b(1);|");
}

TEST(RuleIndentation, IsSilentWhereTheShiftIsNotOneForAllLines) {
    // two blocks, moved by different widths
    EXPECT_EQ(by(rule_indentation, {"a();|b();|", "  a();|    b();|", "a();|b(1);|"}), "-");
    // both sides moved them
    EXPECT_EQ(by(rule_indentation, {"a();|b();|", "  a();|  b();|", "    a();|b(1);|"}), "-");
    // inside of the new block, or after it
    EXPECT_EQ(by(rule_indentation, {"a()|b()|", "if x:|    a()|    b()|", "a()|b()|c()|", "a.py"}), "-");
    // one reading makes six spaces of four, another makes eight: nobody knows which was meant
    EXPECT_EQ(by(rule_indentation, {"  a()|  b()|", "    a()|    b()|", "  a()|    c()|  b()|", "a.py"}), "-");
    // the same line changed on both sides besides
    EXPECT_EQ(by(rule_indentation, {"a();|b();|c();|", "  a();|  b(1);|  c();|", "a();|b(2);|c();|"}), "-");
}

TEST(RuleCommonEnds, TakesTheSideThatHasTheOthersLinesAtItsEnds) {
    EXPECT_EQ(by(rule_common_ends, {"", "one();|two();|", "one();|"}), "one();|two();|");
    EXPECT_EQ(by(rule_common_ends, {"", "first();|last();|", "first();|middle();|last();|"}),
              "first();|middle();|last();|");
    EXPECT_EQ(by(rule_common_ends, {"", "one();|two();|", "one();|three();|"}), "-");
    EXPECT_EQ(by(rule_common_ends, {"", "}|", "}|one();|"}), "-");
    EXPECT_EQ(by(rule_common_ends, {"", "same();|same();|", "same();|"}), "same();|same();|");
}

TEST(RuleAbsorbedWords, TakesTheSideWhoseWordsHoldTheOthersChange) {
    EXPECT_EQ(by(rule_absorbed_words, {"f(a);|", "f(a, b, c);|", "f(a, b);|"}), "f(a, b, c);|");
    EXPECT_EQ(by(rule_absorbed_words, {"f(a);|", "f(a, b);|", "f(a, b, c);|"}), "f(a, b, c);|");
    EXPECT_EQ(by(rule_absorbed_words, {"limit = 10|", "limit = 20|", "limit = 99|"}), "-");
}

TEST(RuleWhitespace, TakesTheSideThatChangedMore) {
    EXPECT_EQ(by(rule_whitespace, {"f(a,b);|", "f(a, b);|", "g(a,b);|"}), "g(a,b);|");
    EXPECT_EQ(by(rule_whitespace, {"f(a,b);|", "g(a,b);|", "f( a,b );|"}), "g(a,b);|");
    EXPECT_EQ(by(rule_whitespace, {"f(a,b);|", "h(a,b);|", "g(a,b);|"}), "-");
    for (const char* path : {"a.py", "deep/Makefile", "rules.mk", "ci.yml"})
        EXPECT_EQ(by(rule_whitespace, {"f(a,b)|", "    f(a,b)|", "g(a,b)|", path}), "-") << path;
}

TEST(RuleWords, TakesBothSidesWordsOfALine) {
    EXPECT_EQ(by(rule_words,
                 {"call(first, second, third);|", "call(first, second, fourth);|", "invoke(first, second, third);|"}),
              "invoke(first, second, fourth);|");
    EXPECT_EQ(by(rule_words, {"limit = 10|", "limit = 20|", "limit = 99|"}), "-");
    EXPECT_EQ(by(rule_words, {"one|two|", "one|", "one|three|"}), "-");
}

TEST(RuleBothItems, PutsUpstreamsLinesFirst) {
    EXPECT_EQ(by(rule_both_items, {"", "upstream|", "local|"}), "upstream|local|");
    EXPECT_EQ(by(rule_both_items, {"base|", "upstream|", "local|"}), "-");
}

TEST(Rules, AreAskedInOrderAndDecideOnlyWhereSwitchedOn) {
    const Texts texts("a|b|", "a|check(x);|log(x);|b|", "a|check(x);|b|");
    const auto proposals = propose(texts.conflict);
    ASSERT_FALSE(proposals.empty());
    EXPECT_EQ(proposals.front().rule, Rule::absorbed);
    EXPECT_EQ(decision(proposals, {}), nullptr);
    RuleSet only;
    only.add(Rule::includes);
    EXPECT_EQ(decision(proposals, only), nullptr);
    ASSERT_NE(decision(proposals, RuleSet::defaults()), nullptr);
    EXPECT_EQ(decision(proposals, RuleSet::defaults())->bytes, "a\ncheck(x);\nlog(x);\nb\n");
}

TEST(Rules, AreNotAskedAboutGeneratedFiles) {
    for (const char* path : {"Cargo.lock", "web/package-lock.json", "go.sum", "yarn.lock", "app.min.js"})
        EXPECT_TRUE(propose(Texts("a|b|", "a|check(x);|log(x);|b|", "a|check(x);|b|", path).conflict).empty()) << path;
}

TEST(Rules, NeverPutALineBehindOneWithoutItsNewline) {
    const Texts texts("alpha = 100|beta = 200", "alpha = 101|beta = 200", "alpha = 100|beta = 202|gamma = 300");
    for (const auto& proposal : propose(texts.conflict))
        EXPECT_TRUE(proposal.bytes == bytes_of(texts.conflict.upstream) ||
                    proposal.bytes == bytes_of(texts.conflict.local));
    const Texts both("", "upstream", "local");
    EXPECT_TRUE(propose(both.conflict).empty());
}

TEST(Rules, HaveATableInTheirOrderWithTheMeasuredOnesOn) {
    std::size_t i = 0;
    for (const auto& info : rule_table()) {
        EXPECT_EQ(static_cast<std::size_t>(info.rule), i++);
        EXPECT_EQ(rule_by_name(info.name), info.rule);
        EXPECT_EQ(info.on_by_default, info.precision >= 0.9) << info.name;
        EXPECT_EQ(RuleSet::defaults().has(info.rule), info.on_by_default) << info.name;
        EXPECT_TRUE(RuleSet::all().has(info.rule));
    }
    EXPECT_EQ(rule_by_name("guess"), std::nullopt);
}

} // namespace
} // namespace carry::merge
