/// Merges of generated histories, compared with git's own (merge-ort).
#include "base/text.hpp"
#include "merge/tree_merge.hpp"
#include "seeds.hpp"
#include "support/generate.hpp"
#include "unit/merge/scratch_trees.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace carry::test {

void PrintTo(const ScratchFile& file, std::ostream* out) {
    *out << fmt::format("{:o} {} bytes", file.mode, file.bytes.size());
}

} // namespace carry::test

namespace carry::merge {
namespace {

using test::ScratchFiles;
using test::ScratchRepository;
using test::TreeGenerator;

const auto upstream_changes = TreeGenerator::usual(
    {&TreeGenerator::switch_line_endings, &TreeGenerator::rename_directory, &TreeGenerator::split_directory,
     &TreeGenerator::replace_by_link, &TreeGenerator::file_to_directory, &TreeGenerator::swap_names});
const auto local_changes =
    TreeGenerator::usual({&TreeGenerator::edit, &TreeGenerator::switch_line_endings, &TreeGenerator::replace_by_link,
                          &TreeGenerator::file_to_directory, &TreeGenerator::swap_names});

/// Directories that a side renamed carry the other side's new files along in git. Ours do so for upstream's renames
/// alone: what upstream adds stays where upstream put it, since the new tree is upstream's wherever nothing is carried.
/// So no directory of the base vanishes on the local side.
ScratchFiles local_side(TreeGenerator& generator, const ScratchFiles& base) {
    for (;;) {
        auto files = base;
        generator.change(files, 1 + generator.below(5), local_changes);
        const auto before = test::directories_of(base);
        const auto after = test::directories_of(files);
        if (std::includes(after.begin(), after.end(), before.begin(), before.end()))
            return files;
    }
}

struct Verdict {
    git::ObjectId tree;
    std::set<std::string> conflicts;
    /// Paths that are not compared beside those in conflict: where these came from. Git takes the source of a rename
    /// away although the rename is in conflict, and leaves a file whose type changed where it was; ours keep what
    /// upstream has there.
    std::set<std::string> sources;
};

/// git names the files of a conflict between a directory and a file, or between types, "path~commit".
std::string without_branch(const std::string& path) {
    static const std::regex suffix("~[0-9a-f]{40}(_[0-9]+)?$");
    return std::regex_replace(path, suffix, "");
}

/// All merges by one git: the verdict of each pair of commits.
std::vector<Verdict> merge_by_git(ScratchRepository& scratch, const std::string& pairs) {
    const auto result = scratch.git({"-c", "merge.directoryRenames=true", "-c", "merge.renameLimit=0", "merge-tree",
                                     "--write-tree", "--stdin", "--name-only", "--no-messages"},
                                    pairs);
    EXPECT_TRUE(result.ok()) << result.error_output;
    std::vector<Verdict> verdicts;
    auto fields = split_terminated(result.output, '\0');
    for (std::size_t at = 0; at + 1 < fields.size(); ++at) { // status, tree, paths in conflict, nothing
        Verdict verdict;
        verdict.tree = git::ObjectId::from_hex(fields[++at]);
        for (++at; at < fields.size() && !fields[at].empty(); ++at)
            verdict.conflicts.insert(without_branch(std::string(fields[at])));
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

/// Where a file is in conflict that became a directory here, git puts the file aside ("path~commit") and the
/// directory's files in its place. Ours leave the file where it is, so that there is no room for them.
bool is_below_a_conflict(const PathOutcome& outcome, const std::vector<PathOutcome>& all) {
    return outcome.conflict->kind == ConflictKind::directory_file &&
           std::any_of(all.begin(), all.end(), [&](const PathOutcome& other) {
               return other.conflict && outcome.new_path.starts_with(other.new_path + "/");
           });
}

Verdict merge_by_us(ScratchRepository& scratch, const git::ObjectId& base, const git::ObjectId& upstream,
                    const git::ObjectId& local) {
    std::vector<std::string> touched;
    std::vector<std::string> added;
    for (const auto& change : scratch.repository().trees().diff(base, local))
        (change.before ? touched : added).push_back(change.path);
    auto map = upstream_renames(scratch.repository(), base, upstream, touched, added);
    const auto merge =
        merge_link(scratch.repository(), {.before = base, .after = local, .onto = upstream, .map = &map});
    Verdict verdict;
    verdict.tree = merge.tree;
    for (const auto& path : merge.paths) {
        if (!path.conflict)
            continue;
        verdict.sources.insert({path.old_path, path.new_path});
        if (is_below_a_conflict(path, merge.paths))
            continue;
        verdict.conflicts.insert(path.new_path);
        if (path.conflict->kind == ConflictKind::renamed_twice)
            verdict.conflicts.insert({path.old_path, map.map_new(path.path).value_or(path.path)});
    }
    return verdict;
}

/// Everything but the paths in conflict.
ScratchFiles settled(ScratchRepository& scratch, const Verdict& verdict, const std::set<std::string>& conflicts) {
    ScratchFiles files;
    for (auto& [path, file] : scratch.content(verdict.tree)) {
        if (!conflicts.contains(without_branch(path)))
            files.emplace(path, file);
    }
    return files;
}

struct Case {
    unsigned seed = 0;
    ScratchFiles base_files, upstream_files, local_files;
    git::ObjectId base, upstream, local;
};

Case generate(ScratchRepository& scratch, unsigned seed, std::string& pairs) {
    TreeGenerator generator(seed);
    Case made;
    made.seed = seed;
    made.base_files = generator.one_in(2) ? generator.base() : generator.rich_base();
    made.upstream_files = made.base_files;
    generator.change(made.upstream_files, 1 + generator.below(5), upstream_changes);
    made.local_files = local_side(generator, made.base_files);
    made.base = scratch.tree(made.base_files);
    made.upstream = scratch.tree(made.upstream_files);
    made.local = scratch.tree(made.local_files);
    const auto root = scratch.commit(made.base, {});
    pairs += scratch.commit(made.upstream, {root}).hex() + " " + scratch.commit(made.local, {root}).hex() + "\n";
    return made;
}

TEST(GeneratedTreeMerge, AgreesWithGit) {
    ScratchRepository scratch;
    if (scratch.git({"merge-tree", "-h"}).output.find("--stdin") == std::string::npos)
        GTEST_SKIP() << "this git has no merge-tree --stdin";
    std::vector<Case> cases;
    std::string pairs;
    for (const auto seed : test::seeds(20260308, 200))
        cases.push_back(generate(scratch, seed, pairs));
    const auto by_git = merge_by_git(scratch, pairs);
    ASSERT_EQ(by_git.size(), cases.size());

    std::size_t in_conflict = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto& [seed, base_files, upstream_files, local_files, base, upstream, local] = cases[i];
        SCOPED_TRACE(fmt::format("seed {}\nupstream:\n{}local:\n{}", seed, test::describe(base_files, upstream_files),
                                 test::describe(base_files, local_files)));
        const auto& git = by_git[i];
        const auto ours = merge_by_us(scratch, base, upstream, local);
        EXPECT_EQ(ours.conflicts, git.conflicts);
        auto either = git.conflicts;
        either.insert(ours.conflicts.begin(), ours.conflicts.end());
        either.insert(ours.sources.begin(), ours.sources.end());
        EXPECT_EQ(settled(scratch, ours, either), settled(scratch, git, either));
        if (git.conflicts.empty())
            EXPECT_EQ(ours.tree, git.tree);
        else
            ++in_conflict;
    }
    // neither all nor none of them: the test would say nothing
    EXPECT_GT(in_conflict, cases.size() / 10);
    EXPECT_LT(in_conflict, cases.size() * 9 / 10);
}

} // namespace
} // namespace carry::merge
