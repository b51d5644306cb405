#include "carried.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"

#include <gmock/gmock.h>

#include <set>

namespace carry::patch {

using test::numbered;
using test::set_line;
using test::TempRepo;

git::ObjectId head_tree(const TempRepo& repo) {
    return git::ObjectId::from_hex(repo.git_line("rev-parse", "HEAD^{tree}"));
}

/// The changes between two trees, as git lists them.
std::string changes_between(const TempRepo& repo, const git::ObjectId& before, const git::ObjectId& after) {
    const auto result =
        test::run_program({"git", "diff-tree", "-r", "--raw", "--no-abbrev", before.hex(), after.hex()}, repo.path(),
                          {{"GIT_OBJECT_DIRECTORY", (repo.git_directory() / "carry/objects").native()}});
    EXPECT_EQ(result.exit_code, 0) << result.error_output;
    return result.output;
}

TEST(TreesOfPatch, EveryLinkOfTheChainComesBack) {
    const TempRepo repo;
    for (const auto* name : {"text", "chmod", "renamed", "becomes link", "gone"})
        repo.write(name, numbered(name, 30));
    repo.write("binary", std::string("\0\1", 2));
    repo.write("sp \"a\"\tce\xff", numbered("x", 5));
    repo.symlink("target", "link");
    const auto base = repo.commit("base");
    repo.write("text", set_line(numbered("text", 30), 3, "commit"));
    repo.make_executable("chmod");
    repo.git("mv", "renamed", "moved");
    repo.symlink("text", "becomes link");
    repo.commit("A commit");
    repo.write("text", set_line(repo.read("text"), 20, "staged\r"));
    repo.write("binary", std::string("\0\2", 2));
    repo.stage("text");
    repo.write("sp \"a\"\tce\xff", "changed");
    repo.remove("gone");
    repo.symlink("elsewhere", "link");
    repo.write("moved", repo.read("moved") + "more\n");
    repo.make_executable("binary");
    repo.write("new", "n\n");
    repo.write("new empty", "");

    const auto links = links_of(repo, base);
    const TemporaryDirectory out("/tmp");
    export_series(repo, base, out.path());
    const auto patches = read_patches({out.path()});
    auto repository = git::Repository::open(repo.path());
    std::map<Layer, std::string> together;
    for (const auto& patch : patches) {
        const auto trees = trees_of_patch(repository, patch, head_tree(repo));
        ASSERT_TRUE(trees) << patch.file.name;
        together[patch.file.layer] += changes_between(repo, trees->before, trees->after);
    }
    for (const auto& link : links) {
        auto expected = changes_between(repo, link.before_tree, link.after_tree);
        auto lines = [](const std::string& text) {
            std::multiset<std::string> result;
            for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
                result.insert(text.substr(at, text.find('\n', at) - at));
            return result;
        };
        EXPECT_EQ(lines(together[link.layer]), lines(expected)) << to_string(link.layer);
    }
}

TEST(TreesOfPatch, AbbreviatedIdsAndPlainDiffs) {
    const TempRepo repo;
    repo.write("a", numbered("a", 30));
    repo.commit("base");
    repo.write("a", set_line(numbered("a", 30), 3, "mine"));
    const TemporaryDirectory out("/tmp");
    write_file_atomic(out.path() / "short.diff", repo.git("diff", "--abbrev=7"));
    auto plain = repo.git("diff", "--abbrev=7");
    plain.erase(0, plain.find("--- "));
    write_file_atomic(out.path() / "plain.diff", plain);
    repo.git("checkout", "-q", ".");
    // Upstream moves on; the pre-image is still known by its id.
    repo.write("a", set_line(numbered("a", 30), 3, "upstream"));
    repo.commit("moved on");
    auto repository = git::Repository::open(repo.path());
    const auto found = trees_of_patch(repository, read_patches({out.path() / "short.diff"})[0], head_tree(repo));
    ASSERT_TRUE(found);
    const auto before = repository.trees().find(found->before, "a");
    EXPECT_EQ(before->id.hex(), repo.git_line("rev-parse", "HEAD~1:a"));
    // Without an id HEAD's version stands in, and the patch does not fit it.
    EXPECT_FALSE(trees_of_patch(repository, read_patches({out.path() / "plain.diff"})[0], head_tree(repo)));
    const auto old_tree = git::ObjectId::from_hex(repo.git_line("rev-parse", "HEAD~1^{tree}"));
    EXPECT_TRUE(trees_of_patch(repository, read_patches({out.path() / "plain.diff"})[0], old_tree));
}

TEST(TreesOfPatch, AnUnknownPreImageIsNothing) {
    const TempRepo other;
    other.write("elsewhere", numbered("x", 10));
    other.commit("base");
    other.write("elsewhere", set_line(numbered("x", 10), 5, "y"));
    const TemporaryDirectory out("/tmp");
    write_file_atomic(out.path() / "p.diff", other.git("diff", "--full-index"));
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("base");
    auto repository = git::Repository::open(repo.path());
    EXPECT_FALSE(trees_of_patch(repository, read_patches({out.path() / "p.diff"})[0], head_tree(repo)));
}

TEST(TreesOfPatch, NewFilesNeedNoPreImage) {
    const TempRepo other;
    other.write("a", "1\n");
    other.commit("base");
    other.write("dir/new", "n\n");
    other.git("add", "-A");
    const TemporaryDirectory out("/tmp");
    write_file_atomic(out.path() / "p.diff", other.git("diff", "--cached"));
    const TempRepo repo;
    repo.write("b", "1\n");
    repo.commit("base");
    auto repository = git::Repository::open(repo.path());
    const auto trees = trees_of_patch(repository, read_patches({out.path() / "p.diff"})[0], head_tree(repo));
    ASSERT_TRUE(trees);
    EXPECT_TRUE(repository.trees().leaves(trees->before).empty());
    EXPECT_EQ(repository.trees().leaves(trees->after).at(0).first, "dir/new");
}

} // namespace carry::patch
