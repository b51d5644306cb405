// Which commit an upgrade goes to: renamed and lost branches, tags, names that mean two things.
#include "commands.hpp"
#include "support/fingerprint.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Report upgrade_to(const TempRepo& work, const std::string& revision) {
    return upgrade(request_for(work, [&](Settings& settings) { settings.to = revision; }));
}

/// The error of an upgrade that must not change anything.
Error refusal(const TempRepo& work, const std::string& revision = {}) {
    const auto before = fingerprint(work.path());
    try {
        revision.empty() ? upgrade_with(work) : upgrade_to(work, revision);
    } catch (const Error& error) {
        EXPECT_TRUE(same(before, fingerprint(work.path())));
        return error;
    }
    ADD_FAILURE() << "it was not refused";
    return {ErrorKind::failed, "nothing"};
}

TEST(Target, ADefaultBranchThatIsGoneIsFollowedHoweverItWasFetched) {
    const auto origin = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    const auto pruned = TempRepo::clone_of(origin.upstream);
    const auto single = TempRepo::clone_of(origin.upstream, {"--depth", "1"});
    origin.upstream.git("branch", "-q", "-m", "main", "trunk");
    origin.upstream.write("a.txt", "2\n");
    const auto tip = origin.upstream.commit("On trunk");
    pruned.git("fetch", "-q", "--prune");
    for (const auto* work : {&pruned, &single}) {
        const auto report = upgrade_with(*work);
        EXPECT_EQ(report.exit_code, 0);
        EXPECT_EQ(report.upstream, "origin/trunk");
        EXPECT_EQ(work->head(), tip);
        EXPECT_THAT(report.notes, Contains(HasSubstr("upstream moved from origin/main to origin/trunk")));
        EXPECT_EQ(upgrade_with(*work).outcome, Outcome::up_to_date);
    }
}

TEST(Target, ANewDefaultBranchBesideTheOldOneIsNamed) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    both.upstream.git("checkout", "-q", "-b", "trunk");
    both.upstream.write("a.txt", "2\n");
    both.upstream.commit("On trunk");
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.outcome, Outcome::up_to_date);
    EXPECT_THAT(report.notes, Contains(HasSubstr("is origin/trunk now")));
}

TEST(Target, AReleaseBranchThatIsGoneIsRefusedUnlessItWasMerged) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    const auto& upstream = both.upstream;
    upstream.git("checkout", "-q", "-b", "release");
    upstream.write("b.txt", "1\n");
    upstream.commit("Release");
    both.work.git("fetch", "-q");
    both.work.git("checkout", "-q", "-b", "release", "origin/release");
    upstream.git("checkout", "-q", "main");
    upstream.git("branch", "-m", "release", "kept");
    const auto error = refusal(both.work);
    EXPECT_EQ(error.kind(), ErrorKind::refused);
    EXPECT_EQ(error.message(), "upstream 'origin/release' is gone from 'origin'");
    EXPECT_THAT(error.hints(), Contains(HasSubstr("--to origin/main")));
    upstream.git("merge", "-q", "kept");
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    EXPECT_EQ(both.work.head(), upstream.head());
}

TEST(Target, WhatTheRefspecsDoNotBringIsFetchedByName) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    const auto& upstream = both.upstream;
    upstream.git("checkout", "-q", "-b", "side");
    upstream.write("a.txt", "2\n");
    const auto side = upstream.commit("Side");
    upstream.git("checkout", "-q", "--detach");
    upstream.write("a.txt", "3\n");
    const auto hotfix = upstream.commit("Hotfix");
    upstream.git("tag", "v1-hotfix");
    upstream.git("checkout", "-q", "main");
    upstream.git("config", "uploadpack.allowAnySHA1InWant", "true");
    const auto work = TempRepo::clone_of(upstream, {"--single-branch", "--no-tags"});
    EXPECT_EQ(upgrade_to(work, "origin/side").exit_code, 0);
    EXPECT_EQ(work.head(), side);
    EXPECT_EQ(upgrade_to(work, "v1-hotfix").exit_code, 0);
    EXPECT_EQ(work.head(), hotfix);
    EXPECT_EQ(upgrade_to(TempRepo::clone_of(upstream, {"--single-branch"}), "side").upstream, "origin/side");
    EXPECT_EQ(upgrade_to(TempRepo::clone_of(upstream, {"--single-branch", "--no-tags"}), hotfix).new_upstream, hotfix);
    EXPECT_EQ(refusal(work, "v9").kind(), ErrorKind::usage);
    EXPECT_EQ(refusal(work, std::string(40, 'f')).kind(), ErrorKind::usage);
}

TEST(Target, NamesThatMeanTwoThings) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    both.upstream.write("a.txt", "2\n");
    const auto tagged = both.upstream.commit("Tagged");
    both.upstream.git("tag", "next");
    both.upstream.write("a.txt", "3\n");
    const auto branch = both.upstream.commit("On the branch");
    both.upstream.git("branch", "next");
    both.work.git("fetch", "-q");
    const auto report = upgrade_to(both.work, "next");
    EXPECT_EQ(both.work.head(), tagged);
    EXPECT_THAT(report.notes, Contains(HasSubstr("is taken for the tag")));
    upgrade_to(both.work, "refs/remotes/origin/next");
    EXPECT_EQ(both.work.head(), branch);
    const auto error = refusal(both.work, "main");
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.hints(), Contains(HasSubstr("--to origin/main")));
}

TEST(Target, ABranchThatIsCheckedOutTwiceIsRefused) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    both.upstream.write("a.txt", "2\n");
    both.upstream.commit("On main");
    const auto other = both.work.path().parent_path() / "other";
    both.work.git("worktree", "add", "-q", "-f", other.native(), "main");
    const auto error = refusal(both.work);
    EXPECT_EQ(error.kind(), ErrorKind::refused);
    EXPECT_THAT(error.message(), HasSubstr("is checked out in"));
    both.work.git("-C", other.native(), "checkout", "-q", "--detach");
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    EXPECT_EQ(both.work.head(), both.upstream.head());
}

TEST(Target, ABranchInAnotherOnesWayDoesNotStopTheUpgrade) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    both.upstream.git("branch", "feat/x");
    both.work.git("fetch", "-q");
    both.upstream.git("branch", "-D", "feat/x");
    both.upstream.git("branch", "feat");
    both.upstream.write("a.txt", "2\n");
    const auto tip = both.upstream.commit("On main");
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(both.work.head(), tip);
    EXPECT_THAT(report.notes, Contains(HasSubstr("git remote prune origin")));
    const auto error = refusal(both.work, "origin/feat");
    EXPECT_THAT(error.hints(), Contains(HasSubstr("git remote prune origin")));
}

} // namespace
} // namespace carry::test
