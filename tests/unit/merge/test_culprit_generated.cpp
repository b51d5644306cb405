#include "base/text.hpp"
#include "culprit_fixture.hpp"
#include "merge/culprit.hpp"
#include "support/temp_repo.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace carry::merge {
namespace {

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
