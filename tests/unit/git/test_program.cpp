#include "checkout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace carry::git {
namespace {

using test::TempRepo;
using ::testing::HasSubstr;

TEST(Program, GivesOutputAndLines) {
    const TempRepo repo;
    repo.write("a", "1\n");
    const std::string head = repo.commit("one");
    const Program program = program_of(repo);
    EXPECT_EQ(program.output({"rev-parse", "HEAD"}), head + "\n");
    EXPECT_EQ(program.line({"rev-parse", "HEAD"}), head);
    EXPECT_EQ(program.line({"hash-object", "--stdin"}, {.input = "x\n"}), "587be6b4c3f93f93c489c0111bba5596147a26cb");
}

TEST(Program, NamesTheCommandAndGitsWordsWhereItFails) {
    const TempRepo repo;
    const Program program = program_of(repo);
    const auto error = error_of([&] { program.output({"-c", "core.x=y", "rev-parse", "--verify", "nothing"}); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::failed);
    EXPECT_EQ(error->message(), "git rev-parse failed");
    EXPECT_EQ(causes_of(*error), "Needed a single revision\n");
    EXPECT_NE(program.run({"rev-parse", "--verify", "nothing"}).exit_code, 0);
}

TEST(Program, IsNotLedAstrayByTheEnvironment) {
    const TempRepo repo;
    const TempRepo other;
    const ScopedVariable git_dir("GIT_DIR", other.git_directory().native());
    const ScopedVariable work_tree("GIT_WORK_TREE", other.path().native());
    const ScopedVariable index("GIT_INDEX_FILE", "/nowhere/index");
    const ScopedVariable objects("GIT_OBJECT_DIRECTORY", (other.git_directory() / "objects").native());
    const ScopedVariable literal("GIT_GLOB_PATHSPECS", "1");
    const Program program{checkout_paths(repo)};
    EXPECT_EQ(program.line({"rev-parse", "--show-toplevel"}), std::filesystem::canonical(repo.path()).native());
    EXPECT_EQ(program.line({"rev-parse", "--git-path", "index"}), ".git/index");
    EXPECT_EQ(program.line({"rev-parse", "--git-path", "objects"}), ".git/objects");
}

TEST(Program, KeepsConfigurationByEnvironment) {
    const TempRepo repo;
    const ScopedVariable count("GIT_CONFIG_COUNT", "1");
    const ScopedVariable key("GIT_CONFIG_KEY_0", "carry.test");
    const ScopedVariable value("GIT_CONFIG_VALUE_0", "kept");
    const ScopedVariable parameters("GIT_CONFIG_PARAMETERS", "'carry.other'='too'");
    EXPECT_EQ(program_of(repo).line({"config", "carry.test"}), "kept");
    EXPECT_EQ(program_of(repo).line({"config", "carry.other"}), "too");
}

TEST(Program, WritesPrivateObjectsIntoTheirOwnDirectory) {
    const TempRepo repo;
    const Program program = program_of(repo);
    const RunOptions options{.input = "secret\n", .private_objects = true};
    const std::string id = program.line({"hash-object", "-w", "--stdin"}, options);
    EXPECT_EQ(program.output({"cat-file", "blob", id}, {.private_objects = true}), "secret\n");
    EXPECT_NE(program.run({"cat-file", "-e", id}).exit_code, 0);
    // and the repository's own are seen from there
    repo.write("a", "public\n");
    repo.stage("a");
    EXPECT_EQ(program.output({"cat-file", "blob", id_of(repo, ":a").hex()}, {.private_objects = true}), "public\n");
}

TEST(Program, WorksWhereTheGitDirectoryIsElsewhere) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("one");
    const TemporaryDirectory elsewhere(std::filesystem::temp_directory_path());
    const RepositoryPaths paths{elsewhere.path(), repo.git_directory(), repo.git_directory()};
    const Program program(paths);
    EXPECT_EQ(program.line({"rev-parse", "--show-toplevel"}), std::filesystem::canonical(elsewhere.path()).native());
    EXPECT_EQ(program.output({"diff", "--name-status"}), "D\ta\n");
}

TEST(Program, TalksToAChild) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("one");
    Child child = program_of(repo).start({"cat-file", "--batch-check=%(objecttype)"});
    child.write("HEAD\n");
    EXPECT_EQ(child.read_until('\n'), "commit");
    child.write("HEAD:a\n");
    EXPECT_EQ(child.read_until('\n'), "blob");
    EXPECT_EQ(child.wait(), 0);
}

TEST(Program, KnowsGitsVersion) {
    const auto version = require_git_version();
    EXPECT_GE(version, (std::vector<int>{2, 30, 0}));
    EXPECT_EQ(version.size(), 3U);
}

TEST(Program, RefusesAnOldGitOrNone) {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    const auto fake = directory.path() / "git";
    write_file_atomic(fake, "#!/bin/sh\necho git version 2.25.1\n", 0755);
    const ScopedVariable path("PATH", directory.path().native());
    const auto error = error_of([] { require_git_version(); });
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message(), HasSubstr("2.30"));
    EXPECT_THAT(causes_of(*error), HasSubstr("2.25.1"));
    std::filesystem::remove(fake);
    EXPECT_THROW(require_git_version(), Error);
}

} // namespace
} // namespace carry::git
