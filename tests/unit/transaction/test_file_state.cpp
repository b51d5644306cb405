#include "lab.hpp"
#include "transaction/file_state.hpp"
#include "transaction/metadata.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace carry::transaction {
namespace {

using lab::Lab;

class FileStateTest : public ::testing::Test {
protected:
    FileState state_of(const std::string& path) {
        return read_state(lab.repository.paths(), path, lab.repository.objects());
    }
    FileState file(std::string_view bytes, bool executable = false) {
        return {FileKind::regular, lab.repository.objects().write(git::ObjectType::blob, bytes), executable,
                std::nullopt};
    }
    void move_to(const std::string& path, const FileState& after) {
        CheckoutMove move;
        move.paths = lab.repository.paths();
        move.transitions = {{path, state_of(path), after}};
        lab.apply(move);
    }
    [[nodiscard]] struct stat status_of(const std::string& path) const {
        struct stat status {};
        EXPECT_EQ(lstat(lab.repo.file(path).c_str(), &status), 0) << path;
        return status;
    }
    [[nodiscard]] mode_t mode_of(const std::string& path) const { return status_of(path).st_mode & 07777U; }

    Lab lab;
};

TEST_F(FileStateTest, ReadsEveryKind) {
    lab.repo.write("file", "bytes");
    lab.repo.write("run", "x");
    lab.repo.make_executable("run");
    lab.repo.symlink("dangling", "link");
    lab.repo.write("directory/file", "x");
    const FileState state = state_of("file");
    EXPECT_EQ(state.kind, FileKind::regular);
    EXPECT_FALSE(state.executable);
    EXPECT_EQ(lab.repository.objects().require(state.content, git::ObjectType::blob), "bytes");
    EXPECT_EQ(state.content.hex(), lab.repo.git_line("hash-object", "file"));
    ASSERT_TRUE(state.metadata);
    EXPECT_EQ(state.metadata->mode, mode_of("file"));
    EXPECT_TRUE(state_of("run").executable);
    EXPECT_EQ(state_of("link").kind, FileKind::link);
    EXPECT_EQ(lab.repository.objects().require(state_of("link").content, git::ObjectType::blob), "dangling");
    EXPECT_EQ(state_of("directory").kind, FileKind::absent);
    EXPECT_EQ(state_of("nothing/at/all").kind, FileKind::absent);
    EXPECT_EQ(state_of("file/below").kind, FileKind::absent);
}

TEST_F(FileStateTest, NothingIsReadThroughALink) {
    lab.repo.write("directory/file", "x");
    lab.repo.symlink("directory", "link");
    EXPECT_EQ(state_of("link/file").kind, FileKind::absent);
}

TEST_F(FileStateTest, SpecialFilesAreNoState) {
    ASSERT_EQ(mkfifo(lab.repo.file("pipe").c_str(), 0600), 0);
    EXPECT_THROW(state_of("pipe"), Error);
}

TEST_F(FileStateTest, AReplacedFileKeepsItsMode) {
    lab.repo.write("private", "old");
    chmod(lab.repo.file("private").c_str(), 0600);
    move_to("private", file("new"));
    EXPECT_EQ(lab.repo.read("private"), "new");
    EXPECT_EQ(mode_of("private"), 0600U);
    move_to("private", file("new", true));
    EXPECT_EQ(mode_of("private"), 0700U);
    chmod(lab.repo.file("private").c_str(), 0754);
    move_to("private", file("newer", false));
    EXPECT_EQ(mode_of("private"), 0644U);
}

TEST_F(FileStateTest, ANewFileFollowsTheUmask) {
    const mode_t old = umask(0027);
    move_to("a/new", file("x"));
    move_to("a/run", file("x", true));
    umask(old);
    EXPECT_EQ(mode_of("a/new"), 0640U);
    EXPECT_EQ(mode_of("a/run"), 0750U);
    EXPECT_EQ(mode_of("a"), 0750U);
}

TEST_F(FileStateTest, WantedMetadataIsSetExactly) {
    lab.repo.write("file", "old");
    FileState after = file("new", true);
    after.metadata = Metadata{04711, geteuid(), getegid(), {{"user.carry", "value"}}};
    lab.repo.write("probe", "");
    const bool has_xattrs = setxattr(lab.repo.file("probe").c_str(), "user.carry", "x", 1, 0) == 0;
    if (!has_xattrs)
        after.metadata->xattrs.clear();
    move_to("file", after);
    EXPECT_EQ(mode_of("file"), 04711U);
    EXPECT_EQ(state_of("file"), after);
    // and kept by the next that takes its place
    move_to("file", file("newer", true));
    EXPECT_EQ(state_of("file").metadata, after.metadata);
}

TEST_F(FileStateTest, OwnersAreKept) {
    if (geteuid() != 0)
        GTEST_SKIP() << "needs root";
    lab.repo.write("file", "old");
    lab.repo.symlink("a", "link");
    ASSERT_EQ(lchown(lab.repo.file("file").c_str(), 1234, 4321), 0);
    ASSERT_EQ(lchown(lab.repo.file("link").c_str(), 1234, 4321), 0);
    move_to("file", file("new"));
    FileState link = file("b");
    link.kind = FileKind::link;
    move_to("link", link);
    for (const std::string path : {"file", "link"}) {
        EXPECT_EQ(status_of(path).st_uid, 1234U) << path;
        EXPECT_EQ(status_of(path).st_gid, 4321U) << path;
    }
    EXPECT_EQ(read_link(lab.repo.file("link")), "b");
}

TEST_F(FileStateTest, ASetgidDirectoryGivesItsGroup) {
    if (geteuid() != 0)
        GTEST_SKIP() << "needs root";
    std::filesystem::create_directory(lab.repo.file("shared"));
    ASSERT_EQ(chown(lab.repo.file("shared").c_str(), 0, 4321), 0);
    ASSERT_EQ(chmod(lab.repo.file("shared").c_str(), 02775), 0);
    move_to("shared/new", file("x"));
    move_to("shared/deep/er/new", file("x"));
    EXPECT_EQ(status_of("shared/new").st_gid, 4321U);
    EXPECT_EQ(status_of("shared/deep/er/new").st_gid, 4321U);
    EXPECT_EQ(mode_of("shared/deep") & S_ISGID, static_cast<mode_t>(S_ISGID));
}

TEST(KeptMetadata, ExecutionFollowsReading) {
    EXPECT_EQ(kept_metadata({0640, 0, 0, {}}, true).mode, 0750U);
    EXPECT_EQ(kept_metadata({0755, 0, 0, {}}, false).mode, 0644U);
    EXPECT_EQ(kept_metadata({04711, 0, 0, {}}, true).mode, 04711U);
    EXPECT_EQ(kept_metadata({0645, 0, 0, {}}, false).mode, 0645U);
}

} // namespace
} // namespace carry::transaction
