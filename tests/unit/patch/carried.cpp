#include "carried.hpp"

#include "support/program.hpp"

#include <gtest/gtest.h>

namespace carry::patch {

LayerTrees layer_trees(const test::TempRepo& repo) {
    const TemporaryDirectory scratch("/tmp");
    const auto index = scratch.path() / "index";
    std::filesystem::copy_file(repo.git_directory() / "index", index);
    // git takes an entry as old as the index for doubtful; the copy has to be as old, or edits of one second go unseen.
    std::filesystem::last_write_time(index, std::filesystem::last_write_time(repo.git_directory() / "index"));
    const auto git = [&](std::vector<std::string> args) {
        args.insert(args.begin(), "git");
        const auto result = test::run_program(args, repo.path(), {{"GIT_INDEX_FILE", index.native()}});
        EXPECT_EQ(result.exit_code, 0) << result.error_output;
        return result.output.substr(0, result.output.find('\n'));
    };
    LayerTrees trees;
    trees.staged = git::ObjectId::from_hex(git({"write-tree"}));
    git({"add", "-u"});
    trees.unstaged = git::ObjectId::from_hex(git({"write-tree"}));
    git({"add", "-A"});
    trees.untracked = git::ObjectId::from_hex(git({"write-tree"}));
    return trees;
}

std::vector<LinkToWrite> links_of(const test::TempRepo& repo, const std::string& base) {
    std::vector<LinkToWrite> links;
    const auto id = [&](const std::string& revision) {
        return git::ObjectId::from_hex(repo.git_line("rev-parse", revision));
    };
    auto tree = id(base + "^{tree}");
    const auto commits = repo.git("rev-list", "--reverse", "--first-parent", base + "..HEAD");
    for (std::size_t at = 0; at < commits.size(); at = commits.find('\n', at) + 1) {
        const auto commit = commits.substr(at, commits.find('\n', at) - at);
        const auto after = id(commit + "^{tree}");
        links.push_back({Layer::commit, tree, after, id(commit)});
        tree = after;
    }
    const auto layers = layer_trees(repo);
    links.push_back({Layer::staged, tree, layers.staged, {}});
    links.push_back({Layer::unstaged, layers.staged, layers.unstaged, {}});
    links.push_back({Layer::untracked, layers.unstaged, layers.untracked, {}});
    return links;
}

std::vector<PatchFile> export_series(const test::TempRepo& repo, const std::string& base,
                                     const std::filesystem::path& directory) {
    const auto links = links_of(repo, base);
    auto repository = git::Repository::open(repo.path());
    return write_series(repository, links, git::ObjectId::from_hex(base), "origin/main", 1772936102, directory);
}

test::TempRepo clone_at(const test::TempRepo& repo, const std::string& base) {
    auto clone = test::TempRepo::clone_of(repo);
    clone.git("checkout", "-q", "-B", "main", base);
    return clone;
}

std::string tree_of_worktree(const test::TempRepo& repo) {
    const TemporaryDirectory scratch("/tmp");
    const test::EnvironmentChanges extra = {{"GIT_INDEX_FILE", (scratch.path() / "index").native()}};
    const auto added =
        test::run_program({"git", "add", "-A", "-f", "--", ".", ":!patches", ":!.pc"}, repo.path(), extra);
    EXPECT_EQ(added.exit_code, 0) << added.error_output;
    const auto tree = test::run_program({"git", "write-tree"}, repo.path(), extra);
    return tree.output.substr(0, tree.output.find('\n'));
}

} // namespace carry::patch
