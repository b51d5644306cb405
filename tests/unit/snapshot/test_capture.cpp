#include "reference.hpp"
#include "support/program.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

namespace carry::snapshot {

using test::TempRepo;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// With libgit2's object store, and with git's.
class Capture : public testing::TestWithParam<bool> {
protected:
    static git::Repository open(const TempRepo& repo) { return snapshot::open(repo, GetParam()); }
    /// Captures, and checks that git comes to the same trees and that nothing was touched.
    static Snapshot capture_checked(const TempRepo& repo, git::Repository& repository) {
        const auto expected = reference_trees(repo);
        const Untouched before(repo);
        auto snapshot = capture(repository, Settings{});
        EXPECT_TRUE(before.still(repo));
        EXPECT_EQ(snapshot.staged_tree.hex(), expected.staged);
        EXPECT_EQ(snapshot.unstaged_tree.hex(), expected.unstaged);
        EXPECT_EQ(snapshot.untracked_tree.hex(), expected.untracked);
        return snapshot;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Capture, testing::Bool(),
                         [](const auto& store) { return store.param ? "git" : "libgit2"; });

const std::vector<std::string> odd_names = {"sp ace",      "tab\tname", "new\nline", "quo\"te", "back\\slash",
                                            "bad\xff\xfe", "-dash",     ":colon",    "*star"};

TEST_P(Capture, ACleanCheckoutCarriesNothing) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("one");
    auto repository = open(repo);
    const auto snapshot = capture_checked(repo, repository);
    EXPECT_EQ(snapshot.head.commit.hex(), repo.head());
    EXPECT_EQ(snapshot.head_tree, snapshot.untracked_tree);
    EXPECT_THAT(snapshot.stamps, IsEmpty());
    EXPECT_EQ(write_chain(repository, snapshot).hex(), repo.head());
}

TEST_P(Capture, EveryLayerOverEveryKindOfChange) {
    const TempRepo repo;
    for (const std::string layer : {"s", "w"}) {
        repo.write(layer + "/edited", "1\n");
        repo.write(layer + "/deleted", "1\n");
        repo.write(layer + "/executable", "1\n");
        repo.write(layer + "/becomes link", "1\n");
        repo.symlink("target", layer + "/link");
        repo.write(layer + "/becomes dir", "1\n");
        repo.write(layer + "/dir/becomes", "file\n");
        for (const auto& name : odd_names)
            repo.write(layer + "/odd/" + name, "1\n");
    }
    repo.commit("one");
    const auto change = [&](const std::string& layer) {
        repo.write(layer + "/edited", "2\r\nno end");
        repo.remove(layer + "/deleted");
        repo.make_executable(layer + "/executable");
        repo.symlink("edited", layer + "/becomes link");
        repo.symlink("other", layer + "/link");
        repo.remove(layer + "/becomes dir");
        repo.write(layer + "/becomes dir/x", "in\n");
        repo.remove(layer + "/dir");
        repo.write(layer + "/dir", "file\n");
        repo.write(layer + "/binary", std::string("\0\1\2", 3));
        repo.write(layer + "/empty", "");
        for (const auto& name : odd_names)
            repo.write(layer + "/odd/" + name, "2\n");
    };
    change("s");
    repo.git("add", "-A");
    change("w");
    repo.write("s/edited", "3\n");
    for (const auto& name : odd_names)
        repo.write("u/" + name, "new\n");
    repo.symlink("nowhere", "u/link");
    repo.write("u/run", "x\n");
    repo.make_executable("u/run");

    auto repository = open(repo);
    const auto snapshot = capture_checked(repo, repository);
    EXPECT_TRUE(snapshot.raw.empty());
    EXPECT_TRUE(snapshot.stamps.contains("u/bad\xff\xfe"));
    EXPECT_FALSE(snapshot.stamps.contains("s/link")) << "only what is not in the index is read from disk";
    EXPECT_EQ(blob(repository, snapshot.index_blob), repo.read(".git/index"));
}

TEST_P(Capture, AnUnbornBranch) {
    const TempRepo repo;
    repo.write("staged", "1\n");
    repo.git("add", "staged");
    repo.write("untracked", "u\n");
    auto repository = open(repo);
    const auto snapshot = capture_checked(repo, repository);
    EXPECT_TRUE(snapshot.head.commit.is_null());
    EXPECT_TRUE(snapshot.head_tree.is_null());
    const auto tip = write_chain(repository, snapshot);
    EXPECT_EQ(repository.trees().tree_of_commit(tip), snapshot.untracked_tree);
}

TEST_P(Capture, IntentToAddIsNotStaged) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.write("empty", "");
    repo.commit("one");
    repo.write("wanted", "w\n");
    repo.write("vanished", "v\n");
    repo.git("add", "-N", "wanted", "vanished");
    repo.remove("vanished");
    repo.remove("empty");
    auto repository = open(repo);
    const auto snapshot = capture_checked(repo, repository);
    EXPECT_THAT(snapshot.intent_to_add, ElementsAre("vanished", "wanted"));
    EXPECT_EQ(snapshot.staged_tree, snapshot.head_tree);
    EXPECT_TRUE(repository.trees().find(snapshot.unstaged_tree, "wanted"));
    EXPECT_FALSE(repository.trees().find(snapshot.unstaged_tree, "empty"));
}

TEST_P(Capture, ConvertedFilesKeepTheirRawBytes) {
    const TempRepo repo;
    repo.write(".gitattributes", "*.txt text eol=crlf\n*.up filter=up\n*.utf16 text working-tree-encoding=UTF-16LE\n"
                                 "*.id ident\n*.bin -text\n");
    repo.git("config", "filter.up.clean", "tr A-Z a-z");
    repo.git("config", "filter.up.smudge", "tr a-z A-Z");
    repo.write("f.txt", "one\r\n");
    repo.write("plain", "one\n");
    repo.commit("one");
    repo.write("f.txt", "one\r\ntwo\r\n");
    repo.write("new.up", "ABC\n");
    repo.write("new.utf16", std::string("a\0\n\0", 4));
    repo.write("new.id", "$Id: 1234 $\n");
    repo.write("new.bin", "a\r\n");
    repo.write("plain", "two\r\n");
    auto repository = open(repo);
    const auto snapshot = capture_checked(repo, repository);
    ASSERT_EQ(snapshot.raw.size(), 4U);
    EXPECT_EQ(blob(repository, snapshot.raw.at("f.txt")), "one\r\ntwo\r\n");
    EXPECT_EQ(blob(repository, snapshot.raw.at("new.up")), "ABC\n");
    EXPECT_EQ(blob(repository, repository.trees().find(snapshot.untracked_tree, "new.up")->id), "abc\n");
    EXPECT_EQ(blob(repository, snapshot.raw.at("new.utf16")), std::string("a\0\n\0", 4));
    EXPECT_EQ(blob(repository, snapshot.raw.at("new.id")), "$Id: 1234 $\n");
}

TEST_P(Capture, LineEndingsByConfiguration) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("one");
    repo.git("config", "core.autocrlf", "true");
    repo.write("a", "1\r\n2\r\n");
    repo.write("new", "n\r\n");
    auto repository = open(repo);
    const auto snapshot = capture_checked(repo, repository);
    EXPECT_EQ(blob(repository, snapshot.raw.at("a")), "1\r\n2\r\n");
    EXPECT_EQ(blob(repository, repository.trees().find(snapshot.unstaged_tree, "a")->id), "1\n2\n");
    EXPECT_TRUE(snapshot.raw.contains("new"));
}

TEST_P(Capture, ExecutableBitsThatTheFileSystemDoesNotKeep) {
    const TempRepo repo;
    repo.write("run", "1\n");
    repo.make_executable("run");
    repo.write("plain", "1\n");
    repo.commit("one");
    repo.git("config", "core.fileMode", "false");
    repo.write("run", "2\n");
    std::filesystem::permissions(repo.file("run"), std::filesystem::perms(0644));
    repo.write("plain", "2\n");
    repo.make_executable("plain");
    auto repository = open(repo);
    const auto snapshot = capture_checked(repo, repository);
    EXPECT_EQ(repository.trees().find(snapshot.unstaged_tree, "run")->mode, git::mode::executable);
    EXPECT_EQ(repository.trees().find(snapshot.unstaged_tree, "plain")->mode, git::mode::file);
}

TEST_P(Capture, LinksAsFiles) {
    const TempRepo repo;
    repo.symlink("target", "link");
    repo.commit("one");
    repo.git("config", "core.symlinks", "false");
    repo.remove("link");
    repo.write("link", "other");
    auto repository = open(repo);
    const auto snapshot = capture_checked(repo, repository);
    EXPECT_EQ(repository.trees().find(snapshot.unstaged_tree, "link")->mode, git::mode::link);
}

TEST_P(Capture, AFileBehindALinkIsNotRead) {
    const TempRepo repo;
    repo.write("d/secret", "1\n");
    repo.commit("one");
    const TemporaryDirectory outside("/tmp");
    write_file_atomic(outside.path() / "secret", "outside\n");
    repo.remove("d");
    repo.symlink(outside.path().native(), "d");
    auto repository = open(repo);
    const auto snapshot = capture_checked(repo, repository);
    EXPECT_FALSE(repository.trees().find(snapshot.unstaged_tree, "d/secret"));
    EXPECT_TRUE(repository.trees().find(snapshot.untracked_tree, "d")->is_link());
}

TEST_P(Capture, TheChainIsStable) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("one");
    repo.write("a", "2\n");
    repo.git("add", "a");
    repo.write("u", "u\n");
    auto repository = open(repo);
    const auto snapshot = capture_checked(repo, repository);
    const auto tip = write_chain(repository, snapshot);
    EXPECT_EQ(write_chain(repository, snapshot), tip);
    const auto read = [&](const git::ObjectId& id) {
        return repository.objects().require(id, git::ObjectType::commit);
    };
    EXPECT_THAT(read(tip), testing::HasSubstr("\n\ncarry: untracked\n"));
    const auto parent = git::ObjectId::from_hex(read(tip).substr(read(tip).find("parent ") + 7, 40));
    EXPECT_THAT(read(parent), testing::HasSubstr("\n\ncarry: staged\n")) << "nothing is unstaged: no link for it";
    EXPECT_THAT(read(parent), testing::HasSubstr("parent " + repo.head()));
}

TEST_P(Capture, Sha256AndLinkedWorktrees) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("one");
    const TemporaryDirectory other("/tmp");
    repo.git("worktree", "add", "-q", "-b", "side", (other.path() / "w").native());
    write_file_atomic(other.path() / "w" / "a", "2\n");
    auto repository = git::Repository::open(other.path() / "w");
    repository.use_program_store(GetParam());
    const auto snapshot = capture(repository, Settings{});
    EXPECT_EQ(snapshot.head.branch, "refs/heads/side");
    EXPECT_EQ(blob(repository, repository.trees().find(snapshot.unstaged_tree, "a")->id), "2\n");

    const TemporaryDirectory wide("/tmp");
    test::run_program({"git", "init", "-q", "--object-format=sha256", wide.path().native()});
    write_file_atomic(wide.path() / "a", "1\n", 0644);
    auto sha256 = git::Repository::open(wide.path());
    const auto long_ids = capture(sha256, Settings{});
    EXPECT_EQ(long_ids.untracked_tree.hex().size(), 64U);
}

} // namespace carry::snapshot
