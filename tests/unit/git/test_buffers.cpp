#include "base/file.hpp"
#include "base/text.hpp"
#include "git/buffers.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

namespace carry::git {
namespace {

using test::numbered;
using test::set_line;

TEST(IsBinary, looks_for_a_nul_where_git_looks) {
    EXPECT_FALSE(is_binary(""));
    EXPECT_FALSE(is_binary("text \xff\x01\n"));
    EXPECT_TRUE(is_binary(std::string("a\0b", 3)));
    EXPECT_TRUE(is_binary(std::string(7999, 'a') + std::string(1, '\0')));
    EXPECT_FALSE(is_binary(std::string(8000, 'a') + std::string(1, '\0')));
}

/// Three files in a directory, for git.
class Buffers : public ::testing::Test {
protected:
    [[nodiscard]] std::string put(const std::string& name, std::string_view bytes) const {
        const auto path = m_directory.path() / name;
        UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        write_all(file.get(), bytes, path);
        return name;
    }
    /// "@@ -a,b +c,d @@" of git's, as ranges.
    [[nodiscard]] std::vector<LineChange> diff_by_git(std::string_view before, std::string_view after) const {
        const auto result = test::run_program({"git", "diff", "--no-index", "--text", "-U0", "--no-indent-heuristic",
                                               "--diff-algorithm=myers", put("a", before), put("b", after)},
                                              m_directory.path());
        EXPECT_LE(result.exit_code, 1) << result.error_output;
        std::vector<LineChange> changes;
        for (const auto line : split_lines(result.output)) {
            if (!line.starts_with("@@ -"))
                continue;
            const auto words = split(line, ' ');
            changes.push_back({range(words[1]), range(words[2])});
        }
        return changes;
    }
    [[nodiscard]] ProcessResult merge_by_git(std::string_view base, std::string_view ours, std::string_view theirs,
                                             const std::vector<std::string>& options) const {
        std::vector<std::string> argv{"git", "merge-file", "-p", "-L", "upstream", "-L", "base", "-L", "yours"};
        argv.insert(argv.end(), options.begin(), options.end());
        for (auto& name : {put("ours", ours), put("base", base), put("theirs", theirs)})
            argv.push_back(name);
        return test::run_program(std::move(argv), m_directory.path());
    }
    void expect_merge_as_git(std::string_view base, std::string_view ours, std::string_view theirs,
                             const MergeOptions& options, const std::vector<std::string>& git_options) const {
        const auto expected = merge_by_git(base, ours, theirs, git_options);
        ASSERT_LT(expected.exit_code, 128) << expected.error_output;
        const auto merged = merge_buffers(base, ours, theirs, options);
        ASSERT_TRUE(merged);
        EXPECT_EQ(merged->clean, expected.exit_code == 0);
        EXPECT_EQ(merged->bytes, expected.output);
    }

private:
    static LineRange range(std::string_view text) {
        const auto numbers = split(text.substr(1), ',');
        const std::size_t start = std::stoul(std::string(numbers[0]));
        const std::size_t count = numbers.size() > 1 ? std::stoul(std::string(numbers[1])) : 1;
        return {count == 0 ? start : start - 1, count};
    }
    TemporaryDirectory m_directory{std::filesystem::temp_directory_path()};
};

std::string describe(const std::vector<LineChange>& changes) {
    std::string text;
    for (const auto& change : changes)
        text += fmt::format("{}+{} -> {}+{}\n", change.before.start, change.before.count, change.after.start,
                            change.after.count);
    return text;
}

TEST_F(Buffers, diff_of_small_files) {
    const std::string ten = numbered("line", 10);
    EXPECT_TRUE(diff_lines(ten, ten).empty());
    EXPECT_TRUE(diff_lines("", "").empty());
    EXPECT_EQ(describe(diff_lines(ten, set_line(ten, 4, "new"))), "3+1 -> 3+1\n");
    EXPECT_EQ(describe(diff_lines(ten, "new\n" + ten)), "0+0 -> 0+1\n");
    EXPECT_EQ(describe(diff_lines(ten, ten + "new\n")), "10+0 -> 10+1\n");
    EXPECT_EQ(describe(diff_lines("new\n" + ten, ten)), "0+1 -> 0+0\n");
    EXPECT_EQ(describe(diff_lines("", "a\nb\n")), "0+0 -> 0+2\n");
    EXPECT_EQ(describe(diff_lines("a\nb", "")), "0+2 -> 0+0\n");
    EXPECT_EQ(describe(diff_lines("a\nb", "a\nb\n")), "1+1 -> 1+1\n");
    EXPECT_EQ(describe(diff_lines("a\r\nb\r\n", "a\nb\r\n")), "0+1 -> 0+1\n");
}

TEST_F(Buffers, diff_takes_binary_content_as_text) {
    const std::string before("a\0\nb\nc\n", 7);
    const std::string after("a\0\nB\nc\n", 7);
    EXPECT_EQ(describe(diff_lines(before, after)), "1+1 -> 1+1\n");
}

/// Random files of few different lines, so that changes meet, slide and repeat.
class RandomBuffers : public Buffers {
protected:
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(m_random); }
    std::string line() {
        static const std::vector<std::string> lines{"{\n",    "}\n",       "\n",    "alpha\n",
                                                    "beta\n", "gamma\r\n", "  x\n", "caf\xe9\n"};
        return below(3) == 0 ? fmt::format("unique {}\n", below(1000)) : lines[below(lines.size())];
    }
    /// A line that has a letter: git merge-file alone joins conflicts that only punctuation keeps apart.
    std::string worded_line() { return fmt::format("word {}\n", below(12)); }
    template <typename Line>
    std::vector<std::string> lines(std::size_t count, const Line& make) {
        std::vector<std::string> result;
        for (; count > 0; --count)
            result.push_back(make());
        return result;
    }
    template <typename Line>
    std::vector<std::string> edited(std::vector<std::string> text, const Line& make) {
        for (std::size_t n = below(5); n > 0; --n) {
            const auto at = static_cast<std::ptrdiff_t>(below(text.size() + 1));
            const auto begin = text.begin() + at;
            const auto left = static_cast<std::size_t>(text.end() - begin);
            if (below(2) == 0)
                text.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(left, below(4))));
            const auto added = lines(below(4), make);
            text.insert(text.begin() + std::min(at, static_cast<std::ptrdiff_t>(text.size())), added.begin(),
                        added.end());
        }
        return text;
    }
    std::string joined(const std::vector<std::string>& text) {
        std::string bytes = join(text, "");
        if (!bytes.empty() && below(6) == 0)
            bytes.pop_back(); // no newline at the end
        return bytes;
    }

    std::uint32_t m_seed = 20260308;
    std::mt19937 m_random{m_seed};
};

TEST_F(RandomBuffers, differences_are_git_s) {
    SCOPED_TRACE(fmt::format("seed {}", m_seed));
    const auto any = [this] { return line(); };
    for (int round = 0; round < 150; ++round) {
        SCOPED_TRACE(fmt::format("round {}", round));
        const auto text = lines(below(30), any);
        const std::string before = joined(text);
        const std::string after = joined(edited(text, any));
        ASSERT_EQ(describe(diff_lines(before, after)), describe(diff_by_git(before, after)));
    }
}

TEST_F(RandomBuffers, merges_are_git_s) {
    SCOPED_TRACE(fmt::format("seed {}", m_seed));
    struct Way {
        MergeOptions options;
        std::vector<std::string> git_options;
    };
    std::vector<Way> ways(6);
    ways[0].git_options = {"--zdiff3"};
    ways[1].options.style = ConflictStyle::diff3;
    ways[1].git_options = {"--diff3"};
    ways[2].options.favor = MergeFavor::ours;
    ways[2].git_options = {"--ours"};
    ways[3].options.favor = MergeFavor::theirs;
    ways[3].git_options = {"--theirs"};
    ways[4].options.favor = MergeFavor::union_of_both;
    ways[4].git_options = {"--union"};
    ways[5].options.style = ConflictStyle::merge;
    ways[5].options.marker_size = 9;
    ways[5].git_options = {"--marker-size=9"};
    for (std::size_t i : {2U, 3U, 4U})
        ways[i].options.style = ConflictStyle::merge;
    const auto any = [this] { return line(); };
    const auto worded = [this] { return worded_line(); };
    int conflicts = 0;
    for (std::size_t round = 0; round < 300; ++round) {
        SCOPED_TRACE(fmt::format("round {}", round));
        // Half of them in the style that we write.
        const auto& way = ways[round % 2 == 0 ? 0 : 1 + round / 2 % 5];
        const bool any_line = way.options.style != ConflictStyle::merge;
        const auto text = any_line ? lines(below(20), any) : lines(below(20), worded);
        const auto side = [&] { return joined(any_line ? edited(text, any) : edited(text, worded)); };
        const std::string base = joined(text);
        const std::string ours = side();
        const std::string theirs = side();
        expect_merge_as_git(base, ours, theirs, way.options, way.git_options);
        if (HasFatalFailure() || HasNonfatalFailure())
            FAIL() << "base\n" << base << "\nours\n" << ours << "\ntheirs\n" << theirs;
        conflicts += merge_buffers(base, ours, theirs, way.options)->clean ? 0 : 1;
    }
    EXPECT_GT(conflicts, 50); // or the test is about nothing
}

TEST_F(Buffers, merges_at_the_edges_are_git_s) {
    const std::string ten = numbered("line", 10);
    const MergeOptions options;
    const std::vector<std::string> zdiff3{"--zdiff3"};
    for (const std::string& base : {std::string(), ten, std::string("x"), std::string("a\r\nb\r\n")})
        for (const std::string& ours :
             {std::string(), ten, ten + "end", set_line(ten, 5, "ours"), std::string("a\r\nB\r\n")})
            for (const std::string& theirs : {std::string(), ten, set_line(ten, 5, "theirs"), std::string("a\nb\n")})
                expect_merge_as_git(base, ours, theirs, options, zdiff3);
}

TEST_F(Buffers, labels_are_the_callers) {
    MergeOptions options;
    options.ours_label = "one";
    options.base_label = "two";
    options.theirs_label = "three";
    const auto merged = merge_buffers("a\n", "b\n", "c\n", options);
    ASSERT_TRUE(merged);
    EXPECT_FALSE(merged->clean);
    EXPECT_EQ(merged->bytes, "<<<<<<< one\nb\n||||||| two\na\n=======\nc\n>>>>>>> three\n");
}

TEST_F(Buffers, binary_content_is_never_merged) {
    const std::string binary("a\0b\n", 4);
    EXPECT_FALSE(merge_buffers(binary, "a\n", "b\n"));
    EXPECT_FALSE(merge_buffers("a\n", binary, "b\n"));
    EXPECT_FALSE(merge_buffers("a\n", "b\n", binary));
    EXPECT_TRUE(merge_buffers("a\n", "a\n", "b\n"));
}

} // namespace
} // namespace carry::git
