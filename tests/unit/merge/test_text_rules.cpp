/// Rules at work in the merge of a whole file.

#include "merge/text_merge.hpp"
#include "support/lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace carry::merge {
namespace {

using test::numbered;
using test::set_line;

TextMerge merged(std::string_view base, std::string_view upstream, std::string_view local,
                 const TextRules& rules = {.deciding = RuleSet::defaults()},
                 git::ConflictStyle style = git::ConflictStyle::zdiff3) {
    git::MergeOptions options;
    options.style = style;
    auto result = merge_text(base, upstream, local, options, rules);
    EXPECT_TRUE(result.has_value());
    return result.value_or(TextMerge{});
}

std::string with_crlf(std::string text) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2))
        text.insert(at, 1, '\r');
    return text;
}

const std::string base = numbered("line", 30);

TEST(TextRules, ResolveAFileWhereTheySettleEveryConflict) {
    const auto upstream = set_line(set_line(base, 10, "line 1O"), 2, "UP");
    const auto local = set_line(set_line(base, 11, "line l1"), 20, "MINE");
    for (const auto style : {git::ConflictStyle::zdiff3, git::ConflictStyle::diff3, git::ConflictStyle::merge}) {
        const auto result = merged(base, upstream, local, {.deciding = RuleSet::defaults()}, style);
        EXPECT_TRUE(result.clean);
        EXPECT_EQ(result.bytes, set_line(set_line(upstream, 11, "line l1"), 20, "MINE"));
        ASSERT_EQ(result.hunks.size(), 2U);
        EXPECT_EQ(result.hunks[0].fate, Fate::resolved);
        EXPECT_EQ(result.hunks[0].reason, "rule adjacent-lines");
        EXPECT_EQ(result.hunks[0].result, (git::LineRange{9, 2}));
        EXPECT_EQ(result.hunks[1].fate, Fate::kept);
        EXPECT_EQ(result.hunks[1].result, (git::LineRange{19, 1}));
    }
}

TEST(TextRules, LeaveTheFileToAPersonWhereOneConflictRemains) {
    const auto upstream = set_line(set_line(base, 10, "line 1O"), 25, "theirs");
    const auto local = set_line(set_line(base, 11, "line l1"), 25, "mine");
    const auto result = merged(base, upstream, local);
    EXPECT_FALSE(result.clean);
    EXPECT_EQ(result.bytes, merged(base, upstream, local, {}).bytes);
    ASSERT_EQ(result.hunks.size(), 2U);
    EXPECT_EQ(result.hunks[0].fate, Fate::conflict);
    ASSERT_FALSE(result.hunks[0].proposals.empty());
    EXPECT_EQ(result.hunks[0].proposals[0].rule, Rule::adjacent_lines);
    EXPECT_EQ(result.hunks[0].proposals[0].bytes, "line 1O\nline l1\n");
    EXPECT_TRUE(result.hunks[1].proposals.empty());
}

TEST(TextRules, SwitchedOffTheyOnlyPropose) {
    const auto result = merged(base, set_line(base, 10, "line 1O"), set_line(base, 11, "line l1"), {});
    EXPECT_FALSE(result.clean);
    ASSERT_EQ(result.hunks.size(), 1U);
    ASSERT_FALSE(result.hunks[0].proposals.empty());
    EXPECT_EQ(result.hunks[0].proposals[0].rule, Rule::adjacent_lines);
}

TEST(TextRules, AreNotAskedWhereBothSidesAddedTheFile) {
    const auto result = merged("", "one\ntwo\n", "one\n");
    EXPECT_FALSE(result.clean);
    EXPECT_TRUE(std::ranges::all_of(result.hunks, [](const HunkOutcome& hunk) { return hunk.proposals.empty(); }));
}

TEST(TextRules, TheSameLineChangedTwiceStaysAConflict) {
    EXPECT_FALSE(merged("LIMIT = 10\n", "LIMIT = 20\n", "LIMIT = 99\n", {.deciding = RuleSet::defaults()}).clean);
}

TEST(TextRules, AReindentedFileTakesALocalLineAlong) {
    std::string tabs = "def main():\n";
    std::string spaces = tabs;
    for (int i = 1; i <= 20; ++i) {
        const auto rest = "value_" + std::to_string(i) + " = " + std::to_string(i) + "\n";
        tabs += '\t' + rest;
        spaces += "    " + rest;
    }
    const TextRules rules{.deciding = RuleSet::defaults(), .path = "m.py"};
    const auto carried = merged(tabs, spaces, set_line(tabs, 8, "\tvalue_7 = 700"), rules);
    EXPECT_TRUE(carried.clean);
    EXPECT_EQ(carried.bytes, set_line(spaces, 8, "    value_7 = 700"));
    const auto other_way = merged(tabs, set_line(tabs, 8, "\tvalue_7 = 700"), spaces, rules);
    EXPECT_TRUE(other_way.clean);
    EXPECT_EQ(other_way.bytes, carried.bytes);
    // upstream edits a line as well
    const auto both =
        merged(tabs, set_line(spaces, 15, "    value_14 = 41"), set_line(tabs, 8, "\tvalue_7 = 700"), rules);
    EXPECT_TRUE(both.clean);
    EXPECT_EQ(both.bytes, set_line(set_line(spaces, 15, "    value_14 = 41"), 8, "    value_7 = 700"));
}

TEST(TextRules, ASwitchOfLineEndingsIsNoConflict) {
    const auto crlf = with_crlf(base);
    const auto edited = set_line(base, 3, "mine");
    const auto upstream = set_line(base, 18, "up");
    const auto both = set_line(upstream, 3, "mine");

    const auto to_lf = merged(crlf, upstream, with_crlf(edited));
    EXPECT_TRUE(to_lf.clean);
    EXPECT_EQ(to_lf.bytes, both);
    ASSERT_EQ(to_lf.hunks.size(), 1U);
    EXPECT_EQ(to_lf.hunks[0].fate, Fate::resolved);
    EXPECT_EQ(to_lf.hunks[0].reason, "rule line-endings");
    EXPECT_EQ(to_lf.note, "rule line-endings: merged by lines, with upstream's line endings (LF)");

    EXPECT_EQ(merged(base, with_crlf(upstream), edited).bytes, with_crlf(both));
    const auto by_local = merged(base, upstream, with_crlf(edited));
    EXPECT_EQ(by_local.bytes, with_crlf(both));
    EXPECT_EQ(by_local.note, "rule line-endings: merged by lines, with your line endings (CRLF)");
    EXPECT_EQ(merged(crlf, upstream, edited).bytes, both); // both switched
}

TEST(TextRules, ASwitchOfLineEndingsLeavesOnlyTheRealConflict) {
    const auto crlf = with_crlf(base);
    const auto result = merged(crlf, set_line(base, 3, "theirs"), with_crlf(set_line(base, 3, "mine")));
    EXPECT_FALSE(result.clean);
    EXPECT_EQ(std::ranges::count(result.bytes, '\r'), 0);
    EXPECT_EQ(std::ranges::count(result.hunks, Fate::conflict, &HunkOutcome::fate), 1);
    EXPECT_EQ(result.hunks[0].base, (git::LineRange{2, 1}));
    EXPECT_FALSE(merged(crlf, base, with_crlf(set_line(base, 3, "mine")), {}).clean); // off
}

} // namespace
} // namespace carry::merge
