#include "checkout.hpp"
#include "git/index.hpp"
#include "support/program.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace carry::git {
namespace {

using test::TempRepo;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view empty_blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

class Index : public ::testing::Test {
protected:
    Index() {
        for (const char* name : {"a", "b", "dir/c", "dir/d", "z"})
            m_repo.write(name, std::string(name) + "\n");
        m_repo.commit("one");
    }

    [[nodiscard]] std::filesystem::path index_file() const { return m_repo.git_directory() / "index"; }
    [[nodiscard]] TreeEntry blob(const std::string& bytes, std::uint32_t mode = mode::file) const {
        const RunOptions options{.input = bytes, .private_objects = true};
        return {mode, ObjectId::from_hex(m_program.line({"hash-object", "-w", "--stdin"}, options))};
    }
    /// Puts the edited index in place of the repository's.
    void apply(const IndexEdits& edits) const {
        const std::string bytes = edit_index(m_program, index_file(), edits);
        const auto temporary = m_repo.git_directory() / "index.new";
        write_file_atomic(temporary, bytes, 0644);
        std::filesystem::rename(temporary, index_file());
    }
    /// What git lists, newlines for NULs.
    [[nodiscard]] std::string listed(std::vector<std::string> args = {"--stage"}) const {
        args.insert(args.begin(), {"ls-files", "-z"});
        std::string text = m_repo.git_args(args);
        std::replace(text.begin(), text.end(), '\0', '\n');
        return text;
    }
    [[nodiscard]] std::string debug_of(const std::string& path) const {
        return m_repo.git("ls-files", "--debug", path);
    }

    TempRepo m_repo;
    Program m_program = program_of(m_repo);
};

std::string line(const TreeEntry& entry, char stage, const std::string& path) {
    return (entry.mode == mode::executable ? "100755 " : "100644 ") + entry.id.hex() + " " + stage + "\t" + path + "\n";
}

TEST_F(Index, ReplacesAddsAndRemovesAndKeepsTheRest) {
    const std::string stat_data = debug_of("b");
    const std::string old_index = read_file(index_file());
    const std::string odd = "new \"dir\"/odd\n\t\xff";
    const auto changed = blob("changed\n");
    const auto added = blob("added\n", mode::executable);
    IndexEdits edits;
    edits.entries["a"] = changed;
    edits.entries[odd] = added;
    edits.entries["z"] = std::nullopt;
    const std::string bytes = edit_index(m_program, index_file(), edits);
    EXPECT_EQ(read_file(index_file()), old_index);
    apply(edits);
    const std::string stages = listed();
    EXPECT_THAT(stages, HasSubstr(line(changed, '0', "a")));
    EXPECT_THAT(stages, HasSubstr(line(added, '0', odd)));
    EXPECT_EQ(listed({}), "a\nb\ndir/c\ndir/d\n" + odd + "\n");
    EXPECT_EQ(debug_of("b"), stat_data);
    EXPECT_THAT(stat_data, Not(HasSubstr("mtime: 0:0")));
    // the new blobs are nowhere but in the private directory
    EXPECT_NE(m_repo.git_status("cat-file", "-e", changed.id.hex()), 0);
}

TEST_F(Index, ExchangesFilesAndDirectories) {
    const auto file = blob("file\n");
    IndexEdits edits;
    edits.entries["dir"] = file;
    edits.entries["dir/c"] = std::nullopt;
    edits.entries["dir/d"] = std::nullopt;
    edits.entries["a"] = std::nullopt;
    edits.entries["a/b/c"] = file;
    apply(edits);
    EXPECT_EQ(listed({}), "a/b/c\nb\ndir\nz\n");
}

TEST_F(Index, StartsFromNothing) {
    const auto absent = m_repo.git_directory() / "no-index";
    IndexEdits edits;
    const auto put = [&](const std::string& bytes) {
        write_file_atomic(index_file(), bytes);
        return listed();
    };
    EXPECT_EQ(put(edit_index(m_program, absent, edits)), "");
    const auto entry = blob("x\n");
    edits.entries["x"] = entry;
    EXPECT_EQ(put(edit_index(m_program, absent, edits)), line(entry, '0', "x"));
    EXPECT_FALSE(std::filesystem::exists(absent));
}

TEST_F(Index, WritesUnmergedStages) {
    const auto base = blob("base\n");
    const auto ours = blob("ours\n");
    const auto theirs = blob("theirs\n", mode::executable);
    IndexEdits edits;
    edits.unmerged["a"] = {base, ours, theirs};
    edits.unmerged["dir/c"] = {base, std::nullopt, theirs};
    edits.unmerged["fresh"] = {std::nullopt, ours, theirs};
    apply(edits);
    EXPECT_EQ(listed({"--unmerged"}), line(base, '1', "a") + line(ours, '2', "a") + line(theirs, '3', "a") +
                                          line(base, '1', "dir/c") + line(theirs, '3', "dir/c") +
                                          line(ours, '2', "fresh") + line(theirs, '3', "fresh"));
    for (const char* bytes : {"base\n", "ours\n", "theirs\n"})
        m_program.line({"hash-object", "-w", "--stdin"}, {.input = bytes}); // as publishing does it
    const std::string status = m_repo.git("status", "--porcelain");
    EXPECT_THAT(status, HasSubstr("UU a\n"));
    EXPECT_THAT(status, HasSubstr("DU dir/c\n"));
    EXPECT_THAT(status, HasSubstr("AA fresh\n"));
    // and takes them away again
    edits = {};
    edits.entries["a"] = ours;
    edits.entries["dir/c"] = std::nullopt;
    edits.entries["fresh"] = std::nullopt;
    apply(edits);
    EXPECT_EQ(listed({"--unmerged"}), "");
    EXPECT_THAT(listed(), HasSubstr(line(ours, '0', "a")));
}

TEST_F(Index, KeepsAndSetsFlags) {
    m_repo.git("update-index", "--assume-unchanged", "a", "b");
    m_repo.git("update-index", "--skip-worktree", "b", "dir/c", "z");
    const IndexFlags before = read_index_flags(m_program);
    EXPECT_THAT(before.assume_unchanged, ElementsAre("a", "b"));
    EXPECT_THAT(before.skip_worktree, ElementsAre("b", "dir/c", "z"));

    IndexEdits edits;
    edits.entries["a"] = blob("changed\n");
    edits.entries["z"] = std::nullopt;
    edits.entries["b"] = blob("changed b\n");
    edits.assume_unchanged = {"b"};
    edits.skip_worktree = {"b", "z"};
    apply(edits);
    const IndexFlags after = read_index_flags(m_program);
    EXPECT_THAT(after.assume_unchanged, ElementsAre("b")); // a was replaced and not named
    EXPECT_THAT(after.skip_worktree, ElementsAre("b", "dir/c"));
}

TEST_F(Index, SetsIntentToAddLikeGit) {
    m_repo.write(".gitignore", "*.ignored\n");
    m_repo.write("fresh", "text\n");
    m_repo.write("sub/script.ignored", "#!/bin/sh\n");
    m_repo.make_executable("sub/script.ignored");
    m_repo.write("a", "was committed\n");
    IndexEdits edits;
    edits.entries["b"] = std::nullopt;
    edits.intent_to_add = {"a", "fresh", "not/there yet", "sub/script.ignored"};
    apply(edits);
    EXPECT_EQ(m_repo.git("diff", "--name-only", "--diff-filter=A"), "a\nfresh\nsub/script.ignored\n");
    EXPECT_EQ(m_repo.git("diff", "--cached", "--name-status"), "D\ta\nD\tb\n");
    EXPECT_THAT(listed(), HasSubstr("100755 " + std::string(empty_blob) + " 0\tsub/script.ignored\n"));
    EXPECT_THAT(m_repo.git("status", "--porcelain"), HasSubstr(" A fresh\n"));

    // the same index as git's own
    const std::string flags = debug_of("fresh").substr(debug_of("fresh").find("flags:"));
    m_repo.git("rm", "-q", "--cached", "fresh");
    m_repo.git("add", "-N", "fresh");
    EXPECT_EQ(debug_of("fresh").substr(debug_of("fresh").find("flags:")), flags);

    // kept where it is not named
    apply({});
    EXPECT_EQ(m_repo.git("diff", "--name-only", "--diff-filter=A"), "a\nfresh\nsub/script.ignored\n");
}

TEST_F(Index, KeepsTheVersionAndMakesASplitIndexWhole) {
    m_repo.git("update-index", "--index-version", "4");
    m_repo.git("config", "core.splitIndex", "true");
    m_repo.git("update-index", "--split-index");
    m_repo.git("update-index", "--assume-unchanged", "b");
    const auto changed = blob("changed\n");
    IndexEdits edits;
    edits.entries["a"] = changed;
    const std::string bytes = edit_index(m_program, index_file(), edits);
    EXPECT_EQ(bytes.substr(0, 8), std::string("DIRC\0\0\0\4", 8));
    apply(edits);
    m_repo.git("config", "core.splitIndex", "false");
    EXPECT_EQ(m_repo.git("rev-parse", "--shared-index-path"), "");
    EXPECT_THAT(listed(), HasSubstr(line(changed, '0', "a")));
    EXPECT_THAT(read_index_flags(m_program).assume_unchanged, ElementsAre("b"));
}

TEST_F(Index, EditsASparseIndex) {
    m_repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "other");
    ASSERT_THAT(listed({"--sparse"}), HasSubstr("dir/\n"));
    const auto changed = blob("changed\n");
    IndexEdits edits;
    edits.entries["dir/c"] = changed;
    edits.skip_worktree = {"dir/c"};
    edits.intent_to_add = {"other/new"};
    apply(edits);
    EXPECT_EQ(m_repo.git_status("ls-files", "--sparse"), 0);
    m_program.line({"hash-object", "-w", "--stdin"}, {.input = "changed\n"}); // as publishing does it
    EXPECT_THAT(listed(), HasSubstr(line(changed, '0', "dir/c")));
    EXPECT_EQ(m_repo.git_status("fsck"), 0);
    EXPECT_THAT(read_index_flags(m_program).skip_worktree, ElementsAre("dir/c", "dir/d"));
    EXPECT_THAT(listed({}), HasSubstr("other/new\n"));
}

/// Entries whose file is as young as the index cannot be told by their stamps. The copy is younger than the index,
/// so they must not pass for clean in it.
TEST_F(Index, DoesNotHideARacyEdit) {
    const struct stat file = *lstat_if_exists(m_repo.file("b"));
    m_repo.git("update-index", "--refresh");
    m_repo.write("b", "B\n"); // the same size, and the same stamp:
    const timespec times[2] = {file.st_atim, file.st_mtim};
    ASSERT_EQ(utimensat(AT_FDCWD, m_repo.file("b").c_str(), times, 0), 0);
    ASSERT_EQ(utimensat(AT_FDCWD, index_file().c_str(), times, 0), 0);
    m_repo.git("config", "core.trustctime", "false");
    m_repo.git("config", "core.checkStat", "minimal");
    IndexEdits edits;
    edits.entries["a"] = blob("changed\n");
    edits.intent_to_add = {"new"};
    apply(edits);
    EXPECT_EQ(m_repo.git("diff", "--name-only", "--", "b"), "b\n");
}

TEST_F(Index, RunsNoHookAndLeavesNothingBehind) {
    m_repo.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch hook-ran\n");
    m_repo.make_executable(".git/hooks/post-index-change");
    IndexEdits edits;
    edits.entries["a"] = blob("changed\n");
    edits.intent_to_add = {"b"};
    edits.skip_worktree = {"a"};
    std::ignore = edit_index(m_program, index_file(), edits);
    EXPECT_FALSE(m_repo.exists("hook-ran"));
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(m_program.paths().carry_dir()))
        left.push_back(entry.path().filename());
    EXPECT_THAT(left, ElementsAre("objects"));
}

TEST(IndexOfSha256, IsEditedToo) {
    const TempRepo repo;
    repo.remove(".git");
    repo.git("init", "-q", "--object-format=sha256");
    repo.write("a", "1\n");
    repo.write("b", "1\n");
    repo.git("add", ".");
    const Program program = program_of(repo);
    IndexEdits edits;
    edits.entries["a"] = std::nullopt;
    const std::string bytes = edit_index(program, repo.git_directory() / "index", edits);
    write_file_atomic(repo.git_directory() / "index", bytes);
    EXPECT_EQ(repo.git("ls-files"), "b\n");
}

} // namespace
} // namespace carry::git
