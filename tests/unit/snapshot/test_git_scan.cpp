#include "reference.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>

namespace carry::snapshot {

using test::TempRepo;
using testing::ElementsAre;
using testing::IsEmpty;

const StatusEntry& entry_of(const Status& status, const std::string& path) {
    for (const auto& entry : status.entries) {
        if (entry.path == path)
            return entry;
    }
    throw std::runtime_error("no entry for " + path);
}

Status scan(const TempRepo& repo) {
    return scan_with_git(git::Repository::open(repo.path()).program());
}

TEST(GitScan, NothingChangedIsClean) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("one");
    EXPECT_TRUE(scan(repo).clean());
}

TEST(GitScan, BothSidesOfAPathAreToldApart) {
    const TempRepo repo;
    for (const auto* name : {"both", "staged", "worktree", "gone", "removed"})
        repo.write(name, "1\n");
    repo.commit("one");
    repo.write("both", "2\n");
    repo.write("staged", "2\n");
    repo.git("add", "both", "staged");
    repo.write("both", "3\n");
    repo.write("worktree", "2\n");
    repo.make_executable("worktree");
    repo.remove("gone");
    repo.git("rm", "-q", "removed");
    repo.write("new", "n\n");
    repo.git("add", "new");
    repo.write("untracked dir/file", "u\n");

    const auto status = scan(repo);
    EXPECT_EQ(status.entries.size(), 6U);
    const auto& both = entry_of(status, "both");
    EXPECT_EQ(both.index, 'M');
    EXPECT_EQ(both.worktree, 'M');
    EXPECT_EQ(both.head_entry->id.hex(), repo.git_line("rev-parse", "HEAD:both"));
    EXPECT_EQ(both.index_entry->id.hex(), repo.git_line("rev-parse", ":both"));
    EXPECT_EQ(entry_of(status, "staged").worktree, '.');
    EXPECT_EQ(entry_of(status, "worktree").worktree_mode, git::mode::executable);
    EXPECT_EQ(entry_of(status, "gone").worktree, 'D');
    EXPECT_EQ(entry_of(status, "gone").worktree_mode, 0U);
    EXPECT_EQ(entry_of(status, "removed").index, 'D');
    EXPECT_FALSE(entry_of(status, "removed").index_entry);
    EXPECT_EQ(entry_of(status, "new").index, 'A');
    EXPECT_FALSE(entry_of(status, "new").head_entry);
    EXPECT_THAT(status.untracked, ElementsAre("untracked dir/file"));
}

TEST(GitScan, TheUsersConfigurationDoesNotChangeIt) {
    const TempRepo repo;
    repo.write("old name", test::numbered("line", 30));
    repo.write(".gitignore", "ignored\n");
    repo.commit("one");
    repo.git("mv", "old name", "new name");
    repo.write("u", "u\n");
    repo.write("ignored", "i\n");
    repo.git("stash", "store", "-m", "x", repo.head());
    repo.git("config", "status.renames", "copies");
    repo.git("config", "status.showUntrackedFiles", "no");
    repo.git("config", "status.showStash", "true");
    repo.git("config", "status.branch", "true");
    repo.git("config", "status.short", "true");
    repo.git("config", "status.relativePaths", "true");

    const auto status = scan(repo);
    EXPECT_EQ(entry_of(status, "old name").index, 'D');
    EXPECT_EQ(entry_of(status, "new name").index, 'A');
    EXPECT_EQ(status.entries.size(), 2U);
    EXPECT_THAT(status.untracked, ElementsAre("u"));
}

TEST(GitScan, NamesAreBytes) {
    const TempRepo repo;
    const std::vector<std::string> names = {"sp ace ", "tab\t", "new\nline", "quo\"te", "back\\slash", "bad\xff\xfe"};
    repo.write("a", "1\n");
    repo.commit("one");
    for (const auto& name : names)
        repo.write(name, "x\n");
    repo.git("add", "-A");
    for (const auto& name : names)
        repo.write("u/" + name, "x\n");
    const auto status = scan(repo);
    for (const auto& name : names) {
        EXPECT_EQ(entry_of(status, name).index, 'A');
        EXPECT_THAT(status.untracked, testing::Contains("u/" + name));
    }
}

TEST(GitScan, IntentToAdd) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.write("committed empty", "");
    repo.commit("one");
    repo.write("wanted", "w\n");
    repo.write("vanished", "v\n");
    repo.git("add", "-N", "wanted", "vanished");
    repo.remove("vanished");
    repo.remove("committed empty");
    repo.git("rm", "-q", "--cached", "a");
    repo.git("add", "-N", "a");

    const auto status = scan(repo);
    EXPECT_TRUE(entry_of(status, "wanted").intent_to_add());
    EXPECT_FALSE(entry_of(status, "wanted").index_entry);
    // git shows an empty blob for this one, in HEAD even: it must not look like a file that was deleted.
    EXPECT_FALSE(entry_of(status, "vanished").head_entry);
    EXPECT_FALSE(entry_of(status, "vanished").index_entry);
    EXPECT_TRUE(entry_of(status, "committed empty").head_entry);
    EXPECT_TRUE(entry_of(status, "committed empty").index_entry);
    EXPECT_EQ(entry_of(status, "a").index, 'D');
    EXPECT_TRUE(entry_of(status, "a").intent_to_add());
}

TEST(GitScan, UnmergedPathsHaveTheirStages) {
    const TempRepo repo;
    repo.write("f", "1\n");
    repo.commit("one");
    repo.git("checkout", "-q", "-b", "side");
    repo.write("f", "side\n");
    repo.commit("side");
    repo.git("checkout", "-q", "main");
    repo.write("f", "main\n");
    repo.commit("main");
    EXPECT_NE(repo.git_status("merge", "side"), 0);
    const auto status = scan(repo);
    ASSERT_EQ(status.unmerged.size(), 1U);
    EXPECT_EQ(status.unmerged[0].path, "f");
    EXPECT_EQ(status.unmerged[0].base->id.hex(), repo.git_line("rev-parse", ":1:f"));
    EXPECT_EQ(status.unmerged[0].ours->id.hex(), repo.git_line("rev-parse", ":2:f"));
    EXPECT_EQ(status.unmerged[0].theirs->id.hex(), repo.git_line("rev-parse", ":3:f"));
    EXPECT_THAT(status.entries, IsEmpty());
}

TEST(GitScan, ANestedRepositoryIsNotAFile) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("one");
    repo.git("clone", "-q", ".", "nested");
    const auto status = scan(repo);
    EXPECT_THAT(status.nested, ElementsAre("nested/"));
    EXPECT_THAT(status.untracked, IsEmpty());
}

} // namespace carry::snapshot
