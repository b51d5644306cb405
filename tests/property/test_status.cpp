/// The snapshot of a generated checkout, compared with what `git status`, `git add -u` and `git add -A` make of it.
/// Each directory at the top is a case of its own: one capture looks at all of them.
#include "base/text.hpp"
#include "seeds.hpp"
#include "snapshot/capture.hpp"
#include "support/generate.hpp"
#include "unit/snapshot/reference.hpp"
#include "write_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace carry::snapshot {
namespace {

using test::ScratchFiles;
using test::TempRepo;
using test::TreeGenerator;

const auto changes = TreeGenerator::usual(
    {&TreeGenerator::file_to_directory, &TreeGenerator::replace_by_link, &TreeGenerator::switch_line_endings});

/// Rules of its own for a case in three.
void add_rules(TreeGenerator& generator, ScratchFiles& files) {
    constexpr std::array<const char*, 5> attributes = {"* text=auto\n", "* text\n", "new* eol=crlf\n", "* -text\n",
                                                       "* ident\nmoved* text eol=lf\n"};
    constexpr std::array<const char*, 5> ignores = {"new0\n", "new*\n!new1\n", "fresh/\n", "/moved*\n",
                                                    "*\n!*/\n!*a*\n"};
    if (generator.one_in(3))
        files.emplace(".gitattributes", attributes[generator.below(attributes.size())]);
    if (generator.one_in(3))
        files.emplace(".gitignore", ignores[generator.below(ignores.size())]);
}

struct Checkout {
    TempRepo repo;
    std::vector<unsigned> seeds;
};

/// Committed, then changed and staged, then changed again; a few new files are intent-to-add.
Checkout generate() {
    Checkout checkout;
    checkout.seeds = test::seeds(4711, 80);
    const auto& repo = checkout.repo;
    std::vector<TreeGenerator> generators;
    std::vector<ScratchFiles> files;
    for (const auto seed : checkout.seeds) {
        generators.emplace_back(seed);
        auto& generator = generators.back();
        files.push_back(generator.one_in(2) ? generator.base() : generator.rich_base());
        add_rules(generator, files.back());
        test::write_files(repo, fmt::format("{}/", seed), {}, files.back());
    }
    repo.commit("Begin");
    std::string intents;
    for (const bool staged : {true, false}) {
        for (std::size_t i = 0; i < files.size(); ++i) {
            const auto before = files[i];
            generators[i].change(files[i], generators[i].below(5), changes);
            test::write_files(repo, fmt::format("{}/", checkout.seeds[i]), before, files[i]);
            for (const auto& [path, file] : files[i])
                if (!staged && !before.contains(path) && generators[i].one_in(4))
                    intents += fmt::format("{}/{}", checkout.seeds[i], path) + '\0';
        }
        if (staged)
            repo.git("add", "-A");
    }
    EXPECT_TRUE(
        repo.git_run({"--literal-pathspecs", "add", "-f", "-N", "--pathspec-from-file=-", "--pathspec-file-nul"},
                     intents)
            .ok());
    return checkout;
}

/// A failure names the cases it is about.
void expect_same_tree(git::Repository& repository, const git::ObjectId& ours, const std::string& by_git,
                      const char* layer) {
    if (ours.hex() == by_git)
        return;
    std::string paths;
    for (const auto& change : repository.trees().diff(git::ObjectId::from_hex(by_git), ours))
        paths += fmt::format("\n  {} git {} ours {}", quote_path(change.path),
                             change.before ? change.before->id.hex() : "nothing",
                             change.after ? change.after->id.hex() : "nothing");
    ADD_FAILURE() << layer << " differs (seed/path):" << paths;
}

TEST(GeneratedStatus, AgreesWithGit) {
    const auto checkout = generate();
    const auto& repo = checkout.repo;
    auto repository = open(repo);
    const Untouched before(repo);
    const auto snapshot = capture(repository, Settings{});
    EXPECT_TRUE(before.still(repo));
    const auto trees = reference_trees(repo, repo.git_directory() / "objects");
    expect_same_tree(repository, snapshot.staged_tree, trees.staged, "what is staged");
    expect_same_tree(repository, snapshot.unstaged_tree, trees.unstaged, "what is not staged");
    expect_same_tree(repository, snapshot.untracked_tree, trees.untracked, "what is untracked");

    const auto listed = repo.git("ls-files", "-o", "--exclude-standard", "-z");
    std::vector<std::string> untracked;
    for (const auto path : split_terminated(listed, '\0'))
        untracked.emplace_back(path);
    auto ours = snapshot.status.untracked;
    std::sort(ours.begin(), ours.end());
    std::sort(untracked.begin(), untracked.end());
    EXPECT_EQ(ours, untracked);
    EXPECT_GT(untracked.size(), checkout.seeds.size() / 4);

    const auto changed = repo.git("diff-files", "--name-only", "-z");
    std::vector<std::string> by_git;
    for (const auto path : split_terminated(changed, '\0'))
        by_git.emplace_back(path);
    std::vector<std::string> by_us;
    for (const auto& entry : snapshot.status.entries)
        if (entry.worktree != '.')
            by_us.push_back(entry.path);
    std::sort(by_us.begin(), by_us.end());
    EXPECT_EQ(by_us, by_git);
    EXPECT_GT(by_us.size(), checkout.seeds.size());
}

} // namespace
} // namespace carry::snapshot
