#include "report/markdown_text.hpp"
#include "report/render.hpp"
#include "sample.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Markdown, HasAHeadingATableAndTheConflicts) {
    const auto text = report::render_markdown(sample_report());
    EXPECT_THAT(text, StartsWith("# git carry upgrade: stopped on 1 conflict; the checkout was not changed\n"));
    EXPECT_THAT(text, HasSubstr("- **Upstream:** `f8d4eb702` → `3c91e02aa` (47 commits, 212 files)\n"));
    EXPECT_THAT(text, HasSubstr("| moved | staged | `python/sglang/srt/server_args.py` → "
                                "`python/sglang/srt/args/server.py` |  | 1 hunk |\n"));
    EXPECT_THAT(text, HasSubstr("### `benchmark/launch.sh`\n"));
    EXPECT_THAT(text, HasSubstr("- yours 38-47, upstream 40-52\n"));
    EXPECT_THAT(text, HasSubstr("- changed upstream by `0123456` Quote the flags, A Nother, 2026-02-27\n"));
    EXPECT_THAT(text, HasSubstr("## Next\n\n```text\ngit carry upgrade --on-conflict=park"));
}

TEST(Markdown, ShowsTheLinesThatRulesPropose) {
    const auto text = report::render_markdown(report_with_proposals());
    EXPECT_THAT(text, HasSubstr("rule adjacent-lines (right in 95 of 100) would put 2 lines there\n\n```text\n"
                                "run \\x1b[31m\n        flags\n```\n"));
    EXPECT_THAT(text, Not(HasSubstr("rule words")));
}

TEST(Markdown, ForeignTextIsInert) {
    EXPECT_EQ(report::markdown_text("<b>|`*_x_*`& [a](b)"), "&lt;b&gt;\\|\\`\\*\\_x\\_\\*\\`&amp; \\[a\\](b)");
    EXPECT_EQ(report::markdown_text("two\nlines"), "two\\\\nlines");
    EXPECT_EQ(report::markdown_code("a_b.txt"), "`a_b.txt`");
    EXPECT_EQ(report::markdown_code("a`b|c"), "a\\`b\\|c");
    EXPECT_EQ(report::markdown_code("<img>"), "`<img>`");
    EXPECT_EQ(report::markdown_code(""), "");
}

TEST(Markdown, AFenceIsLongerThanAnyInside) {
    EXPECT_EQ(report::markdown_block("a\n````\nb"), "`````text\na\n````\nb\n`````\n");
    EXPECT_EQ(report::markdown_block(""), "");
}

TEST(Markdown, ATableRowStaysOneRow) {
    Report report = sample_report();
    report.patches = {patch(Layer::unstaged, Fate::kept, "x\ny|z")};
    report.patches[0].note = "<script>alert(1)</script>\n| a | b |";
    const auto text = report::render_markdown(report);
    EXPECT_THAT(text, Not(HasSubstr("<script>")));
    EXPECT_THAT(text, HasSubstr("| kept | unstaged | x\\\\ny\\|z |  | &lt;script&gt;alert(1)&lt;/script&gt;\\\\n\\| a "
                                "\\| b \\| |\n"));
}

} // namespace
} // namespace carry::test
