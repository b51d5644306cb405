// git-lfs with real objects, served on the loopback interface.
#include "base/file.hpp"
#include "base/text.hpp"
#include "run_cli.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>

#include <filesystem>

namespace carry::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

bool has_git_lfs() {
    return run_program({"git", "lfs", "version"}).ok();
}

/// Ends with the object.
class LfsServer {
public:
    LfsServer() : m_server(ProcessSpec{.argv = {CARRY_PYTHON, CARRY_LFS_SERVER, m_objects.path().string()}}) {
        m_url = "http://127.0.0.1:" + m_server.read_until('\n');
    }
    [[nodiscard]] const std::string& url() const { return m_url; }
    [[nodiscard]] fs::path object(const std::string& id) const { return m_objects.path() / id; }

private:
    TemporaryDirectory m_objects{fs::temp_directory_path(), "carry-lfs-"};
    Child m_server;
    std::string m_url;
};

void use_lfs(const TempRepo& repo, const LfsServer& server) {
    repo.git("config", "lfs.url", server.url());
    repo.git("config", "lfs.locksverify", "false");
    repo.git("lfs", "install", "--local");
}

/// An upstream that keeps *.bin in git-lfs, and a checkout of it that has its objects from the server.
struct LfsLab {
    LfsServer server;
    TempRepo upstream, work;

    LfsLab() : work(clone()) {
        use_lfs(work, server);
        work.git("lfs", "pull");
    }
    /// Commits what upstream changed, and brings its objects to the server.
    void publish(std::string_view message) const {
        upstream.commit(message);
        upstream.git("lfs", "push", "--all", "origin");
    }

private:
    [[nodiscard]] TempRepo clone() const {
        use_lfs(upstream, server);
        upstream.git("remote", "add", "origin", server.url()); // git-lfs wants one to push to
        upstream.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
        for (const char* name : {"both.bin", "mine.bin", "theirs.bin"})
            upstream.write(name, numbered(name, 20));
        publish("Begin");
        return TempRepo::clone_of(upstream);
    }
};

TEST(Lfs, FilesAreCarriedAndFetchedAndNeverMergedAsText) {
    if (!has_git_lfs())
        GTEST_SKIP() << "git-lfs is not installed";
    const LfsLab lab;
    const auto& work = lab.work;
    ASSERT_EQ(work.read("mine.bin"), numbered("mine.bin", 20)) << "not a pointer";
    lab.upstream.write("theirs.bin", set_line(numbered("theirs.bin", 20), 2, "upstream"));
    lab.upstream.write("new.bin", "new\n");
    lab.publish("Change one, add one");
    work.write("mine.bin", set_line(numbered("mine.bin", 20), 2, "mine"));
    work.write("staged.bin", "staged\n");
    work.stage("staged.bin");
    const auto before = fingerprint(work.path());

    auto run = run_cli_json(work.path(), {"upgrade"});
    EXPECT_EQ(run.exit_code, 0) << run.error_output;
    EXPECT_EQ(work.read("theirs.bin"), set_line(numbered("theirs.bin", 20), 2, "upstream")) << "fetched";
    EXPECT_EQ(work.read("new.bin"), "new\n");
    EXPECT_EQ(work.read("mine.bin"), set_line(numbered("mine.bin", 20), 2, "mine"));
    EXPECT_EQ(work.read("staged.bin"), "staged\n");
    EXPECT_EQ(work.git("status", "--porcelain"), " M mine.bin\nA  staged.bin\n");
    EXPECT_EQ(work.git_status("lfs", "fsck", "--pointers"), 0);
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_EQ(fingerprint(work.path()), before);
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);

    // Both sides changed one, on lines that do not meet.
    lab.upstream.write("both.bin", set_line(numbered("both.bin", 20), 2, "upstream"));
    lab.publish("Change it");
    work.write("both.bin", set_line(numbered("both.bin", 20), 18, "mine"));
    const auto collided = fingerprint(work.path());
    run = run_cli_json(work.path(), {"upgrade"});
    EXPECT_EQ(run.exit_code, 3);
    ASSERT_EQ(run.report["conflicts"].size(), 1U);
    EXPECT_EQ(run.report["conflicts"][0]["path"], "both.bin");
    EXPECT_EQ(run.report["conflicts"][0]["kind"], "binary");
    EXPECT_EQ(fingerprint(work.path()), collided);
    EXPECT_EQ(run_cli(work.path(), {"upgrade", "--on-conflict=mark"}).exit_code, 4);
    EXPECT_EQ(work.read("both.bin"), set_line(numbered("both.bin", 20), 2, "upstream")) << "a file, no markers";
    EXPECT_THAT(work.git("show", ":3:both.bin"), HasSubstr("version https://git-lfs.github.com/spec/v1"));
    EXPECT_EQ(run_cli(work.path(), {"abort"}).exit_code, 0);
    EXPECT_EQ(fingerprint(work.path()), collided);
}

TEST(Lfs, WhatCannotBeHadIsRefused) {
    if (!has_git_lfs())
        GTEST_SKIP() << "git-lfs is not installed";
    const LfsLab lab;
    const auto& work = lab.work;
    work.write("mine.bin", set_line(numbered("mine.bin", 20), 2, "mine"));
    lab.upstream.write("theirs.bin", "upstream\n");
    lab.publish("Change one");
    const auto id = run_program({"sha256sum"}, {}, {}, "upstream\n").output.substr(0, 64);
    ASSERT_TRUE(fs::remove(lab.server.object(id)));
    const auto before = fingerprint(work.path());
    auto result = run_cli(work.path(), {"upgrade"});
    EXPECT_EQ(result.exit_code, 6) << result.error_output;
    EXPECT_THAT(result.error_output, HasSubstr("the smudge filter 'lfs' fails on 'theirs.bin'"));
    EXPECT_EQ(fingerprint(work.path()), before);

    // The configuration wants git-lfs, and it is not installed: a PATH with git and the shell alone.
    const TemporaryDirectory programs(fs::temp_directory_path(), "carry-path-");
    for (const char* name : {"git", "sh"})
        fs::create_symlink(trim(run_program({"sh", "-c", std::string("command -v ") + name}).output),
                           programs.path() / name);
    const std::string path = programs.path().string();
    result = run_program({CARRY_PROGRAM, "upgrade"}, work.path(), {{"PATH", path}});
    EXPECT_EQ(result.exit_code, 6) << result.error_output;
    EXPECT_THAT(result.error_output, HasSubstr("'lfs'"));
    EXPECT_EQ(fingerprint(work.path()), before);
}

} // namespace
} // namespace carry::test
