#include "base/directory.hpp"
#include "support/temp_repo.hpp"

#include <carry/error.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace carry;
namespace fs = std::filesystem;
using carry::test::TempRepo;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

const std::vector<std::string> candidates = {
    "a",
    "a/b",
    "a//b",
    "/a",
    "a/",
    "",
    ".",
    "..",
    "a/..",
    "../a",
    "a/./b",
    "...",
    "..a",
    "a/..b",
    "\\",
    "a\\..\\b",
    ".git",
    ".GIT",
    ".gIt/config",
    "a/.git",
    "a/.git/b",
    ".gitx",
    ".git-x",
    ".gitignore",
    ".gitmodules",
    ".git.",
    ".git ",
    ".git. . ",
    ".git . x",
    "a/.git ./b",
    ".git:stream",
    ".git::$INDEX_ALLOCATION",
    ".git :x",
    "x:y",
    "git~1",
    "GIT~1",
    "Git~1/x",
    "a/git~1",
    "git~1.",
    "git~1 ",
    "git~1:x",
    "git~1x",
    "git~2",
    "git~10",
    "git~",
    "a\\.git",
    "a\\.git\\b",
    "a\\git~1",
    "a\\.gitx",
    "\\.git",
    "\\\\.git",
    "a/\\.git",
    "a/\\git~1/\\x",
    ".git\\x",
    ".git\\",
    "git~1\\x",
    "x\\y\\.GIT .\\z",
    ".g\xe2\x80\x8cit",   // zero width non-joiner
    "\xe2\x80\x8d.git",   // and before it
    ".git\xe2\x80\xae",   // right-to-left override
    ".gi\xe2\x81\xaat",   // U+206A
    ".gi\xe2\x81\xaft/x", // U+206F
    ".git\xef\xbb\xbf",   // byte order mark
    "a/.G\xef\xbb\xbfIT/b",
    ".g\xe2\x80\x8bit", // U+200B is not ignored
    ".g\xe2\x81\xa9it", // U+2069 neither
    ".git\xc3\xa4",
    ".git\xff", // not UTF-8
    ".git\xff/x",
    ".gi\xfft",
    ".git\xe2\x80",
    ".git\xef\xbf\xbe", // U+FFFE
    ".git\xed\xa0\x80", // surrogate
    ".git\xc0\x80",     // overlong
    ".g\xc4\xb1t",      // dotless i
    "\xff",
    "a\nb",
    "C:",
    "C:x",
    "con",
};

bool git_takes(const TempRepo& repo, const std::string& blob, const std::string& path) {
    const auto result = repo.git_run({"-c", "core.protectHFS=true", "-c", "core.protectNTFS=true", "update-index",
                                      "--add", "--replace", "--cacheinfo", "100644," + blob + "," + path});
    repo.git("read-tree", "--empty");
    return result.ok();
}

TEST(SafeRepoPath, AgreesWithGit) {
    const TempRepo repo;
    repo.write("f", "x");
    const std::string blob = repo.git_line("hash-object", "-w", "f");
    int taken = 0;
    for (const std::string& path : candidates) {
        const bool takes = git_takes(repo, blob, path);
        taken += takes ? 1 : 0;
        EXPECT_EQ(is_safe_repo_path(path), takes) << "'" << path << "'";
    }
    EXPECT_GT(taken, 20); // both answers do come up
    EXPECT_LT(taken, static_cast<int>(candidates.size()) - 20);
}

TEST(SafeRepoPath, RefusesNul) {
    EXPECT_FALSE(is_safe_repo_path(std::string_view("a\0b", 3)));
}

TEST(RepoPath, ParentAndName) {
    EXPECT_EQ(parent_of("a/b/c"), "a/b");
    EXPECT_EQ(name_of("a/b/c"), "c");
    EXPECT_EQ(parent_of("c"), "");
    EXPECT_EQ(name_of("c"), "c");
}

class DirectoryTreeTest : public ::testing::Test {
protected:
    DirectoryTreeTest() {
        fs::create_directories(m_root / "a/b");
        fs::create_directory(m_directory.path() / "outside");
        write_file_atomic(m_directory.path() / "outside/secret", "secret");
        write_file_atomic(m_root / "a/b/f", "bytes");
        fs::create_directory_symlink("../outside", m_root / "out");
        fs::create_symlink("b/f", m_root / "a/link");
    }

    TemporaryDirectory m_directory{fs::temp_directory_path(), "carry-tree-"};
    fs::path m_root = (fs::create_directory(m_directory.path() / "root"), m_directory.path() / "root");
    DirectoryTree m_tree{m_root};
    std::vector<std::string> m_made;
};

TEST_F(DirectoryTreeTest, ReadsFilesAndLinkTargets) {
    EXPECT_EQ(m_tree.read("a/b/f"), "bytes");
    EXPECT_EQ(m_tree.read("a/link"), "b/f");
    EXPECT_EQ(m_tree.read("a/none"), std::nullopt);
    EXPECT_EQ(m_tree.read("none/none"), std::nullopt);
    EXPECT_EQ(m_tree.read("a/b/f/below"), std::nullopt);
    EXPECT_THROW(m_tree.read("a/b"), Error);
    ASSERT_EQ(mkfifo((m_root / "pipe").c_str(), 0600), 0);
    EXPECT_THROW(m_tree.read("pipe"), Error);
}

TEST_F(DirectoryTreeTest, LooksWithoutFollowing) {
    EXPECT_TRUE(S_ISREG(m_tree.status("a/b/f")->st_mode));
    EXPECT_TRUE(S_ISLNK(m_tree.status("out")->st_mode));
    EXPECT_TRUE(S_ISDIR(m_tree.status("")->st_mode));
    EXPECT_EQ(m_tree.status("none"), std::nullopt);
}

TEST_F(DirectoryTreeTest, NeverLeavesTheTreeThroughALink) {
    EXPECT_EQ(m_tree.open("out"), std::nullopt);
    EXPECT_EQ(m_tree.status("out/secret"), std::nullopt);
    EXPECT_EQ(m_tree.read("out/secret"), std::nullopt);
    EXPECT_THROW(m_tree.open_or_make("out", m_made), Error);
    EXPECT_THROW(m_tree.open_or_make("out/new", m_made), Error);
    EXPECT_THAT(m_made, IsEmpty());
    EXPECT_FALSE(fs::exists(m_directory.path() / "outside/new"));
}

TEST_F(DirectoryTreeTest, NeverLeavesTheTreeThroughAName) {
    for (const char* path : {"..", "../outside", "a/../../outside", "/etc", "a//b"}) {
        EXPECT_THROW(m_tree.open(path), Error) << path;
        EXPECT_THROW(m_tree.status(path), Error) << path;
        EXPECT_THROW(m_tree.open_or_make(path, m_made), Error) << path;
    }
    EXPECT_THROW(m_tree.open_or_make("x/.git", m_made), Error);
    EXPECT_THROW(m_tree.open_or_make("x/git~1/hooks", m_made), Error);
    EXPECT_THAT(m_made, IsEmpty());
}

TEST_F(DirectoryTreeTest, MakesWhatIsMissingAndNamesIt) {
    const int fd = m_tree.open_or_make("a/new/deep", m_made);
    EXPECT_THAT(m_made, ElementsAre("a/new", "a/new/deep"));
    EXPECT_EQ(m_tree.open("a/new/deep"), fd);
    EXPECT_EQ(m_tree.open_or_make("a/new/deep", m_made), fd);
    EXPECT_EQ(m_made.size(), 2U);
    const mode_t mask = umask(0);
    umask(mask);
    EXPECT_EQ(lstat_if_exists(m_root / "a/new")->st_mode & 07777U, 0777U & ~mask);
    EXPECT_THROW(m_tree.open_or_make("a/b/f", m_made), Error);
    EXPECT_THROW(m_tree.open_or_make("a/b/f/g", m_made), Error);
}

TEST_F(DirectoryTreeTest, ForgetsADirectoryAndWhatIsBelow) {
    const int upper = *m_tree.open("a");
    const int lower = *m_tree.open("a/b");
    fs::create_directory(m_root / "ab");
    const int other = *m_tree.open("ab");
    m_tree.forget("a");
    EXPECT_EQ(fcntl(upper, F_GETFD), -1);
    EXPECT_EQ(fcntl(lower, F_GETFD), -1);
    EXPECT_NE(fcntl(other, F_GETFD), -1);
    fs::remove_all(m_root / "a");
    EXPECT_EQ(m_tree.open("a/b"), std::nullopt);
}

TEST_F(DirectoryTreeTest, OpensMoreDirectoriesThanTheSoftLimitAllows) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit few = before;
    few.rlim_cur = 40;
    ASSERT_GT(before.rlim_max, 200U);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int i = 0; i < 100; ++i)
        EXPECT_NO_THROW(m_tree.open_or_make("d" + std::to_string(i), m_made));
    EXPECT_EQ(m_made.size(), 100U);
    setrlimit(RLIMIT_NOFILE, &before);
}

TEST(DirectoryTree, NeedsItsRoot) {
    EXPECT_THROW(DirectoryTree("/no/such/directory"), Error);
}

} // namespace
