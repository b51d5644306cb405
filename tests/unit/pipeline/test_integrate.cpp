// Local commits onto the new upstream: rebased, or upstream merged in where a rebase would lose something.
#include "commands.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::string k_file = numbered("a", 40);

void commit_line(const TempRepo& work, std::size_t line, const std::string& text) {
    work.write("a.txt", set_line(work.read("a.txt"), line, text));
    work.commit(text);
}

TEST(Integrate, CommitsThatConflictAloneAndNotTogetherAreMerged) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    const auto& work = both.work;
    commit_line(work, 10, "attempt");
    commit_line(work, 3, "mine");
    work.git("revert", "--no-edit", "HEAD~1");
    work.write("a.txt", set_line(work.read("a.txt"), 30, "dirty"));
    const auto before = work.head();
    commit_line(both.upstream, 10, "upstream");

    const auto rebased = check(request_for(work, [](Settings& settings) { settings.integrate = Integrate::rebase; }));
    EXPECT_EQ(rebased.exit_code, 3);
    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(report.commits, 3U);
    EXPECT_EQ(work.git_line("rev-parse", "HEAD^1"), before);
    EXPECT_EQ(work.git_line("rev-parse", "HEAD^2"), both.upstream.head());
    EXPECT_EQ(work.read("a.txt"), set_line(set_line(set_line(k_file, 10, "upstream"), 3, "mine"), 30, "dirty"));
    EXPECT_EQ(work.git("diff", "--name-only", "HEAD"), "a.txt\n");
    EXPECT_THAT(report.notes, Contains(AllOf(HasSubstr("attempt alone conflicts"), HasSubstr("together do not"))));
    EXPECT_EQ(upgrade_with(work).outcome, Outcome::up_to_date);
}

TEST(Integrate, ACommitAndItsRevertAreNoConflict) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    commit_line(both.work, 10, "attempt");
    both.work.git("revert", "--no-edit", "HEAD");
    commit_line(both.upstream, 10, "upstream");
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    EXPECT_EQ(both.work.git("diff", both.upstream.head()), "");
    EXPECT_EQ(both.work.git("status", "--porcelain"), "");
    EXPECT_EQ(upgrade_with(both.work).outcome, Outcome::up_to_date);
}

TEST(Integrate, WhatConflictsTogetherStaysAQuestionForEachCommit) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    commit_line(both.work, 10, "mine");
    commit_line(both.work, 3, "also mine");
    commit_line(both.upstream, 10, "upstream");
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 3);
    ASSERT_EQ(report.conflicts.size(), 1U);
    ASSERT_TRUE(report.conflicts[0].commit);
    EXPECT_EQ(report.conflicts[0].commit->subject, "mine");
}

TEST(Integrate, EarlierMergesOfUpstreamMoveTheBase) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    const auto& work = both.work;
    commit_line(work, 3, "one");
    commit_line(both.upstream, 10, "upstream one");
    work.git("fetch", "-q");
    work.git("merge", "-q", "--no-edit", "origin/main");
    commit_line(work, 5, "two");
    const auto merged = both.upstream.head();
    commit_line(both.upstream, 20, "upstream two");
    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(report.base, merged);
    EXPECT_EQ(report.upstream_commits, 1U);
    EXPECT_EQ(report.commits, 3U);
    EXPECT_EQ(work.git_line("rev-parse", "HEAD^2"), both.upstream.head());
    auto expected = k_file;
    for (const auto& [line, text] :
         std::map<std::size_t, std::string>{{3, "one"}, {5, "two"}, {10, "upstream one"}, {20, "upstream two"}})
        expected = set_line(expected, line, text);
    EXPECT_EQ(work.read("a.txt"), expected);
}

TEST(Integrate, CommitsKeepTheirWordsAndEmptyOnesAreNamed) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    const auto& work = both.work;
    commit_line(work, 3, "fixup! something");
    work.git("commit", "-q", "--allow-empty", "-m", "Empty");
    work.write("a.txt", set_line(work.read("a.txt"), 6, "x"));
    work.stage("a.txt");
    work.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "-m", "K\xf6rper\n\nf\xfcr", "--author",
             "O. D. Author <odd author@x>");
    work.write("a.txt", set_line(work.read("a.txt"), 9, "y"));
    work.git("commit", "-q", "-a", "--allow-empty-message", "-m", "");
    const auto raw = [&](const std::string& revision) { // without tree, parent and committer
        const auto text = work.git("cat-file", "commit", revision);
        const auto author = text.find("author ");
        const auto committer = text.find("committer ");
        return text.substr(author, committer - author) + text.substr(text.find('\n', committer));
    };
    std::vector<std::string> before;
    for (const char* revision : {"HEAD", "HEAD~1", "HEAD~2", "HEAD~3"})
        before.push_back(raw(revision));
    commit_line(both.upstream, 30, "upstream");
    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(report.commits, 4U);
    EXPECT_THAT(report.notes, Contains(AllOf(HasSubstr("without a change"), HasSubstr("Empty"))));
    std::vector<std::string> after;
    for (const char* revision : {"HEAD", "HEAD~1", "HEAD~2", "HEAD~3"})
        after.push_back(raw(revision));
    EXPECT_EQ(before, after);
    EXPECT_EQ(work.git_line("rev-parse", "HEAD~4"), both.upstream.head());
}

} // namespace
} // namespace carry::test
