#include "checkout.hpp"
#include "git/fetch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace carry::git {
namespace {

using test::TempRepo;
using test::UpstreamAndCheckout;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Fetch : public ::testing::Test {
protected:
    void advance_upstream() const {
        m_upstream.append("a", "more\n");
        m_upstream.commit("more");
    }
    void fetch_now(const FetchRequest& request = {"origin"}) {
        fetch(Repository::open(m_work.path()), request, [&](const Progress& step) { m_progress.push_back(step.text); });
    }

    UpstreamAndCheckout m_both = UpstreamAndCheckout::with({{"a", "1\n"}});
    const TempRepo& m_upstream = m_both.upstream;
    const TempRepo& m_work = m_both.work;
    std::vector<std::string> m_progress;
};

TEST_F(Fetch, MovesTheRemoteTrackingBranchAndNothingElse) {
    m_upstream.git("branch", "doomed");
    m_work.git("fetch", "-q");
    m_upstream.git("branch", "-D", "doomed");
    m_work.git("config", "fetch.prune", "true");
    m_work.remove(".git/FETCH_HEAD");
    const std::string head = m_work.head();
    advance_upstream();
    fetch_now();
    EXPECT_EQ(id_of(m_work, "origin/main").hex(), m_upstream.head());
    EXPECT_EQ(m_work.head(), head);
    EXPECT_EQ(m_work.git_status("rev-parse", "-q", "--verify", "origin/doomed"), 0);
    EXPECT_FALSE(m_work.exists(".git/FETCH_HEAD"));
    EXPECT_THAT(m_progress, ::testing::Contains(HasSubstr("100%")));
    fetch_now(); // nothing new is no failure
}

TEST_F(Fetch, TakesARewrittenUpstream) {
    advance_upstream();
    fetch_now();
    m_upstream.git("commit", "-q", "--amend", "-m", "rewritten");
    fetch_now();
    EXPECT_EQ(id_of(m_work, "origin/main").hex(), m_upstream.head());
}

TEST_F(Fetch, SaysWhyARefspecWithoutPlusDoesNot) {
    m_work.git("config", "remote.origin.fetch", "refs/heads/*:refs/remotes/origin/*");
    advance_upstream();
    fetch_now();
    m_upstream.git("commit", "-q", "--amend", "-m", "rewritten");
    const auto error = error_of([&] { fetch_now(); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->message(), "cannot fetch from 'origin'");
    EXPECT_THAT(causes_of(*error), HasSubstr("non-fast-forward"));
    EXPECT_THAT(hints_of(*error), HasSubstr("remote.origin.fetch"));
}

TEST_F(Fetch, LeavesAMovedTagAloneAndGoesOn) {
    m_upstream.git("tag", "nightly");
    m_work.git("config", "remote.origin.tagOpt", "--tags");
    fetch_now();
    const auto old_tag = id_of(m_work, "nightly");
    advance_upstream();
    m_upstream.git("tag", "-f", "nightly");
    fetch_now();
    EXPECT_EQ(id_of(m_work, "origin/main").hex(), m_upstream.head());
    EXPECT_EQ(id_of(m_work, "nightly"), old_tag);
    // unless it is what was asked for
    fetch_now({.remote = "origin", .extra_refspecs = {"+refs/tags/nightly:refs/tags/nightly"}});
    EXPECT_EQ(id_of(m_work, "nightly").hex(), m_upstream.head());
}

TEST_F(Fetch, ExtraRefspecsComeOnTopOfTheConfiguredOnes) {
    advance_upstream();
    m_upstream.git("update-ref", "refs/special/one", "HEAD");
    fetch_now({.remote = "origin", .extra_refspecs = {"+refs/special/one:refs/special/one"}});
    EXPECT_EQ(id_of(m_work, "origin/main").hex(), m_upstream.head());
    EXPECT_EQ(id_of(m_work, "refs/special/one").hex(), m_upstream.head());
}

TEST_F(Fetch, KeepsAShallowCloneShallow) {
    advance_upstream();
    const TempRepo work = TempRepo::clone_of(m_upstream, {"--depth=1"});
    advance_upstream();
    fetch(Repository::open(work.path()), {"origin"}, {});
    EXPECT_EQ(id_of(work, "origin/main").hex(), m_upstream.head());
    EXPECT_EQ(work.git_line("rev-list", "--count", "origin/main"), "2");
    EXPECT_TRUE(work.exists(".git/shallow"));
}

TEST_F(Fetch, NamesARemoteThatHasVanished) {
    m_work.git("remote", "set-url", "origin", "file:///nowhere/at/all");
    const auto error = error_of([&] { fetch_now(); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::failed);
    EXPECT_EQ(error->message(), "cannot fetch from 'origin'");
    EXPECT_THAT(causes_of(*error), HasSubstr("'/nowhere/at/all' does not appear to be a git repository"));
    EXPECT_THAT(error->hints(), ElementsAre("git remote get-url origin"));
    EXPECT_THROW(remote_ref(Repository::open(m_work.path()), "origin", "HEAD"), Error);
}

TEST_F(Fetch, GivesUpOnASilentConnection) {
    m_work.git("remote", "set-url", "origin", "ssh://example.invalid/repo");
    m_work.write(".git/silent", "#!/bin/sh\nexec sleep 20\n");
    m_work.make_executable(".git/silent");
    const ScopedVariable command("GIT_SSH_COMMAND", m_work.file(".git/silent").native());
    const auto error = error_of([&] { fetch_now({.remote = "origin", .stall_timeout = std::chrono::seconds(1)}); });
    ASSERT_TRUE(error);
    EXPECT_THAT(causes_of(*error), HasSubstr("nothing was heard for 1 s"));
    EXPECT_THAT(hints_of(*error), HasSubstr("--offline"));
}

/// A stand-in for ssh that writes down its arguments and fails.
class FetchOverSsh : public Fetch {
protected:
    FetchOverSsh() {
        m_work.git("remote", "set-url", "origin", "ssh://example.invalid:2222/repo");
        m_work.write(".git/bin/ssh", "#!/bin/sh\necho \"$0 $*\" >>" + m_log.native() +
                                         "\n"
                                         "case $* in *-G*) exit 0;; esac\n"
                                         "echo 'git@example.invalid: Permission denied (publickey).' >&2\nexit 255\n");
        m_work.make_executable(".git/bin/ssh");
    }
    std::string called() {
        const auto error = error_of([&] { fetch_now(); });
        EXPECT_TRUE(error);
        EXPECT_THAT(hints_of(*error), HasSubstr("ssh-add"));
        return m_work.read(".git/ssh-log");
    }
    std::filesystem::path m_log = m_work.file(".git/ssh-log");
    std::string m_ssh = m_work.file(".git/bin/ssh").native();
};

TEST_F(FetchOverSsh, AsksForNoPassword) {
    const ScopedVariable path("PATH", m_work.file(".git/bin").native() + ":" + std::getenv("PATH"));
    EXPECT_THAT(called(),
                ::testing::ContainsRegex("bin/ssh -oBatchMode=yes .*-p 2222 example.invalid git-upload-pack"));
}

TEST_F(FetchOverSsh, LeavesTheUsersSshAlone) {
    {
        const ScopedVariable program("GIT_SSH", m_ssh);
        EXPECT_THAT(called(), Not(HasSubstr("BatchMode")));
    }
    {
        const ScopedVariable command("GIT_SSH_COMMAND", m_ssh + " -v");
        EXPECT_THAT(called(), HasSubstr("bin/ssh -v"));
    }
    m_work.git("config", "core.sshCommand", m_ssh + " -q");
    EXPECT_THAT(called(), HasSubstr("bin/ssh -q"));
    EXPECT_THAT(m_work.read(".git/ssh-log"), Not(HasSubstr("BatchMode")));
}

TEST_F(Fetch, AsksTheRemoteForARef) {
    advance_upstream();
    m_upstream.git("update-ref", "refs/other/refs/heads/main", "HEAD~1");
    m_upstream.git("update-ref", "refs/other/refs/heads/only-there", "HEAD~1");
    const Repository repository = Repository::open(m_work.path());
    EXPECT_EQ(remote_ref(repository, "origin", "refs/heads/main")->hex(), m_upstream.head());
    EXPECT_EQ(remote_ref(repository, "origin", "HEAD")->hex(), m_upstream.head());
    EXPECT_EQ(remote_ref(repository, "origin", "refs/heads/only-there"), std::nullopt);
    EXPECT_EQ(remote_ref(repository, "origin", "refs/heads/none"), std::nullopt);
}

} // namespace
} // namespace carry::git
