#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

using namespace carry::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

TEST(TestEnvironment, IsTheSameForGitAndForThisProcess) {
    const auto output = run_program({"env"}, {}, {{"EXTRA", "1"}}).output;
    for (const char* line : {"GIT_CONFIG_GLOBAL=/dev/null\n", "GIT_AUTHOR_NAME=A U Thor\n", "TZ=UTC\n", "EXTRA=1\n"})
        EXPECT_THAT("\n" + output, HasSubstr(std::string("\n") + line));
    EXPECT_STREQ(getenv("GIT_CONFIG_SYSTEM"), "/dev/null");
    EXPECT_EQ(getenv("HOME"), home().string());
    EXPECT_EQ(run_program({"git", "config", "-l"}, home()).output, "");
}

TEST(TestEnvironment, DropsWhatElseSteersGit) {
    setenv("GIT_DIR", "/nowhere", 1);
    const TempRepo repo;
    EXPECT_EQ(repo.git_line("rev-parse", "--is-inside-work-tree"), "true");
    unsetenv("GIT_DIR");
}

TEST(Lines, AreNumberedAndSet) {
    EXPECT_EQ(numbered("line", 2), "line 1\nline 2\n");
    EXPECT_EQ(set_line("a\nb\nc", 2, "x"), "a\nx\nc");
    EXPECT_EQ(set_line("a\nb\nc", 3, "x"), "a\nb\nx");
    EXPECT_THROW(set_line("a\n", 2, "x"), std::out_of_range);
    EXPECT_THROW(set_line("a\n", 0, "x"), std::out_of_range);
}

TEST(TempRepo, CommitsLaterEachTime) {
    const TempRepo repo;
    repo.write("d/f", "x");
    const std::string first = repo.commit("One");
    repo.append("d/f", "y");
    const std::string second = repo.commit("Two");
    EXPECT_EQ(repo.head(), second);
    EXPECT_EQ(repo.read("d/f"), "xy");
    EXPECT_EQ(repo.git("log", "--format=%s %an", "--reverse"), "One A U Thor\nTwo A U Thor\n");
    const auto time = [&](const std::string& id) {
        return std::stoll(repo.git_line("show", "-s", "--format=%ct", id));
    };
    EXPECT_EQ(time(second) - time(first), 60);
    EXPECT_EQ(repo.git_line("symbolic-ref", "HEAD"), "refs/heads/main");
}

TEST(TempRepo, ThrowsInGitsWords) {
    const TempRepo repo;
    EXPECT_EQ(repo.git_status("rev-parse", "--verify", "nothing"), 128);
    try {
        repo.git("rev-parse", "--verify", "nothing");
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("Needed a single revision"));
    }
}

TEST(UpstreamAndCheckout, FollowsItsUpstream) {
    const auto both = UpstreamAndCheckout::with({{"a", "1\n"}, {"d/b", "2\n"}});
    EXPECT_EQ(both.work.read("d/b"), "2\n");
    EXPECT_EQ(both.work.head(), both.upstream.head());
    both.upstream.write("a", "changed\n");
    both.upstream.commit("Change");
    both.work.git("pull", "-q");
    EXPECT_EQ(both.work.read("a"), "changed\n");
    EXPECT_EQ(both.work.git_line("rev-parse", "--abbrev-ref", "@{upstream}"), "origin/main");
}

class FingerprintTest : public ::testing::Test {
protected:
    FingerprintTest() {
        m_repo.write("tracked", "x\n");
        m_repo.write(".gitignore", "*.log\n");
        m_repo.commit("One");
        m_repo.write("ignored.log", "x\n");
    }

    /// The names that differ after `change`.
    template <typename Change>
    std::vector<std::string> changed(Change change) {
        const auto before = fingerprint(m_repo.path());
        change();
        const auto after = fingerprint(m_repo.path());
        std::vector<std::string> names;
        for (const auto& text : differences(before, after))
            names.push_back(text.substr(0, text.find(':')));
        EXPECT_EQ(bool(same(before, after)), names.empty());
        return names;
    }

    TempRepo m_repo;
};

TEST_F(FingerprintTest, SeesFilesOfEveryKind) {
    EXPECT_THAT(changed([] {}), IsEmpty());
    EXPECT_THAT(changed([&] { m_repo.append("ignored.log", "y\n"); }), ElementsAre("file ignored.log"));
    EXPECT_THAT(changed([&] { m_repo.make_executable("tracked"); }), ElementsAre("file tracked"));
    EXPECT_THAT(changed([&] { m_repo.symlink("tracked", "link"); }), ElementsAre("file link"));
    EXPECT_THAT(changed([&] { m_repo.symlink("else", "link"); }), ElementsAre("file link"));
    EXPECT_THAT(changed([&] { m_repo.remove("link"); }), ElementsAre("file link"));
}

TEST_F(FingerprintTest, SeesHeadBranchesStashAndIndex) {
    EXPECT_THAT(changed([&] { m_repo.git("branch", "b"); }), ElementsAre("branches"));
    EXPECT_THAT(changed([&] { m_repo.git("checkout", "-q", "b"); }), ElementsAre("HEAD"));
    EXPECT_THAT(changed([&] { m_repo.git("checkout", "-q", "--detach"); }), ElementsAre("HEAD"));
    EXPECT_THAT(changed([&] { m_repo.git("update-index", "--assume-unchanged", "tracked"); }), ElementsAre("index"));
    m_repo.git("update-index", "--no-assume-unchanged", "tracked");
    m_repo.append("tracked", "y\n");
    EXPECT_THAT(changed([&] { m_repo.stage("tracked"); }), ElementsAre("index", "index against HEAD"));
    EXPECT_THAT(changed([&] { m_repo.git("stash", "-q"); }),
                ElementsAre("file tracked", "index", "index against HEAD", "stash"));
    m_repo.write("empty", "");
    m_repo.git("add", "-N", "empty");
    EXPECT_THAT(changed([&] { m_repo.stage("empty"); }), ElementsAre("index against HEAD"));
}

} // namespace
