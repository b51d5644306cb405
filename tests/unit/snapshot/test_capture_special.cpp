#include "reference.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <sys/stat.h>

namespace carry::snapshot {

using test::TempRepo;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CaptureHidden, FlagsDoNotHideEdits) {
    const TempRepo repo;
    for (const auto* name : {"assumed", "assumed same", "assumed gone", "skipped", "skipped gone"})
        repo.write(name, "1\n");
    repo.commit("one");
    repo.git("update-index", "--assume-unchanged", "assumed", "assumed same", "assumed gone");
    repo.git("update-index", "--skip-worktree", "skipped", "skipped gone");
    repo.write("assumed", "2\n");
    repo.write("skipped", "2\n");
    repo.make_executable("skipped");
    repo.remove("assumed gone");
    repo.remove("skipped gone");

    auto repository = open(repo);
    const Untouched before(repo);
    const auto snapshot = capture(repository, Settings{});
    EXPECT_TRUE(before.still(repo));
    EXPECT_TRUE(snapshot.status.clean());
    EXPECT_THAT(snapshot.hidden_edits, ElementsAre("assumed", "skipped"));
    EXPECT_EQ(snapshot.staged_tree, snapshot.head_tree);
    const auto changes = repository.trees().diff(snapshot.staged_tree, snapshot.unstaged_tree);
    ASSERT_EQ(changes.size(), 2U) << "an absent file under a flag is no deletion";
    EXPECT_EQ(blob(repository, changes[0].after->id), "2\n");
    EXPECT_EQ(changes[1].after->mode, git::mode::executable);
    EXPECT_TRUE(snapshot.stamps.contains("assumed same")) << "it is there, and undo has to know";
    EXPECT_FALSE(snapshot.stamps.contains("skipped gone"));
}

TEST(CaptureUnmerged, OursIsStagedAndTheFileIsUnstaged) {
    const TempRepo repo;
    for (const auto* name : {"both", "ours deleted", "theirs deleted"})
        repo.write(name, "1\n");
    repo.commit("one");
    repo.git("checkout", "-q", "-b", "side");
    repo.write("both", "side\n");
    repo.write("ours deleted", "side\n");
    repo.remove("theirs deleted");
    repo.commit("side");
    repo.git("checkout", "-q", "main");
    repo.write("both", "main\n");
    repo.remove("ours deleted");
    repo.write("theirs deleted", "main\n");
    repo.commit("main");
    EXPECT_NE(repo.git_status("merge", "side"), 0);

    auto repository = open(repo);
    const Untouched before(repo);
    const auto snapshot = capture(repository, Settings{});
    EXPECT_TRUE(before.still(repo));
    auto& trees = repository.trees();
    EXPECT_EQ(blob(repository, trees.find(snapshot.staged_tree, "both")->id), "main\n");
    EXPECT_EQ(blob(repository, trees.find(snapshot.staged_tree, "ours deleted")->id), "side\n");
    EXPECT_EQ(blob(repository, trees.find(snapshot.staged_tree, "theirs deleted")->id), "main\n");
    EXPECT_EQ(blob(repository, trees.find(snapshot.unstaged_tree, "both")->id), repo.read("both"));
    EXPECT_THAT(repo.read("both"), HasSubstr("<<<<<<<"));
}

TEST(CaptureUntracked, TheBudgetNamesWhatItLeavesOut) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("one");
    repo.write("u1", "12345");
    repo.write("u2", "1234567890");
    repo.write("u3", "123");
    repo.write("u4", "1");
    auto repository = open(repo);
    Settings settings;
    settings.untracked_max_bytes = 9;
    const auto by_bytes = capture(repository, settings);
    EXPECT_THAT(by_bytes.left_out, ElementsAre("u2"));
    EXPECT_THAT(by_bytes.status.untracked, ElementsAre("u1", "u2", "u3", "u4"))
        << "the status is complete all the same";
    EXPECT_FALSE(repository.trees().find(by_bytes.untracked_tree, "u2"));
    EXPECT_TRUE(repository.trees().find(by_bytes.untracked_tree, "u4"));

    settings = {};
    settings.untracked_max_files = 2;
    EXPECT_THAT(capture(repository, settings).left_out, ElementsAre("u3", "u4"));
    settings.untracked_max_files = 0;
    const auto none = capture(repository, settings);
    EXPECT_EQ(none.untracked_tree, none.unstaged_tree);
    EXPECT_EQ(none.left_out.size(), 4U);
}

TEST(CaptureUntracked, IgnoredAndNestedAreNotRead) {
    const TempRepo repo;
    repo.write(".gitignore", "*.log\n");
    repo.commit("one");
    repo.write("x.log", "i\n");
    repo.git("clone", "-q", ".", "nested");
    auto repository = open(repo);
    const auto snapshot = capture(repository, Settings{});
    EXPECT_EQ(snapshot.untracked_tree, snapshot.head_tree);
    EXPECT_THAT(snapshot.status.nested, ElementsAre("nested/"));
}

TEST(CaptureRefuses, ATrackedFifoIsNeverOpened) {
    const TempRepo repo;
    repo.write("f", "1\n");
    repo.commit("one");
    repo.remove("f");
    ASSERT_EQ(mkfifo(repo.file("f").c_str(), 0644), 0);
    auto repository = open(repo);
    try {
        capture(repository, Settings{});
        FAIL() << "a fifo was captured";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::refused);
        EXPECT_THAT(error.message(), HasSubstr("'f'"));
    }
}

TEST(CaptureRefuses, AFilterThatFails) {
    const TempRepo repo;
    repo.write(".gitattributes", "*.x filter=broken\n");
    repo.write("f.x", "1\n");
    repo.commit("one");
    repo.git("config", "filter.broken.clean", "false");
    repo.git("config", "filter.broken.required", "true");
    // Of the same size git runs the filter itself to compare; of another, only the capture does.
    for (const auto* bytes : {"2\n", "longer\n"}) {
        repo.write("f.x", bytes);
        auto repository = open(repo);
        try {
            capture(repository, Settings{});
            FAIL() << "the bytes were stored unfiltered";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::refused);
            EXPECT_THAT(testing::PrintToString(error.causes()) + error.message(), HasSubstr("f.x"));
        }
    }
}

TEST(CaptureSubmodule, ItsCommitIsCarriedAndItsDirtIsNot) {
    const TempRepo library;
    library.write("l", "1\n");
    library.commit("one");
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.url(), "lib");
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.url(), "dirty");
    repo.commit("one");
    const auto recorded = repo.git_line("rev-parse", "HEAD:dirty");
    repo.git("-C", "lib", "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "two");
    repo.write("dirty/l", "2\n");
    repo.write("dirty/untracked", "u\n");

    auto repository = open(repo);
    const auto snapshot = capture(repository, Settings{});
    auto& trees = repository.trees();
    EXPECT_EQ(trees.find(snapshot.unstaged_tree, "lib")->id.hex(), repo.git_line("-C", "lib", "rev-parse", "HEAD"));
    EXPECT_EQ(trees.find(snapshot.unstaged_tree, "dirty")->id.hex(), recorded);
    EXPECT_EQ(snapshot.submodules.size(), 2U);
}

TEST(CaptureInTheWay, IgnoredFilesAndDirectoriesAreStored) {
    const TempRepo repo;
    repo.write(".gitignore", "*.log\ncache/\n");
    repo.write(".gitattributes", "*.log text eol=crlf\n");
    repo.commit("one");
    repo.write("x.log", "i\r\n");
    repo.write("cache/deep/er", "c\n");
    repo.symlink("deep", "cache/link");
    auto repository = open(repo);
    auto snapshot = capture(repository, Settings{});
    const Untouched before(repo);
    const auto tree = capture_in_the_way(repository, snapshot, {"x.log", "cache", "absent"});
    EXPECT_TRUE(before.still(repo));
    const auto changes = repository.trees().diff(snapshot.untracked_tree, tree);
    ASSERT_EQ(changes.size(), 3U);
    EXPECT_EQ(changes[0].path, "cache/deep/er");
    EXPECT_EQ(changes[1].path, "cache/link");
    EXPECT_EQ(blob(repository, changes[2].after->id), "i\n");
    EXPECT_EQ(blob(repository, snapshot.raw.at("x.log")), "i\r\n");
    EXPECT_TRUE(snapshot.stamps.contains("cache/deep/er"));
    EXPECT_EQ(capture_in_the_way(repository, snapshot, {}), snapshot.untracked_tree);
}

TEST(CaptureInTheWay, ARepositoryIsRefused) {
    const TempRepo repo;
    repo.write(".gitignore", "nested/\n");
    repo.commit("one");
    repo.git("clone", "-q", ".", "nested");
    auto repository = open(repo);
    auto snapshot = capture(repository, Settings{});
    EXPECT_THROW(capture_in_the_way(repository, snapshot, {"nested"}), Error);
}

} // namespace carry::snapshot
