/// Differences of generated trees and the renames in them, compared with `git diff-tree`.
#include "base/text.hpp"
#include "merge/renames.hpp"
#include "seeds.hpp"
#include "support/generate.hpp"
#include "unit/merge/scratch_trees.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace carry {
namespace {

using test::ScratchFiles;
using test::ScratchRepository;
using test::TreeGenerator;

struct Pair {
    unsigned seed = 0;
    ScratchFiles before_files, after_files;
    git::ObjectId before, after;
};

const std::vector<TreeGenerator::Change> changes = {&TreeGenerator::remove,
                                                    &TreeGenerator::add,
                                                    &TreeGenerator::rename,
                                                    &TreeGenerator::rename,
                                                    &TreeGenerator::change_mode,
                                                    &TreeGenerator::split_directory,
                                                    &TreeGenerator::file_to_directory,
                                                    &TreeGenerator::replace_by_link,
                                                    &TreeGenerator::swap_names,
                                                    &TreeGenerator::edit};

std::vector<Pair> generate(ScratchRepository& scratch) {
    std::vector<Pair> pairs;
    for (const auto seed : test::seeds(777, 200)) {
        TreeGenerator generator(seed);
        Pair pair;
        pair.seed = seed;
        pair.before_files = pair.after_files = generator.rich_base();
        generator.change(pair.after_files, 1 + generator.below(6), changes);
        pair.before = scratch.tree(pair.before_files);
        pair.after = scratch.tree(pair.after_files);
        if (pair.before != pair.after) // git prints nothing for them
            pairs.push_back(std::move(pair));
    }
    return pairs;
}

/// What git prints for each pair, record by record: ":100644 100644 ID ID M", "path", and a second path of a rename.
std::vector<std::vector<std::string>> diff_by_git(ScratchRepository& scratch, const std::vector<Pair>& pairs,
                                                  const std::vector<std::string>& options) {
    std::string input;
    for (const auto& pair : pairs)
        input += pair.before.hex() + " " + pair.after.hex() + "\n";
    std::vector<std::string> args = {"diff-tree", "--stdin", "-r", "-z", "--raw", "--no-abbrev"};
    args.insert(args.end(), options.begin(), options.end());
    const auto result = scratch.git(args, input);
    EXPECT_TRUE(result.ok()) << result.error_output;
    std::vector<std::vector<std::string>> answers;
    for (auto field : split_terminated(result.output, '\0')) {
        const auto header = scratch.repository().objects().format() == git::ObjectFormat::sha1 ? 82U : 130U;
        if (field.size() > header && field[header - 1] == '\n' && field[header] == ':') {
            answers.emplace_back(); // the two ids and a newline go before the first record
            field.remove_prefix(header);
        }
        if (!answers.empty())
            answers.back().emplace_back(field);
    }
    return answers;
}

std::string side(const std::optional<git::TreeEntry>& entry, bool id) {
    if (id)
        return entry ? entry->id.hex() : std::string(40, '0');
    return fmt::format("{:06o}", entry ? entry->mode : 0);
}

TEST(GeneratedDiff, AgreesWithGit) {
    ScratchRepository scratch;
    const auto pairs = generate(scratch);
    const auto by_git = diff_by_git(scratch, pairs, {"--no-renames"});
    ASSERT_EQ(by_git.size(), pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        SCOPED_TRACE(
            fmt::format("seed {}\n{}", pairs[i].seed, test::describe(pairs[i].before_files, pairs[i].after_files)));
        std::vector<std::pair<std::string, std::string>> ours, theirs;
        for (const auto& change : scratch.repository().trees().diff(pairs[i].before, pairs[i].after))
            ours.emplace_back(change.path,
                              fmt::format(":{} {} {} {}", side(change.before, false), side(change.after, false),
                                          side(change.before, true), side(change.after, true)));
        for (std::size_t at = 0; at + 1 < by_git[i].size(); at += 2)
            theirs.emplace_back(by_git[i][at + 1], by_git[i][at].substr(0, by_git[i][at].rfind(' ')));
        std::sort(theirs.begin(), theirs.end());
        EXPECT_EQ(ours, theirs);
    }
}

TEST(GeneratedRenames, AgreeWithGit) {
    ScratchRepository scratch;
    auto pairs = generate(scratch);
    pairs.resize(pairs.size() / 3);
    const auto by_git = diff_by_git(scratch, pairs, {"-M", "-l0", "--no-rename-empty"});
    ASSERT_EQ(by_git.size(), pairs.size());
    std::size_t renamed = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        SCOPED_TRACE(
            fmt::format("seed {}\n{}", pairs[i].seed, test::describe(pairs[i].before_files, pairs[i].after_files)));
        std::map<std::string, std::string> expected, found;
        for (std::size_t at = 0; at + 1 < by_git[i].size(); at += 2) {
            const auto& record = by_git[i][at];
            if (record[record.rfind(' ') + 1] != 'R')
                continue;
            expected[by_git[i][at + 1]] = by_git[i][at + 2];
            ++at;
        }
        std::vector<std::string> touched;
        for (const auto& [path, file] : pairs[i].before_files)
            touched.push_back(path);
        const auto map = merge::upstream_renames(scratch.repository(), pairs[i].before, pairs[i].after, touched, {});
        for (const auto& path : touched)
            if (map.moved(path))
                found[path] = map.map(path);
        EXPECT_EQ(found, expected);
        renamed += expected.size();
    }
    EXPECT_GT(renamed, pairs.size() / 2);
}

} // namespace
} // namespace carry
