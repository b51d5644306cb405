// What belongs to one person stays with that person: modes, owners, other names of a file, and what a push can reach.
#include "run_cli.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

namespace carry::test {
namespace {

namespace fs = std::filesystem;

mode_t mode_of(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777U;
}

/// The umask of this process and what it starts.
class Umask {
public:
    explicit Umask(mode_t mask) : m_before(umask(mask)) {}
    Umask(const Umask&) = delete;
    Umask& operator=(const Umask&) = delete;
    ~Umask() { umask(m_before); }

private:
    mode_t m_before;
};

UpstreamAndCheckout with_secrets() {
    auto both = UpstreamAndCheckout::with({{"key.txt", numbered("k", 30)}, {"a.txt", "1\n"}});
    both.work.write("key.txt", set_line(numbered("k", 30), 20, "the password"));
    both.work.write(".env", "SECRET=untracked\n");
    chmod(both.work.file("key.txt").c_str(), 0600);
    chmod(both.work.file(".env").c_str(), 0600);
    both.upstream.write("key.txt", "new\n" + numbered("k", 30));
    both.upstream.write("dir/fresh.txt", "2\n");
    both.upstream.commit("Move on");
    return both;
}

TEST(Privacy, RecordsAreForTheirOwnerAloneWhateverTheUmask) {
    for (const mode_t mask : {mode_t{0}, mode_t{077}}) {
        const Umask scope(mask);
        const auto both = with_secrets();
        const auto& work = both.work;
        ASSERT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 0);
        EXPECT_EQ(mode_of(work.file("key.txt")), 0600U);
        EXPECT_EQ(mode_of(work.file("dir")), 0777U & ~mask);
        EXPECT_EQ(mode_of(work.file("dir/fresh.txt")), 0666U & ~mask);
        ASSERT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
        EXPECT_EQ(mode_of(work.file("key.txt")), 0600U);
        EXPECT_EQ(mode_of(work.file(".env")), 0600U);
        EXPECT_EQ(mode_of(work.file(".git/carry")), 0700U);
        for (const auto& entry : fs::recursive_directory_iterator(work.file(".git/carry"))) {
            if (!entry.path().native().starts_with((work.file(".git/carry/objects") / "").native())) {
                EXPECT_EQ(mode_of(entry.path()) & 0077U, 0U) << entry.path();
            }
        }
    }
}

TEST(Privacy, NoPushReachesWhatIsOnlyCarried) {
    const auto both = with_secrets();
    const auto& work = both.work;
    const auto secret = work.git_line("hash-object", ".env");
    const auto edited = work.git_line("hash-object", "key.txt");
    ASSERT_EQ(run_cli(work.path(), {"snapshot"}).exit_code, 0);
    ASSERT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 0);
    const auto merged = work.git_line("hash-object", "key.txt");
    const TempRepo mirror;
    mirror.git("config", "receive.denyCurrentBranch", "ignore");
    work.git("push", "-q", "--mirror", mirror.url());
    for (const auto& id : {secret, edited, merged}) {
        EXPECT_NE(mirror.git_status("cat-file", "-e", id), 0) << id;
        EXPECT_NE(work.git_status("cat-file", "-e", id), 0) << id;
    }
    EXPECT_EQ(mirror.git_status("cat-file", "-e", both.upstream.head()), 0);
}

TEST(Metadata, OtherNamesAndOpenFilesKeepTheirBytes) {
    const auto both = with_secrets();
    const auto& work = both.work;
    const auto other = work.path().parent_path() / (work.path().filename().native() + "-other");
    fs::create_hard_link(work.file("key.txt"), other);
    const auto mine = read_file(other);
    const UniqueFd open_file(open(work.file("key.txt").c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 0);
    EXPECT_THAT(work.read("key.txt"), ::testing::StartsWith("new\n"));
    EXPECT_EQ(read_file(other), mine);
    EXPECT_EQ(read_open_file(open_file.get(), "key.txt"), mine);
    ASSERT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_EQ(work.read("key.txt"), mine);
    fs::remove(other);
}

TEST(Metadata, ASharedRepositoryIsSharedAsGitDoesIt) {
    const auto both = with_secrets();
    const auto& work = both.work;
    const auto twin = TempRepo::copy_of(work);
    for (const auto* repo : {&work, &twin}) {
        repo->git("config", "core.sharedRepository", "group");
        repo->git("read-tree", "HEAD"); // the index keeps the mode that it has: git gives it the group's
    }
    twin.git("stash", "-q");
    twin.git("pull", "-q", "--rebase");
    ASSERT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 0);
    for (const auto* name : {".git/index", ".git/HEAD", ".git/refs/heads/main", ".git/logs/HEAD"})
        EXPECT_EQ(mode_of(work.file(name)), mode_of(twin.file(name))) << name;
    for (const auto* repo : {&work, &twin}) {
        repo->git("gc", "-q");
        EXPECT_EQ(repo->git_status("fsck"), 0);
    }
    EXPECT_EQ(mode_of(work.file(".git/carry")), 0700U);
}

TEST(Metadata, DirectoriesOfAGroupGiveItOnASetgidBitStays) {
    const auto both = with_secrets();
    const auto& work = both.work;
    chmod(work.path().c_str(), 02775);
    ASSERT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 0);
    EXPECT_EQ(mode_of(work.path()), 02775U);
    EXPECT_NE(mode_of(work.file("dir")) & S_ISGID, 0U); // the system hands it down
    ASSERT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_EQ(mode_of(work.path()), 02775U);
}

} // namespace
} // namespace carry::test
