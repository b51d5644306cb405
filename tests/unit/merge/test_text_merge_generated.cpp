/// Generated triples: the outcome is git's, and every range says the truth about the bytes.

#include "base/text.hpp"
#include "merge/merge_chunks.hpp"
#include "merge/text_merge.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace carry::merge {
namespace {

using Lines = std::vector<std::string>;

struct Triple {
    std::string base, upstream, local;
};

class Generator {
public:
    explicit Generator(unsigned seed) : m_random(seed) {}

    Triple triple() {
        Lines base;
        for (std::size_t n = upto(40); n > 0; --n)
            base.push_back(line());
        Lines upstream = base;
        Lines local = base;
        for (std::size_t n = upto(3); n > 0; --n) { // the same on both sides, as long as nothing else is changed
            const auto state = m_random;
            edit(upstream);
            m_random = state;
            edit(local);
        }
        for (std::size_t n = upto(4); n > 0; --n)
            edit(upstream);
        for (std::size_t n = upto(4); n > 0; --n)
            edit(local);
        return {text(base), text(upstream), text(local)};
    }

private:
    std::size_t upto(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(m_random); }
    std::string line() {
        // few words, so that lines recur and differences can slide
        return fmt::format("word {}", upto(3) == 0 ? upto(4) : 100 + upto(900));
    }
    void edit(Lines& lines) {
        const std::size_t at = upto(lines.size());
        const std::size_t removed = std::min(upto(2), lines.size() - at);
        const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(at);
        lines.erase(begin, begin + static_cast<std::ptrdiff_t>(removed));
        for (std::size_t n = upto(2); n > 0; --n)
            lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), line());
    }
    std::string text(const Lines& lines) {
        std::string result;
        for (const auto& one : lines)
            result += one + "\n";
        if (!result.empty() && upto(9) == 0)
            result.pop_back();
        return result;
    }
    std::mt19937 m_random;
};

std::string_view piece(std::string_view text, const git::LineRange& range) {
    const auto lines = split_lines(text);
    if (range.end() > lines.size()) {
        ADD_FAILURE() << "lines " << range.start << "-" << range.end() << " of " << lines.size();
        return {};
    }
    std::string_view rest = text;
    std::size_t size = 0;
    for (std::size_t i = 0; i < range.end(); ++i)
        i < range.start ? rest.remove_prefix(lines[i].size()) : void(size += lines[i].size());
    return rest.substr(0, size);
}

/// Inside a conflict git adds a newline where a side has none.
std::string with_newline(std::string_view text) {
    std::string result(text);
    if (!result.empty() && result.back() != '\n')
        result += '\n';
    return result;
}

struct MarkedConflict {
    std::string upstream, local;
};

std::vector<MarkedConflict> marked_conflicts(std::string_view bytes) {
    std::vector<MarkedConflict> conflicts;
    std::string* side = nullptr;
    std::string shown_base;
    for (const auto line : split_lines(bytes)) {
        if (line.starts_with("<<<<<<< "))
            side = &conflicts.emplace_back().upstream;
        else if (line.starts_with("||||||| "))
            side = &shown_base;
        else if (line == "=======\n")
            side = &conflicts.back().local;
        else if (line.starts_with(">>>>>>> "))
            side = nullptr;
        else if (side != nullptr)
            *side += line;
    }
    return conflicts;
}

std::string git_merge_file(const TemporaryDirectory& directory, const Triple& files, const char* style,
                           int& conflicts) {
    const auto write = [&](const char* name, const std::string& bytes) {
        write_file_atomic(directory.path() / name, bytes);
    };
    write("base", files.base);
    write("upstream", files.upstream);
    write("local", files.local);
    std::vector<std::string> argv{"git", "merge-file", "-p"};
    if (*style != '\0')
        argv.emplace_back(style);
    for (const char* word : {"-L", "upstream", "-L", "base", "-L", "yours", "upstream", "base", "local"})
        argv.emplace_back(word);
    const auto result = test::run_program(argv, directory.path());
    conflicts = result.exit_code;
    return result.output;
}

void check_outcome(const HunkOutcome& hunk, const Triple& files, const TextMerge& merge) {
    if (hunk.result) {
        EXPECT_EQ(piece(merge.bytes, *hunk.result), piece(files.local, hunk.local));
    }
    switch (hunk.fate) {
    case Fate::kept:
    case Fate::merged:
        EXPECT_TRUE(hunk.result.has_value());
        ASSERT_TRUE(hunk.upstream.has_value());
        EXPECT_EQ(piece(files.upstream, *hunk.upstream), piece(files.base, hunk.base));
        break;
    case Fate::absorbed:
        EXPECT_TRUE(hunk.result.has_value());
        ASSERT_TRUE(hunk.upstream.has_value());
        EXPECT_EQ(piece(files.upstream, *hunk.upstream), piece(files.local, hunk.local));
        break;
    case Fate::conflict:
        EXPECT_FALSE(hunk.result.has_value());
        break;
    default:
        ADD_FAILURE() << "no such fate here";
    }
}

void check_triple(const Triple& files, const TextMerge& merge) {
    const auto marked = marked_conflicts(merge.bytes);
    std::size_t conflicts = 0;
    std::size_t last = 0;
    for (const auto& hunk : merge.hunks) {
        check_outcome(hunk, files, merge);
        EXPECT_GE(hunk.local.start, last);
        last = hunk.local.end();
        if (hunk.fate != Fate::conflict)
            continue;
        ASSERT_LT(conflicts, marked.size());
        EXPECT_EQ(with_newline(piece(files.local, hunk.local)), marked[conflicts].local);
        EXPECT_EQ(with_newline(piece(files.upstream, *hunk.upstream)), marked[conflicts].upstream);
        ++conflicts;
    }
    EXPECT_EQ(conflicts, marked.size());
    EXPECT_EQ(merge.clean, conflicts == 0);
    for (const auto& hunk : git::diff_lines(files.base, files.local)) {
        const auto tells = [&](const HunkOutcome& outcome) {
            return (outcome.base == hunk.before && outcome.local == hunk.after) ||
                   (outcome.fate == Fate::conflict && outcome.base.start <= hunk.before.start &&
                    outcome.base.end() >= hunk.before.end());
        };
        EXPECT_GE(std::ranges::count_if(merge.hunks, tells), 1);
    }
}

struct Style {
    git::ConflictStyle style;
    const char* option;
};

class GeneratedMerges : public testing::TestWithParam<Style> {};

TEST_P(GeneratedMerges, AgreeWithGitAndWithTheirBytes) {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    std::size_t clean = 0;
    std::size_t absorbed = 0;
    std::size_t second = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const Triple files = Generator(seed).triple();
        git::MergeOptions options;
        options.style = GetParam().style;
        const auto merge = merge_text(files.base, files.upstream, files.local, options);
        ASSERT_TRUE(merge.has_value());
        int conflicts = 0;
        const auto by_git = git_merge_file(directory, files, GetParam().option, conflicts);
        if (merge->clean && conflicts != 0) { // by the second comparison, which ort's test holds to its word
            ++second;
            for (const auto& hunk : merge->hunks)
                check_outcome(hunk, files, *merge);
        } else {
            EXPECT_EQ(merge->bytes, by_git);
            EXPECT_EQ(merge->clean, conflicts == 0);
            check_triple(files, *merge);
        }
        if (HasFailure())
            FAIL() << "base:\n" << files.base << "upstream:\n" << files.upstream << "local:\n" << files.local;
        clean += merge->clean ? 1U : 0U;
        absorbed += std::ranges::count(merge->hunks, Fate::absorbed, &HunkOutcome::fate) > 0 ? 1U : 0U;
    }
    // the generator must reach all of it
    EXPECT_GT(clean, 50U);
    EXPECT_LT(clean, 250U);
    EXPECT_GT(absorbed, 50U);
    EXPECT_LT(second, 30U);
}

/// Functions that come, go, move and change: much of them is alike, so that comparisons find different lines in common.
class Functions {
public:
    explicit Functions(unsigned seed) : m_random(seed) {}

    Triple triple() {
        std::vector<Lines> base;
        for (std::size_t n = 2 + upto(4); n > 0; --n)
            base.push_back(function());
        return {text(base), text(edited(base)), text(edited(base))};
    }

private:
    std::size_t upto(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(m_random); }
    Lines function() {
        Lines lines = {fmt::format("void f{}()\n", 100 + upto(800)), "{\n"};
        for (std::size_t n = upto(2); n > 0; --n)
            lines.push_back(fmt::format("    x{}();\n", upto(5)));
        lines.insert(lines.end(), {"    return;\n", "}\n", "\n"});
        return lines;
    }
    std::vector<Lines> edited(std::vector<Lines> functions) {
        for (std::size_t n = 1 + upto(1); n > 0; --n) {
            const std::size_t at = upto(functions.size() - 1);
            const auto place = functions.begin() + static_cast<std::ptrdiff_t>(at);
            switch (upto(3)) {
            case 0:
                functions.insert(place, function());
                break;
            case 1:
                if (functions.size() > 1)
                    functions.erase(place);
                break;
            case 2:
                functions[at][upto(functions[at].size() - 1)] = fmt::format("    y{}();\n", upto(8));
                break;
            default:
                std::rotate(functions.begin(), place, functions.end());
                break;
            }
        }
        return functions;
    }
    static std::string text(const std::vector<Lines>& functions) {
        std::string result;
        for (const auto& lines : functions)
            for (const auto& line : lines)
                result += line;
        return result;
    }
    std::mt19937 m_random;
};

/// One merge by git for all files: its tree, and the paths in conflict.
struct OrtMerge {
    std::set<std::string> conflicts;
    std::map<std::string, std::string> merged; ///< contents of the others
};

/// Nothing where this git cannot merge without a checkout (before 2.38).
std::optional<OrtMerge> merge_by_ort(const std::vector<Triple>& triples) {
    const test::TempRepo repo;
    const auto commit = [&](std::string Triple::*version) {
        for (std::size_t i = 0; i < triples.size(); ++i)
            repo.write(fmt::format("{}", i), triples[i].*version);
        repo.commit("version");
        return repo.head();
    };
    commit(&Triple::base);
    repo.git("branch", "base");
    const auto upstream = commit(&Triple::upstream);
    repo.git("checkout", "-q", "-b", "local", "base");
    const auto local = commit(&Triple::local);
    const auto result = repo.git_run({"merge-tree", "--write-tree", "--name-only", "--no-messages", upstream, local});
    if (result.exit_code > 1)
        return std::nullopt;
    OrtMerge merge;
    const auto lines = split_terminated(result.output, '\n');
    for (std::size_t i = 1; i < lines.size(); ++i)
        merge.conflicts.emplace(lines[i]);
    repo.git("read-tree", "--reset", "-u", std::string(lines.at(0)));
    for (std::size_t i = 0; i < triples.size(); ++i)
        if (const auto name = fmt::format("{}", i); !merge.conflicts.contains(name))
            merge.merged[name] = repo.read(name);
    return merge;
}

TEST(GeneratedMerge, ConflictsNowhereWhereMergeOrtDoesNot) {
    std::vector<Triple> triples;
    for (unsigned seed = 1; seed <= 400; ++seed) {
        auto files = Functions(seed).triple();
        if (files.base != files.upstream && files.base != files.local)
            triples.push_back(std::move(files));
    }
    const auto ort = merge_by_ort(triples);
    if (!ort)
        GTEST_SKIP() << "this git has no 'merge-tree --write-tree'";
    std::size_t second = 0;
    for (std::size_t i = 0; i < triples.size(); ++i) {
        const auto& files = triples[i];
        const auto name = fmt::format("{}", i);
        SCOPED_TRACE("file " + name + "\nbase:\n" + files.base + "upstream:\n" + files.upstream + "local:\n" +
                     files.local);
        const auto merge = merge_text(files.base, files.upstream, files.local, {});
        ASSERT_TRUE(merge.has_value());
        if (const auto merged = ort->merged.find(name); merged != ort->merged.end()) {
            EXPECT_TRUE(merge->clean);
            if (!git::merge_buffers(files.base, files.upstream, files.local)->clean) {
                ++second;
                EXPECT_EQ(merge->bytes, merged->second);
            }
        }
        if (HasFailure())
            return;
    }
    EXPECT_GT(second, 3U);
    EXPECT_GT(ort->conflicts.size(), 50U);
}

std::string name_of_style(const testing::TestParamInfo<Style>& tested) {
    return *tested.param.option == '\0' ? "merge" : tested.param.option + 2;
}

INSTANTIATE_TEST_SUITE_P(Styles, GeneratedMerges,
                         testing::Values(Style{git::ConflictStyle::zdiff3, "--zdiff3"},
                                         Style{git::ConflictStyle::diff3, "--diff3"},
                                         Style{git::ConflictStyle::merge, ""}),
                         name_of_style);

} // namespace
} // namespace carry::merge
