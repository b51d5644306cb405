#include "culprit_fixture.hpp"
#include "merge/culprit.hpp"
#include "merge/line_tracking.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carry::merge {
namespace {

using git::LineRange;
using test::numbered;
using test::set_line;
using testing::ElementsAre;
using testing::IsEmpty;

std::string subject(const std::optional<git::CommitInfo>& commit) {
    return commit ? commit->subject : "nobody";
}

TEST_F(Culprit, NamesWhoTouchedTheLinesNewestFirst) {
    start(numbered("line", 20));
    change_line(10, "ten", "change ten");
    change_line(2, "two", "change two");
    change("first\n" + m_repo.read("file"), "push all down");
    change_line(11, "TEN", "change ten again");
    change_line(16, "fifteen", "change fifteen");
    auto lines = history();
    EXPECT_THAT(subjects(lines.touched({9, 1})), ElementsAre("change ten again", "change ten"));
    EXPECT_THAT(subjects(lines.touched({1, 1})), ElementsAre("change two"));
    EXPECT_THAT(subjects(lines.touched({8, 8})), ElementsAre("change fifteen", "change ten again", "change ten"));
    EXPECT_THAT(subjects(lines.touched({17, 2})), IsEmpty());
    EXPECT_EQ(subject(lines.last_touched()), "change fifteen");
    const auto commits = lines.touched({9, 1});
    EXPECT_EQ(commits.at(1).id.hex(), m_repo.git_line("rev-parse", "HEAD~4"));
}

TEST_F(Culprit, AnEmptyRangeIsTouchedByInsertionsThere) {
    start("a\nb\nc\nd\n");
    change("a\nb\nNEW\nc\nd\n", "insert");
    change("a\nb\nNEW\nc\nD\n", "elsewhere");
    change("a\nb\nNEWER\nc\nD\n", "edit what was inserted");
    auto lines = history();
    EXPECT_THAT(subjects(lines.touched({2, 0})), ElementsAre("edit what was inserted", "insert"));
    EXPECT_THAT(subjects(lines.touched({1, 0})), IsEmpty());
    EXPECT_THAT(subjects(lines.touched({1, 1})), ElementsAre("edit what was inserted", "insert")); // it touches
}

TEST_F(Culprit, NamesWhoMadeTheLinesEqual) {
    const auto before = numbered("line", 20);
    start(before);
    change_line(2, "two", "elsewhere");
    change("x\n" + m_repo.read("file"), "push down");
    change_line(11, "ten", "half of it");
    change_line(12, "eleven", "the other half");
    change_line(18, "z", "elsewhere again");
    auto lines = history();
    EXPECT_EQ(subject(lines.made_equal({9, 2}, "ten\neleven\n")), "the other half");
    EXPECT_EQ(subject(lines.made_equal({9, 2}, "ten\nline 11\n")), "half of it");
    EXPECT_EQ(subject(lines.made_equal({9, 1}, "ten\n")), "half of it");
    EXPECT_EQ(subject(lines.made_equal({9, 1}, "tenn\n")), "nobody");
    EXPECT_EQ(subject(lines.made_equal({9, 1}, "")), "nobody");
}

TEST_F(Culprit, NamesWhoRemovedOrInserted) {
    start("a\nb\nc\nd\ne\nf\n");
    change("a\nc\nd\ne\nf\n", "remove b");
    change("a\nc\nd\nnew\ne\nf\n", "insert");
    auto lines = history();
    EXPECT_EQ(subject(lines.made_equal({1, 1}, "")), "remove b");
    EXPECT_EQ(subject(lines.made_equal({4, 0}, "new\n")), "insert");
    EXPECT_EQ(subject(lines.made_equal({5, 1}, "")), "nobody");
}

TEST_F(Culprit, OneCommitMayAbsorbMoreThanTheHunk) {
    start("a\nb\nc\nd\ne\nf\n");
    change("a\nB\nC\nD\ne\nf\n", "three lines");
    change("a\nb\nC\nD\ne\nf\n", "one back");
    EXPECT_EQ(subject(history().made_equal({2, 1}, "C\n")), "three lines");
    EXPECT_EQ(subject(history().made_equal({2, 1}, "D\n")), "three lines"); // which of them it is cannot be known
    EXPECT_EQ(subject(history().made_equal({2, 1}, "c\n")), "nobody");
}

TEST_F(Culprit, WhatWasTakenBackAndCameAgainLastsSinceThen) {
    start("a\nb\nc\n");
    change("a\nB\nc\n", "first");
    change("a\nb\nc\n", "back");
    EXPECT_EQ(subject(history().made_equal({1, 1}, "B\n")), "first");
    change("a\nB\nc\n", "again");
    EXPECT_EQ(subject(history().made_equal({1, 1}, "B\n")), "again");
    EXPECT_THAT(subjects(history().touched({1, 1})), ElementsAre("again", "back", "first"));
}

TEST_F(Culprit, AMergeIsNotBlamedForWhatABranchDid) {
    start(numbered("line", 20));
    m_repo.git("checkout", "-q", "-b", "side");
    change_line(10, "ten", "on the side");
    m_repo.git("checkout", "-q", "main");
    change_line(2, "two", "on main");
    m_repo.git("merge", "-q", "--no-ff", "-m", "merge the side", "side");
    change_line(18, "z", "after");
    auto lines = history();
    EXPECT_THAT(subjects(lines.touched({9, 1})), ElementsAre("on the side"));
    EXPECT_THAT(subjects(lines.touched({0, 20})), testing::UnorderedElementsAre("on the side", "on main", "after"));
    EXPECT_EQ(subject(lines.made_equal({9, 1}, "ten\n")), "on the side");
    EXPECT_EQ(subject(lines.made_equal({1, 1}, "two\n")), "on main");
    EXPECT_EQ(subject(lines.last_touched()), "after");
}

TEST_F(Culprit, AMergeTakesTheLinesFromTheParentThatHadThem) {
    start(numbered("line", 20));
    m_repo.git("checkout", "-q", "-b", "side");
    change_line(10, "ten", "change ten");
    change_line(9, "nine", "change nine"); // from main's side the two are one change
    m_repo.git("checkout", "-q", "main");
    change_line(2, "two", "on main");
    m_repo.git("merge", "-q", "--no-ff", "-m", "merge the side", "side");
    change_line(9, "NINE", "change nine again");
    EXPECT_THAT(subjects(history().touched({9, 1})), ElementsAre("change ten"));
}

TEST_F(Culprit, AMergeIsBlamedForWhatItDidItself) {
    start(numbered("line", 20));
    m_repo.git("checkout", "-q", "-b", "side");
    change_line(10, "side", "on the side");
    m_repo.git("checkout", "-q", "main");
    change_line(10, "main", "on main");
    EXPECT_NE(m_repo.git_status("merge", "-q", "--no-ff", "-m", "merge the side", "side"), 0);
    m_repo.write("file", set_line(numbered("line", 20), 10, "both"));
    m_repo.stage("file");
    m_repo.commit_staged("merge by hand");
    ASSERT_EQ(m_repo.git_line("rev-list", "--count", "--merges", m_base + "..HEAD"), "1");
    auto lines = history();
    EXPECT_THAT(subjects(lines.touched({9, 1})),
                testing::UnorderedElementsAre("merge by hand", "on main", "on the side"));
    EXPECT_EQ(lines.touched({9, 1}).front().subject, "merge by hand");
    EXPECT_EQ(subject(lines.made_equal({9, 1}, "both\n")), "merge by hand");
}

TEST_F(Culprit, ABranchThatLeftBeforeBaseCounts) {
    m_repo.write("file", numbered("line", 20));
    m_repo.commit("root");
    m_repo.git("branch", "side");
    start("top\n" + numbered("line", 20));
    m_repo.git("checkout", "-q", "side");
    change_line(10, "ten", "on the side");
    m_repo.git("checkout", "-q", "main");
    change_line(3, "two", "on main");
    m_repo.git("merge", "-q", "--no-ff", "-m", "merge the side", "side");
    auto lines = history();
    EXPECT_THAT(subjects(lines.touched({10, 1})), ElementsAre("on the side"));
    EXPECT_EQ(subject(lines.made_equal({10, 1}, "ten\n")), "on the side");
}

TEST_F(Culprit, FollowsARename) {
    start(numbered("line", 20));
    change_line(10, "ten", "before");
    m_repo.git("mv", "file", "renamed");
    m_repo.write("renamed", set_line(m_repo.read("renamed"), 4, "four"));
    m_repo.commit("rename and edit");
    m_repo.write("renamed", set_line(m_repo.read("renamed"), 10, "TEN"));
    m_repo.commit("after");
    auto lines = history("file", "renamed");
    EXPECT_THAT(subjects(lines.touched({9, 1})), ElementsAre("after", "before"));
    EXPECT_THAT(subjects(lines.touched({3, 1})), ElementsAre("rename and edit"));
    EXPECT_EQ(subject(lines.made_equal({9, 1}, "TEN\n")), "after");
    EXPECT_EQ(subject(lines.made_state(std::nullopt)), "rename and edit"); // the old name is gone since then
    EXPECT_EQ(subject(lines.made_state(entry("renamed"))), "after");
}

TEST_F(Culprit, FollowsADetourByAThirdName) {
    start(numbered("line", 20));
    m_repo.git("mv", "file", "detour");
    m_repo.commit("first rename");
    m_repo.git("mv", "detour", "renamed");
    m_repo.write("renamed", set_line(m_repo.read("renamed"), 4, "four"));
    m_repo.commit("second rename");
    EXPECT_THAT(subjects(history("file", "renamed").touched({3, 1})), ElementsAre("second rename"));
}

TEST_F(Culprit, FollowsARenameThroughMerges) {
    start(numbered("line", 20));
    m_repo.git("checkout", "-q", "-b", "side");
    m_repo.git("mv", "file", "renamed");
    m_repo.commit("rename");
    m_repo.git("checkout", "-q", "main");
    change_line(10, "ten", "edit the old name");
    m_repo.git("merge", "-q", "--no-ff", "-m", "merge the side", "side");
    ASSERT_FALSE(m_repo.exists("file"));
    m_repo.write("renamed", set_line(m_repo.read("renamed"), 11, "eleven"));
    m_repo.commit("edit the new name");
    auto lines = history("file", "renamed");
    EXPECT_THAT(subjects(lines.touched({9, 1})), ElementsAre("edit the old name"));
    EXPECT_THAT(subjects(lines.touched({10, 1})), ElementsAre("edit the new name"));
}

TEST_F(Culprit, NamesWhoDeletedTheFile) {
    start(numbered("line", 5));
    change_line(2, "two", "edit");
    m_repo.remove("file");
    m_repo.write("other", "x\n");
    m_repo.commit("delete it");
    m_repo.write("other", "y\n");
    m_repo.commit("unrelated");
    auto lines = history();
    EXPECT_EQ(subject(lines.made_state(std::nullopt)), "delete it");
    EXPECT_EQ(subject(lines.last_touched()), "delete it");
    EXPECT_THAT(subjects(lines.touched({1, 1})), ElementsAre("edit"));
}

TEST_F(Culprit, OfTwoDeletionsTheLastOneCounts) {
    start("a\n");
    m_repo.remove("file");
    m_repo.write("other", "x\n");
    m_repo.commit("delete it");
    change("b\n", "bring it back");
    m_repo.remove("file");
    m_repo.commit("delete it again");
    EXPECT_EQ(subject(history().made_state(std::nullopt)), "delete it again");
}

TEST_F(Culprit, AnUntouchedPathHasNoCulprits) {
    start("a\n");
    m_repo.write("other", "x\n");
    m_repo.commit("other");
    auto lines = history();
    EXPECT_THAT(lines.touched({0, 1}), IsEmpty());
    EXPECT_EQ(lines.made_equal({0, 1}, "x\n"), std::nullopt);
    EXPECT_EQ(lines.made_state(std::nullopt), std::nullopt);
    EXPECT_EQ(lines.last_touched(), std::nullopt);
    EXPECT_THAT(history("missing").touched({0, 0}), IsEmpty());
}

TEST(LineTracking, MovesWithTheLinesAbove) {
    const std::vector<git::LineChange> changes{{{2, 1}, {2, 4}}, {{20, 2}, {23, 0}}};
    const auto followed = follow({{10, 3}, false}, changes);
    EXPECT_EQ(followed.lines.range, (LineRange{13, 3}));
    EXPECT_FALSE(followed.lines.widened);
    EXPECT_TRUE(followed.touched.empty());
    EXPECT_EQ(follow({{25, 1}, false}, changes).lines.range, (LineRange{26, 1}));
}

TEST(LineTracking, TakesWhatReplacesIt) {
    const auto inside = follow({{10, 3}, false}, {{{11, 1}, {11, 5}}});
    EXPECT_EQ(inside.lines.range, (LineRange{10, 7}));
    EXPECT_FALSE(inside.lines.widened);
    const auto removed = follow({{10, 3}, false}, {{{10, 3}, {10, 0}}});
    EXPECT_EQ(removed.lines.range, (LineRange{10, 0}));
    const auto over_the_edge = follow({{10, 3}, false}, {{{9, 2}, {9, 1}}, {{12, 4}, {11, 1}}});
    EXPECT_EQ(over_the_edge.lines.range, (LineRange{9, 3}));
    EXPECT_TRUE(over_the_edge.lines.widened);
    EXPECT_EQ(over_the_edge.touched.size(), 2U);
}

TEST(LineTracking, FindsWholeLinesOnly) {
    EXPECT_TRUE(lines_hold(TextLines("a\nb\nc\n"), {{1, 1}, false}, "b\n"));
    EXPECT_FALSE(lines_hold(TextLines("a\nb\nc\n"), {{0, 2}, false}, "b\n"));
    EXPECT_TRUE(lines_hold(TextLines("a\nb\nc\n"), {{0, 2}, true}, "b\n"));
    EXPECT_FALSE(lines_hold(TextLines("a\nab\nc\n"), {{0, 3}, true}, "b\n"));
    EXPECT_FALSE(lines_hold(TextLines("a\nb"), {{0, 2}, true}, "b\n"));
    EXPECT_TRUE(lines_hold(TextLines("a\nb"), {{0, 2}, true}, "b"));
}

} // namespace
} // namespace carry::merge
