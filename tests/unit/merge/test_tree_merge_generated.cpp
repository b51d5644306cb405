/// Merges of generated histories, compared with git's own (merge-ort).
#include "generated_trees.hpp"
#include "merge/tree_merge.hpp"

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

constexpr unsigned cases = 150;

void change_at_random(TreeGenerator& generator, ScratchFiles& files, bool upstream) {
    const auto count = 1 + generator.below(5);
    for (std::size_t i = 0; i < count && files.size() > 3; ++i) {
        switch (generator.below(12)) {
        case 0:
            generator.remove(files);
            break;
        case 1:
        case 2:
            generator.add(files);
            break;
        case 3:
        case 4:
            generator.rename(files);
            break;
        case 5:
            generator.change_mode(files);
            break;
        case 6:
            if (generator.one_in(3))
                generator.replace_by_link(files);
            break;
        case 7:
            if (upstream && generator.one_in(2))
                generator.rename_directory(files);
            else if (generator.one_in(4))
                generator.file_to_directory(files);
            break;
        default:
            generator.edit(files);
        }
    }
}

/// Directories that a side renamed carry the other side's new files along in git. Ours do so for upstream's renames
/// alone: what upstream adds stays where upstream put it, since the new tree is upstream's wherever nothing is carried.
/// So no directory of the base vanishes on the local side.
ScratchFiles local_side(TreeGenerator& generator, const ScratchFiles& base) {
    for (;;) {
        auto files = base;
        change_at_random(generator, files, false);
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

Verdict merge_by_git(ScratchRepository& scratch, const git::ObjectId& ours, const git::ObjectId& theirs) {
    const auto result = scratch.git({"-c", "merge.directoryRenames=true", "merge-tree", "--write-tree", "-z",
                                     "--name-only", "--no-messages", ours.hex(), theirs.hex()});
    EXPECT_LE(result.exit_code, 1) << result.error_output;
    Verdict verdict;
    for (const auto field : split_terminated(result.output, '\0')) {
        if (verdict.tree.is_null())
            verdict.tree = git::ObjectId::from_hex(field);
        else if (!field.empty())
            verdict.conflicts.insert(without_branch(std::string(field)));
    }
    return verdict;
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

std::string describe(const ScratchFiles& before, const ScratchFiles& after) {
    std::string text;
    for (const auto& [path, file] : before) {
        const auto now = after.find(path);
        if (now == after.end())
            text += "  - " + path + "\n";
        else if (now->second != file)
            text += fmt::format("  M {} {:o} {:o}\n", path, file.mode, now->second.mode);
    }
    for (const auto& [path, file] : after) {
        if (!before.contains(path))
            text += fmt::format("  + {} {:o}\n", path, file.mode);
    }
    return text;
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

TEST(GeneratedTreeMerge, AgreesWithGit) {
    ScratchRepository scratch;
    if (scratch.git({"merge-tree", "--write-tree", "-h"}).error_output.find("--write-tree") == std::string::npos &&
        scratch.git({"merge-tree", "-h"}).output.find("--write-tree") == std::string::npos)
        GTEST_SKIP() << "this git has no merge-tree --write-tree";
    const unsigned first_seed = 20260308;
    std::size_t in_conflict = 0;
    for (unsigned seed = first_seed; seed < first_seed + cases; ++seed) {
        TreeGenerator generator(seed);
        const auto base_files = generator.base();
        auto upstream_files = base_files;
        change_at_random(generator, upstream_files, true);
        const auto local_files = local_side(generator, base_files);
        SCOPED_TRACE(fmt::format("seed {}\nupstream:\n{}local:\n{}", seed, describe(base_files, upstream_files),
                                 describe(base_files, local_files)));

        const auto base = scratch.tree(base_files);
        const auto upstream = scratch.tree(upstream_files);
        const auto local = scratch.tree(local_files);
        const auto root = scratch.commit(base, {});
        const auto git = merge_by_git(scratch, scratch.commit(upstream, {root}), scratch.commit(local, {root}));
        const auto ours = merge_by_us(scratch, base, upstream, local);
        EXPECT_EQ(ours.conflicts, git.conflicts);
        auto either = git.conflicts;
        either.insert(ours.conflicts.begin(), ours.conflicts.end());
        either.insert(ours.sources.begin(), ours.sources.end());
        EXPECT_EQ(settled(scratch, ours, either), settled(scratch, git, either));
        if (git.conflicts.empty()) {
            EXPECT_EQ(ours.tree, git.tree);
        } else {
            ++in_conflict;
        }
    }
    // neither all nor none of them: the test would say nothing
    EXPECT_GT(in_conflict, cases / 10);
    EXPECT_LT(in_conflict, cases * 9 / 10);
}

} // namespace
} // namespace carry::merge
