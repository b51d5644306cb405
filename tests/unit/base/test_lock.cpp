#include "base/lock.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace carry;

namespace {

class LockTest : public ::testing::Test {
protected:
    TemporaryDirectory m_directory{std::filesystem::temp_directory_path()};
    std::filesystem::path m_path = m_directory.path() / "lock";
};

TEST_F(LockTest, IsHeldByOneAtATime) {
    {
        const auto lock = FileLock::try_acquire(m_path);
        ASSERT_TRUE(lock);
        EXPECT_FALSE(FileLock::try_acquire(m_path));
        EXPECT_EQ(FileLock::holder(m_path), getpid());
        EXPECT_EQ(lstat_if_exists(m_path)->st_mode & 07777U, 0600U);
    }
    EXPECT_TRUE(FileLock::try_acquire(m_path));
}

TEST_F(LockTest, GoesWithTheProcessThatHeldIt) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        const auto lock = FileLock::try_acquire(m_path);
        if (write(ends[1], lock ? "y" : "n", 1) == 1)
            sleep(100); // ended before
        _exit(1);
    }
    char answer = 0;
    ASSERT_EQ(read(ends[0], &answer, 1), 1);
    ASSERT_EQ(answer, 'y');
    EXPECT_FALSE(FileLock::try_acquire(m_path));
    EXPECT_EQ(FileLock::holder(m_path), pid);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    EXPECT_TRUE(FileLock::try_acquire(m_path));
    EXPECT_EQ(FileLock::holder(m_path), getpid());
    close(ends[0]);
    close(ends[1]);
}

TEST_F(LockTest, HolderIsNothingWhereThereIsNoNumber) {
    EXPECT_EQ(FileLock::holder(m_path), std::nullopt);
    write_file_atomic(m_path, "");
    EXPECT_EQ(FileLock::holder(m_path), std::nullopt);
    write_file_atomic(m_path, "12x\n");
    EXPECT_EQ(FileLock::holder(m_path), std::nullopt);
}

TEST_F(LockTest, DoesNotFollowALink) {
    std::filesystem::create_symlink("elsewhere", m_path);
    EXPECT_THROW(FileLock::try_acquire(m_path), Error);
    EXPECT_FALSE(std::filesystem::exists(m_directory.path() / "elsewhere"));
    EXPECT_THROW(FileLock::try_acquire(m_directory.path() / "none/lock"), Error);
}

} // namespace
