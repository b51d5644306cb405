/// Ignore rules and attributes of generated trees, asked of the tree alone, compared with git in a checkout of it. Each
/// directory at the top is a case of its own.
#include "base/text.hpp"
#include "git/attributes.hpp"
#include "git/rules_tree.hpp"
#include "seeds.hpp"
#include "unit/merge/scratch_trees.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace carry::git {
namespace {

using test::ScratchFiles;
using test::ScratchRepository;
using test::TempRepo;

constexpr std::array<const char*, 12> names = {"a",     "b",      "ab.o", "x.c",    "keep.c", "!bang",
                                               "#hash", "trail ", "[x]",  "back\\", "A",      "\xff.o"};
constexpr std::array<const char*, 8> directories = {"", "a/", "dir/", "dir/x/", "a/dir/b/", "B/", "-x/", "dir/a b/"};
constexpr std::array<const char*, 26> patterns = {
    "*.o",  "*.c",    "/a",    "a",       "a/",    "dir/",     "/dir/x", "dir/*",    "**/x",
    "x/**", "a/**/b", "[ab]*", "\\!bang", "#hash", "\\#hash",  "trail",  "trail\\ ", "*",
    "*/",   "keep.c", "?",     "\\[x\\]", "[x]",   "back\\\\", "B",      "dir/a b",
};
constexpr std::array<const char*, 8> settings = {"text",   "-text",      "eol=crlf",       "!text",
                                                 "binary", "merge=ours", "filter=f -diff", "foo"};

class RuleGenerator {
public:
    explicit RuleGenerator(unsigned seed) : m_random(seed) {}

    void add_case(const std::string& top, ScratchFiles& rules, std::vector<std::string>& paths) {
        std::set<std::string> files;
        for (std::size_t n = 14; n > 0; --n)
            files.insert(std::string(pick(directories)) + pick(names));
        for (const auto& path : files)
            if (const auto below = files.lower_bound(path + "/");
                below == files.end() || !below->starts_with(path + "/"))
                paths.push_back(top + path);
        for (const char* directory : {"", "a/", "dir/", "dir/x/"}) {
            if (files.contains(
                    std::string(directory).substr(0, std::string_view(directory).size() - (*directory != 0))))
                continue;
            if (*directory == 0 || below(3) == 0) {
                rules.emplace(top + directory + ".gitignore", ignore_rules());
                rules.emplace(top + directory + ".gitattributes", attribute_rules());
            }
        }
    }

private:
    std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(m_random); }
    template <typename Array>
    const char* pick(const Array& from) {
        return from[below(from.size())];
    }
    std::string ignore_rules() {
        std::string text;
        for (std::size_t n = 1 + below(5); n > 0; --n)
            text += fmt::format("{}{}{}", below(3) == 0 ? "!" : "", pick(patterns), below(6) == 0 ? "  \r\n" : "\n");
        return text;
    }
    std::string attribute_rules() {
        std::string text = below(4) == 0 ? "[attr]foo text eol=crlf\n" : "";
        for (std::size_t n = 1 + below(4); n > 0; --n)
            text += fmt::format("{} {}\n", below(8) == 0 ? "\"dir/a b/*\"" : pick(patterns), pick(settings));
        return text;
    }

    std::mt19937 m_random;
};

struct Rules {
    ScratchFiles files;
    std::vector<std::string> paths;
};

Rules generate() {
    Rules rules;
    for (const auto seed : test::seeds(99, 120))
        RuleGenerator(seed).add_case(fmt::format("{}/", seed), rules.files, rules.paths);
    return rules;
}

std::string nul_terminated(const std::vector<std::string>& paths) {
    std::string text;
    for (const auto& path : paths)
        text += path + '\0';
    return text;
}

/// The rules twice: in a checkout with all the files, and as a tree without any.
struct BothPlaces {
    BothPlaces() {
        for (const auto& [path, file] : rules.files)
            checkout.write(path, file.bytes);
        for (const auto& path : rules.paths)
            checkout.write(path, "x\n");
        checkout.write("global", "A\n");
        checkout.git("config", "core.excludesFile", checkout.file("global").string());
        scratch.files().git("config", "core.excludesFile", checkout.file("global").string());
        scratch.reopen();
        tree = scratch.tree(rules.files);
    }

    Rules rules = generate();
    TempRepo checkout;
    ScratchRepository scratch;
    ObjectId tree;
};

void compare_ignored(BothPlaces& both) {
    auto& [rules, checkout, scratch, tree] = both;
    const auto by_git = checkout.git_run({"check-ignore", "--no-index", "-z", "--stdin"}, nul_terminated(rules.paths));
    std::vector<std::string> expected;
    for (const auto path : split_terminated(by_git.output, '\0'))
        expected.emplace_back(path);
    auto& repository = scratch.repository();
    EXPECT_EQ(ignored_in_tree(repository.program(), repository.trees(), tree, rules.paths), expected);
    EXPECT_GT(expected.size(), rules.paths.size() / 10);
    EXPECT_LT(expected.size(), rules.paths.size() * 9 / 10);

    // the same question the other way round: what is left is what git calls untracked
    const auto listed = checkout.git("ls-files", "-o", "--exclude-standard", "-z");
    std::set<std::string> untracked;
    for (const auto path : split_terminated(listed, '\0'))
        untracked.emplace(path);
    const std::set<std::string> ignored(expected.begin(), expected.end());
    for (const auto& path : rules.paths)
        EXPECT_NE(untracked.contains(path), ignored.contains(path)) << quote_path(path);
}

void compare_attributes(BothPlaces& both) {
    auto& [rules, checkout, scratch, tree] = both;
    const std::vector<std::string> asked = {"text", "eol", "merge", "filter", "diff", "binary"};
    std::vector<std::string> args = {"check-attr", "-z", "--stdin"};
    args.insert(args.end(), asked.begin(), asked.end());
    const auto by_git = checkout.git_run(args, nul_terminated(rules.paths));
    AttributeValues expected;
    const auto fields = split_terminated(by_git.output, '\0');
    for (std::size_t at = 0; at + 2 < fields.size(); at += 3)
        expected[std::string(fields[at])][std::string(fields[at + 1])] = fields[at + 2];
    auto& repository = scratch.repository();
    const RulesTree place(repository.program(), rule_files(repository.trees(), tree, rules.paths, ".gitattributes"));
    EXPECT_EQ(check_attributes(repository.program(), asked, rules.paths, place.options()), expected);
    EXPECT_EQ(expected.size(), rules.paths.size());
}

TEST(GeneratedRules, MeanWhatTheyMeanToGit) {
    BothPlaces both;
    compare_ignored(both);
    compare_attributes(both);
}

} // namespace
} // namespace carry::git
