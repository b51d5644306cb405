#include "cli/run_log.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(RunLog, FindsTheGitDirectoryFromAnywhere) {
    const TempRepo repo;
    repo.write("a/b/file", "x\n");
    repo.commit("Begin");
    EXPECT_EQ(cli::find_git_directory(repo.path()), repo.git_directory());
    EXPECT_EQ(cli::find_git_directory(repo.file("a/b")), repo.git_directory());
    const fs::path linked = repo.path().parent_path() / "linked";
    repo.git("worktree", "add", "-q", linked.string());
    EXPECT_EQ(cli::find_git_directory(linked), repo.git_directory() / "worktrees" / "linked");
    const TemporaryDirectory nowhere(fs::temp_directory_path());
    EXPECT_EQ(cli::find_git_directory(nowhere.path()), fs::path());
}

TEST(RunLog, SaysBeginAndEndWhereThereAreRecords) {
    const TempRepo repo;
    fs::create_directory(repo.git_directory() / "carry");
    cli::RunLog log(repo.path(), "git-carry upgrade");
    log.note("finished\x1b[2J");
    log.end(3);
    const auto text = repo.read(".git/carry/log/git-carry.log");
    EXPECT_THAT(text, HasSubstr("begin git-carry upgrade\n"));
    EXPECT_THAT(text, HasSubstr("finished\\x1b[2J\n"));
    EXPECT_THAT(text, HasSubstr("end git-carry upgrade, exit 3\n"));
    EXPECT_EQ(fs::status(repo.file(".git/carry/log")).permissions(), fs::perms::owner_all);
}

TEST(RunLog, MakesNoRecordsOfItsOwn) {
    const TempRepo repo;
    cli::RunLog log(repo.path(), "git-carry upgrade");
    log.end(0);
    EXPECT_FALSE(repo.exists(".git/carry"));
    // the first run makes them while it is under way
    cli::RunLog first(repo.path(), "git-carry upgrade");
    fs::create_directory(repo.git_directory() / "carry");
    first.end(0);
    EXPECT_THAT(repo.read(".git/carry/log/git-carry.log"), HasSubstr("end git-carry upgrade, exit 0\n"));
}

TEST(RunLog, IsNeverAReasonToFail) {
    const TempRepo repo;
    fs::create_directory(repo.git_directory() / "carry");
    repo.write(".git/carry/log", "in the way\n");
    cli::RunLog log(repo.path(), "git-carry upgrade");
    EXPECT_NO_THROW(log.end(0));
    EXPECT_NO_THROW(cli::RunLog("/nonexistent/at/all", "x").end(0));
    EXPECT_NO_THROW(cli::RunLog().end(0));
}

} // namespace
} // namespace carry::test
