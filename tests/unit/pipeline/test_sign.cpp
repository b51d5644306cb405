// Rebased commits are signed where git is configured to sign, and land all the same where that fails.
#include "commands.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string k_file = numbered("a", 40);

/// Two local commits, the second by somebody with another name, and an upstream that has moved on.
UpstreamAndCheckout to_rebase() {
    auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    both.work.write("a.txt", set_line(k_file, 10, "one"));
    both.work.commit("One");
    both.work.write("a.txt", set_line(both.work.read("a.txt"), 20, "two"));
    both.work.git("commit", "-q", "-a", "-m", "Two\n\nwith a body", "--author", "J\xc3\xbcrgen <j@x>");
    both.upstream.write("a.txt", set_line(k_file, 30, "upstream"));
    both.upstream.commit("Upstream");
    return both;
}

/// Signing by an ssh key, which needs no agent.
void sign_by_ssh(const TempRepo& work) {
    const auto key = work.file(".git/key").native();
    ASSERT_EQ(run_process({.argv = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key}}).exit_code, 0);
    work.write(".git/allowed", "me@example.test " + work.read(".git/key.pub"));
    work.git("config", "gpg.format", "ssh");
    work.git("config", "user.signingKey", key);
    work.git("config", "user.email", "me@example.test");
    work.git("config", "gpg.ssh.allowedSignersFile", work.file(".git/allowed").native());
    work.git("config", "commit.gpgsign", "true");
}

TEST(Sign, RebasedCommitsAreSignedAsGitWould) {
    const auto both = to_rebase();
    const auto& work = both.work;
    sign_by_ssh(work);
    EXPECT_EQ(check(request_for(work)).exit_code, 0);
    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_TRUE(report.warnings.empty());
    EXPECT_EQ(report.new_head, work.head());
    for (const char* revision : {"HEAD", "HEAD~1"})
        EXPECT_EQ(work.git_status("verify-commit", revision), 0) << revision;
    EXPECT_EQ(work.git("log", "-1", "--format=%an|%s|%b"), "J\xc3\xbcrgen|Two|with a body\n\n");
    EXPECT_EQ(work.git_line("rev-parse", "HEAD~2"), both.upstream.head());
    EXPECT_EQ(work.git_status("fsck", "--strict"), 0);
    EXPECT_EQ(upgrade_with(work).outcome, Outcome::up_to_date);
}

TEST(Sign, AFailingOrHangingSignerIsAWarning) {
    const auto both = to_rebase();
    const auto& work = both.work;
    work.git("config", "commit.gpgsign", "true");
    work.git("config", "gpg.program", "/bin/false");
    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 0);
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_EQ(report.warnings[0].kind, "unsigned");
    EXPECT_THAT(report.warnings[0].message, AllOf(HasSubstr("2 new commits are not signed"), HasSubstr("gpg failed")));
    EXPECT_THAT(work.git("cat-file", "commit", "HEAD"), Not(HasSubstr("gpgsig")));
    EXPECT_EQ(work.git_line("rev-parse", "HEAD~2"), both.upstream.head());
}

TEST(Sign, WhatGitWouldChangeIsNotSigned) {
    const auto both = to_rebase();
    const auto& work = both.work;
    sign_by_ssh(work);
    auto text = work.git("cat-file", "commit", "HEAD");
    text.insert(text.find("\n\n"), "\nx-custom kept");
    work.write(".git/odd", text);
    work.git("reset", "-q", "--hard", work.git_line("hash-object", "-t", "commit", "-w", "--literally", ".git/odd"));
    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 0);
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_THAT(report.warnings[0].message, HasSubstr("one new commit is not signed"));
    EXPECT_THAT(work.git("cat-file", "commit", "HEAD"),
                AllOf(HasSubstr("\nx-custom kept\n"), Not(HasSubstr("gpgsig"))));
    EXPECT_EQ(work.git_status("verify-commit", "HEAD~1"), 0);
}

TEST(Sign, ALostSignatureIsTold) {
    const auto both = to_rebase();
    const auto& work = both.work;
    sign_by_ssh(work);
    work.git("commit", "-q", "--amend", "--no-edit", "-S");
    work.git("config", "commit.gpgsign", "false");
    const auto report = upgrade_with(work);
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_THAT(report.warnings[0].message, HasSubstr("one rebased commit was signed"));
}

} // namespace
} // namespace carry::test
