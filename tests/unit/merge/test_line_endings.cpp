#include "merge/line_endings.hpp"
#include "merge/text_merge.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace carry::merge {
namespace {

using test::numbered;
using test::set_line;

const std::string base = numbered("line", 30);
const std::string mine = set_line(base, 3, "MINE");
const std::string theirs = set_line(base, 25, "THEIRS");
const std::string both = set_line(mine, 25, "THEIRS");

std::string crlf(std::string_view text) {
    return with_line_endings(text, LineEndings::crlf);
}

const RuleSet by_lines = [] {
    RuleSet rules;
    rules.add(Rule::line_endings);
    return rules;
}();

TextMerge merged(std::string_view old, std::string_view upstream, std::string_view local,
                 const git::MergeOptions& options = {}) {
    auto result = merge_text(old, upstream, local, options, {.deciding = by_lines});
    EXPECT_TRUE(result.has_value());
    return result.value_or(TextMerge{});
}

TEST(LineEndings, AreToldApart) {
    EXPECT_EQ(line_endings_of(""), LineEndings::none);
    EXPECT_EQ(line_endings_of("no line\r"), LineEndings::none);
    EXPECT_EQ(line_endings_of("\n"), LineEndings::lf);
    EXPECT_EQ(line_endings_of("a\r\nb"), LineEndings::crlf);
    EXPECT_EQ(line_endings_of("a\r\n\n"), LineEndings::mixed);
    EXPECT_EQ(with_line_endings("a\r\n\nb\rc\r\r\nd", LineEndings::lf), "a\n\nb\rc\r\nd");
    EXPECT_EQ(with_line_endings("a\r\n\nb", LineEndings::crlf), "a\r\n\r\nb");
    EXPECT_TRUE(differ_in_endings_only("a\r\nb\n", "a\nb\r\n"));
    EXPECT_FALSE(differ_in_endings_only("a\nb\n", "a\nb\n"));
    EXPECT_FALSE(differ_in_endings_only("a\r\nb\n", "a\nc\n"));
    EXPECT_FALSE(differ_in_endings_only("a\r\n", "a\r"));
    EXPECT_FALSE(differ_in_endings_only("a\n", "a"));
}

TEST(LineEndings, FollowTheSideThatChangedThem) {
    const auto upstreams = merged(crlf(base), theirs, crlf(mine));
    EXPECT_TRUE(upstreams.clean);
    EXPECT_EQ(upstreams.bytes, both);
    EXPECT_THAT(upstreams.note, ::testing::HasSubstr("upstream's line endings (LF)"));
    ASSERT_EQ(upstreams.hunks.size(), 1U);
    EXPECT_EQ(upstreams.hunks[0].base, (git::LineRange{2, 1}));

    const auto locals = merged(base, theirs, crlf(mine));
    EXPECT_TRUE(locals.clean);
    EXPECT_EQ(locals.bytes, crlf(both));
    EXPECT_THAT(locals.note, ::testing::HasSubstr("your line endings (CRLF)"));
    EXPECT_EQ(locals.hunks.size(), 1U);

    EXPECT_EQ(merged(base, crlf(theirs), crlf(mine)).bytes, crlf(both)); // both of them
    EXPECT_EQ(merged(base, theirs, crlf(base)).bytes, crlf(theirs));     // nothing else here
    EXPECT_TRUE(merged(base, theirs, crlf(base)).hunks.empty());
    // an editor that wrote one line with the other ending
    EXPECT_EQ(merged(crlf(base), theirs, set_line(crlf(base), 3, "MINE")).bytes, both);
}

TEST(LineEndings, AMixtureGoesWhereOneSideMadeItOne) {
    const auto mixed = base + crlf(numbered("more", 10));
    const auto result = merged(mixed, with_line_endings(mixed, LineEndings::lf),
                               base + crlf(set_line(numbered("more", 10), 4, "MINE")));
    EXPECT_TRUE(result.clean);
    EXPECT_EQ(result.bytes, base + set_line(numbered("more", 10), 4, "MINE"));
    // nobody chose: git's own conflict
    EXPECT_FALSE(merged(mixed, with_line_endings(mixed, LineEndings::lf), crlf(mixed)).clean);
    EXPECT_FALSE(merged("", crlf(base), mine).clean);
}

TEST(LineEndings, AConflictIsOfTheLinesThatCollide) {
    const auto result = merged(crlf(base), set_line(base, 3, "UP"), crlf(mine));
    EXPECT_FALSE(result.clean);
    EXPECT_EQ(line_endings_of(result.bytes), LineEndings::lf);
    ASSERT_EQ(result.hunks.size(), 1U);
    EXPECT_EQ(result.hunks[0].fate, Fate::conflict);
    EXPECT_EQ(result.hunks[0].base, (git::LineRange{2, 1}));
    EXPECT_THAT(result.bytes, ::testing::EndsWith("line 29\nline 30\n"));
}

TEST(LineEndings, DoNotDoubleAFileThatIsMergedByUnion) {
    git::MergeOptions options;
    options.favor = git::MergeFavor::union_of_both;
    EXPECT_EQ(merged(base, crlf(base + "THEIRS\n"), base + "MINE\n", options).bytes, crlf(base + "THEIRS\nMINE\n"));
}

TEST(LineEndings, AMergeThatGitCanDoIsGits) {
    const auto local = set_line(base, 3, "line 3\r");
    const auto result = merged(base, theirs, local);
    EXPECT_TRUE(result.clean);
    EXPECT_EQ(result.bytes, set_line(theirs, 3, "line 3\r"));
    EXPECT_EQ(result.note, "");
}

} // namespace
} // namespace carry::merge
