#include "base/text.hpp"
#include "merge/culprit.hpp"
#include "merge/line_tracking.hpp"
#include "support/lines.hpp"
#include "support/temp_repo.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace carry::merge {
namespace {

using git::LineRange;
using git::ObjectId;
using test::numbered;
using test::set_line;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> subjects(const std::vector<git::CommitInfo>& commits) {
    std::vector<std::string> result;
    for (const auto& commit : commits)
        result.push_back(commit.subject);
    return result;
}

std::string subject(const std::optional<git::CommitInfo>& commit) {
    return commit ? commit->subject : "nobody";
}

class Culprit : public testing::Test {
protected:
    /// A commit of `bytes` as the file, from which histories start.
    std::string start(std::string_view bytes) {
        m_repo.write("file", bytes);
        m_base = m_repo.commit("base");
        return m_base;
    }
    void change(std::string_view bytes, std::string_view subject) {
        m_repo.write("file", bytes);
        m_repo.commit(subject);
    }
    /// Replaces one line of the file as it is now.
    void change_line(std::size_t n, std::string_view line, std::string_view subject) {
        change(set_line(m_repo.read("file"), n, line), subject);
    }
    LineHistory history(const std::string& path = "file", const std::string& new_path = {}) {
        if (!m_opened)
            m_opened.emplace(git::Repository::open(m_repo.path()));
        return {*m_opened, ObjectId::from_hex(m_base), ObjectId::from_hex(m_repo.head()), path, new_path};
    }
    std::optional<git::TreeEntry> entry(const std::string& path) {
        if (!m_opened)
            m_opened.emplace(git::Repository::open(m_repo.path()));
        auto& trees = m_opened->trees();
        return trees.find(trees.tree_of_commit(ObjectId::from_hex(m_repo.head())), path);
    }

    test::TempRepo m_repo;
    std::string m_base;
    std::optional<git::Repository> m_opened;
};

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
    EXPECT_TRUE(lines_hold("a\nb\nc\n", {{1, 1}, false}, "b\n"));
    EXPECT_FALSE(lines_hold("a\nb\nc\n", {{0, 2}, false}, "b\n"));
    EXPECT_TRUE(lines_hold("a\nb\nc\n", {{0, 2}, true}, "b\n"));
    EXPECT_FALSE(lines_hold("a\nab\nc\n", {{0, 3}, true}, "b\n"));
    EXPECT_FALSE(lines_hold("a\nb", {{0, 2}, true}, "b\n"));
    EXPECT_TRUE(lines_hold("a\nb", {{0, 2}, true}, "b"));
}

/// Histories with branches and merges, in which each line is unlike all others, so that there is one right answer.
class GeneratedHistory : public Culprit {
protected:
    void generate(unsigned seed) {
        m_random.seed(seed);
        std::string text;
        for (std::size_t n = 0; n < 30; ++n)
            text += line();
        start(text);
        for (int n = 0; n < 12; ++n)
            step(n);
    }

    std::size_t upto(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(m_random); }

private:
    std::string line() { return fmt::format("line {}\n", ++m_lines); }

    void edit(int n) {
        std::vector<std::string> lines;
        const std::string before = m_repo.read(m_path);
        for (const auto one : split_lines(before))
            lines.emplace_back(one);
        for (std::size_t edits = 1 + upto(2); edits > 0; --edits) {
            const std::size_t at = upto(lines.size());
            const std::size_t removed = std::min(upto(3), lines.size() - at);
            const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(at);
            lines.erase(begin, begin + static_cast<std::ptrdiff_t>(removed));
            for (std::size_t added = upto(3); added > 0; --added)
                lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), line());
        }
        lines.push_back(line());
        m_repo.write(m_path, join(lines, ""));
        m_repo.commit(fmt::format("edit {}", n));
    }

    void step(int n) {
        if (upto(3) > 0) {
            edit(n);
            return;
        }
        m_repo.git("checkout", "-q", "-b", fmt::format("side{}", n));
        edit(n);
        m_repo.git("checkout", "-q", "main");
        if (upto(1) == 0)
            edit(n + 100);
        const auto merged =
            m_repo.git_status("merge", "-q", "--no-ff", "-m", fmt::format("merge {}", n), fmt::format("side{}", n));
        if (merged != 0) { // the simplest resolution: one side
            m_repo.git("checkout", "--theirs", "--", m_path);
            m_repo.stage(m_path);
            m_repo.commit_staged(fmt::format("merge {}", n));
        }
    }

protected:
    std::mt19937 m_random;
    std::size_t m_lines = 0;
    std::string m_path = "file";
};

/// Line number in the tip's file -> commit, for what base..HEAD did.
std::map<std::size_t, std::string> blame(const test::TempRepo& repo, const std::string& base, const std::string& path) {
    std::map<std::size_t, std::string> result;
    const auto text = repo.git("-c", "diff.indentHeuristic=false", "blame", "--porcelain", base + "..HEAD", "--", path);
    const auto lines = split_lines(text);
    for (const auto line : lines) {
        const auto words = split(trim(line), ' ');
        if (line.starts_with('\t') || words.size() < 3 || words[0].size() != 40)
            continue;
        std::size_t n = 0;
        std::from_chars(words[2].data(), words[2].data() + words[2].size(), n);
        if (words[0] != base)
            result[n - 1] = words[0];
    }
    return result;
}

TEST_F(GeneratedHistory, TouchedHoldsWhatGitBlames) {
    std::size_t asked = 0;
    for (unsigned seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        m_repo = test::TempRepo();
        m_opened.reset();
        m_lines = 0;
        generate(seed);
        const auto blamed = blame(m_repo, m_base, m_path);
        const auto before = m_repo.git("show", m_base + ":" + m_path);
        auto lines = history(m_path);
        for (const auto& hunk : git::diff_lines(before, m_repo.read(m_path))) {
            std::set<std::string> expected;
            for (std::size_t n = hunk.after.start; n < hunk.after.end(); ++n)
                if (const auto found = blamed.find(n); found != blamed.end())
                    expected.insert(found->second);
            std::set<std::string> touched;
            for (const auto& commit : lines.touched(hunk.before))
                touched.insert(commit.id.hex());
            EXPECT_TRUE(std::ranges::includes(touched, expected))
                << "lines " << hunk.before.start << "+" << hunk.before.count << ": " << testing::PrintToString(touched)
                << " lacks one of " << testing::PrintToString(expected);
            asked += expected.size();
        }
    }
    EXPECT_GT(asked, 50U);
}

/// The lines before and after `line` in a file; nothing where it is not there.
std::optional<std::pair<std::string, std::string>> neighbours(const std::string& text, std::string_view line) {
    const auto lines = split_lines(text);
    const auto at = std::ranges::find(lines, line);
    if (at == lines.end())
        return std::nullopt;
    return std::pair(std::string(at == lines.begin() ? "" : *(at - 1)),
                     std::string(at + 1 == lines.end() ? "" : *(at + 1)));
}

TEST_F(GeneratedHistory, TouchedIsWhoRemovedALineOrInsertedBesideIt) {
    std::size_t removals = 0;
    for (unsigned seed = 20; seed <= 22; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        m_repo = test::TempRepo();
        m_opened.reset();
        m_lines = 0;
        generate(seed);
        const auto before = m_repo.git("show", m_base + ":" + m_path);
        auto lines = history(m_path);
        const auto base_lines = split_lines(before);
        for (std::size_t n = 0; n < base_lines.size(); ++n) {
            SCOPED_TRACE(std::string(base_lines[n]));
            const auto touched = lines.touched({n, 1});
            // git looks for commits in which the line comes or goes
            const auto removed = m_repo.git("log", "--no-merges", "--format=%s", "-S" + std::string(base_lines[n]),
                                            m_base + "..HEAD", "--", m_path);
            for (const auto one : split_terminated(removed, '\n')) {
                ++removals;
                EXPECT_THAT(subjects(touched), testing::Contains(std::string(one)));
            }
            if (touched.empty())
                continue;
            const std::string oldest = touched.back().id.hex();
            EXPECT_NE(neighbours(m_repo.git("show", oldest + "^:" + m_path), base_lines[n]),
                      neighbours(m_repo.git("show", oldest + ":" + m_path), base_lines[n]))
                << touched.back().subject;
        }
    }
    EXPECT_GT(removals, 20U);
}

} // namespace
} // namespace carry::merge
