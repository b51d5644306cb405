#include "commands.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

UpstreamAndCheckout with_every_layer() {
    auto both =
        UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}, {"b.txt", numbered("b", 30)}, {"gone.txt", "gone\n"}});
    both.work.write("a.txt", set_line(numbered("a", 30), 3, "committed"));
    both.work.commit("local");
    both.work.write("a.txt", set_line(both.work.read("a.txt"), 8, "staged"));
    both.work.stage("a.txt");
    both.work.write("a.txt", set_line(both.work.read("a.txt"), 13, "unstaged"));
    both.work.write("new.txt", "intended\n");
    both.work.git("add", "-N", "new.txt");
    both.work.write("note.txt", "untracked\n");
    both.upstream.write("a.txt", set_line(numbered("a", 30), 25, "theirs"));
    both.upstream.remove("gone.txt");
    both.upstream.write("fresh/file.txt", "fresh\n");
    both.upstream.commit("Upstream");
    return both;
}

TEST(Undo, OfAnUndoBringsTheUpgradeBack) {
    const auto both = with_every_layer();
    const auto before = fingerprint(both.work.path());
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    const auto after = fingerprint(both.work.path());
    for (int n = 0; n < 2; ++n) {
        both.work.git("gc", "-q", "--prune=now");
        EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
        EXPECT_EQ(fingerprint(both.work.path()), before);
        both.work.git("gc", "-q", "--prune=now");
        EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
        EXPECT_EQ(fingerprint(both.work.path()), after);
    }
    both.work.git("fsck", "--no-dangling");
}

TEST(Undo, NamesWhatWasWrittenLater) {
    const auto both = with_every_layer();
    const auto before = fingerprint(both.work.path());
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    both.work.append("a.txt", "later\n");
    both.work.append("b.txt", "later too\n");
    both.work.write("after.txt", "mine\n");
    const auto later_b = both.work.read("b.txt");
    const auto report = undo(request_for(both.work), std::nullopt);
    EXPECT_THAT(report.saved, ElementsAre(HasSubstr("a.txt"), HasSubstr("b.txt")));
    EXPECT_EQ(both.work.read("after.txt"), "mine\n");
    both.work.remove("after.txt");
    EXPECT_EQ(fingerprint(both.work.path()), before);
    EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(both.work.read("b.txt"), later_b);
}

TEST(Undo, BringsBranchAndCommitBackAfterACommitOnAnotherBranch) {
    const auto both = with_every_layer();
    const auto before = fingerprint(both.work.path());
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    both.work.git("checkout", "-q", "-b", "elsewhere");
    both.work.git("commit", "-q", "--allow-empty", "-m", "later");
    EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(both.work.git_line("symbolic-ref", "HEAD"), "refs/heads/main");
    both.work.git("branch", "-q", "-D", "elsewhere");
    EXPECT_EQ(fingerprint(both.work.path()), before);
}

TEST(Undo, KeepsModesThatGitDoesNotKnow) {
    const auto both = with_every_layer();
    namespace fs = std::filesystem;
    fs::permissions(both.work.file("gone.txt"), fs::perms::owner_read | fs::perms::owner_write);
    fs::permissions(both.work.file("a.txt"), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    const auto before = fingerprint(both.work.path());
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    EXPECT_EQ(fs::status(both.work.file("a.txt")).permissions(),
              fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(fingerprint(both.work.path()), before);
}

TEST(Undo, WithNothingToReverseExitsZero) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    const auto report = undo(request_for(both.work), std::nullopt);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(report.outcome, Outcome::up_to_date);
}

} // namespace
} // namespace carry::test
