#include "base/file.hpp"

#include <carry/error.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

using namespace carry;
namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

class FileTest : public ::testing::Test {
protected:
    [[nodiscard]] fs::path at(std::string_view name) const { return m_directory.path() / name; }

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator(m_directory.path()))
            found.push_back(entry.path().filename());
        return found;
    }

    TemporaryDirectory m_directory{fs::temp_directory_path(), "carry-file-"};
};

TEST_F(FileTest, ReadsWholeFilesOfAnyBytes) {
    std::string bytes(200000, 'x');
    bytes[5] = '\0';
    bytes[199999] = '\xff';
    write_file_atomic(at("f"), bytes);
    EXPECT_EQ(read_file(at("f")), bytes);
    EXPECT_EQ(read_file_if_exists(at("f")), bytes);
}

TEST_F(FileTest, ReadsFilesThatTellNoSize) {
    EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Name:"));
}

TEST_F(FileTest, TellsMissingFromUnreadable) {
    write_file_atomic(at("f"), "x");
    EXPECT_EQ(read_file_if_exists(at("none")), std::nullopt);
    EXPECT_EQ(read_file_if_exists(at("f/below")), std::nullopt);
    EXPECT_THROW(read_file_if_exists(m_directory.path()), Error);
    EXPECT_EQ(lstat_if_exists(at("none")), std::nullopt);
    EXPECT_EQ(lstat_if_exists(at("f/below")), std::nullopt);
}

TEST_F(FileTest, NamesThePathAndTheReason) {
    try {
        static_cast<void>(read_file(at("no\nne")));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::failed);
        EXPECT_EQ(error.message(), "cannot read '" + m_directory.path().string() + "/no\\nne'");
        EXPECT_THAT(error.causes(), ElementsAre("No such file or directory"));
    }
}

TEST_F(FileTest, DoesNotFollowTheLinkItLooksAt) {
    const std::string target(1000, 't');
    fs::create_symlink(target, at("link"));
    EXPECT_TRUE(S_ISLNK(lstat_if_exists(at("link"))->st_mode));
    EXPECT_EQ(read_link(at("link")), target);
    EXPECT_THROW(read_link(at("none")), Error);
}

TEST_F(FileTest, AtomicFileShowsNothingUntilCommitted) {
    write_file_atomic(at("f"), "old");
    {
        AtomicFile file(at("f"), 0640);
        file.write("ne");
        file.write("w");
        EXPECT_EQ(read_file(at("f")), "old");
        file.commit();
    }
    EXPECT_EQ(read_file(at("f")), "new");
    EXPECT_EQ(lstat_if_exists(at("f"))->st_mode & 07777U, 0640U);
    EXPECT_THAT(names(), ElementsAre("f"));
}

TEST_F(FileTest, AtomicFileFollowsTheUmaskButOwnersMayReadTheirFile) {
    for (const auto& [mask, mode] : {std::pair(mode_t{0}, mode_t{0666}), {022, 0644}, {077, 0600}, {0777, 0600}}) {
        const mode_t before = umask(mask);
        write_file_atomic(at("f"), "x", 0666);
        EXPECT_EQ(umask(before), mask);
        EXPECT_EQ(lstat_if_exists(at("f"))->st_mode & 07777U, mode);
    }
}

TEST_F(FileTest, AtomicFileDiscardsWhatIsNotCommitted) {
    write_file_atomic(at("f"), "old");
    {
        AtomicFile file(at("f"));
        file.write("new");
    }
    EXPECT_EQ(read_file(at("f")), "old");
    EXPECT_THAT(names(), ElementsAre("f"));
}

TEST_F(FileTest, AtomicFileThatCannotBePublishedLeavesNothing) {
    make_directories(at("f/below"));
    EXPECT_THROW(write_file_atomic(at("f"), "new"), Error); // a directory is in the way
    EXPECT_THROW(write_file_atomic(at("none/f"), "new"), Error);
    EXPECT_THAT(names(), ElementsAre("f"));
}

TEST_F(FileTest, WriteReportsAFullDisk) {
    const UniqueFd full(open("/dev/full", O_WRONLY | O_CLOEXEC));
    ASSERT_TRUE(full);
    try {
        write_all(full.get(), "x", "somewhere");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.message(), "cannot write 'somewhere'");
        EXPECT_THAT(error.causes(), ElementsAre("No space left on device"));
    }
}

TEST_F(FileTest, MakesDirectoriesOnTheWay) {
    make_directories(at("a/b/c"));
    EXPECT_EQ(lstat_if_exists(at("a/b"))->st_mode & 07777U, 0700U);
    make_directories(at("a/b/c"));
    make_directories(at("a/b/d/"));
    EXPECT_TRUE(fs::is_directory(at("a/b/d")));
    write_file_atomic(at("a/f"), "x");
    EXPECT_THROW(make_directories(at("a/f")), Error);
    EXPECT_THROW(make_directories(at("a/f/g")), Error);
}

TEST_F(FileTest, TemporaryDirectoryGoesWithAllItHolds) {
    fs::path path;
    {
        const TemporaryDirectory directory(m_directory.path(), "t-");
        path = directory.path();
        EXPECT_EQ(lstat_if_exists(path)->st_mode & 07777U, 0700U);
        make_directories(path / "a/b");
        write_file_atomic(path / "a/b/f", "x");
        fs::create_symlink(m_directory.path(), path / "link");
        chmod((path / "a").c_str(), 0500);
    }
    EXPECT_THAT(names(), IsEmpty());
    EXPECT_THROW(TemporaryDirectory(at("none")), Error);
}

TEST_F(FileTest, DescriptorsAreClosedOnce) {
    UniqueFd first(open("/dev/null", O_RDONLY | O_CLOEXEC));
    const int number = first.get();
    UniqueFd second(std::move(first));
    EXPECT_FALSE(first); // NOLINT(bugprone-use-after-move): that it is empty is the point
    EXPECT_EQ(second.get(), number);
    second.reset();
    EXPECT_EQ(fcntl(number, F_GETFD), -1);
}

} // namespace
