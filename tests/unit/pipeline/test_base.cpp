// The base: what the local changes sit on, whatever upstream has done to its history.
#include "commands.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string k_file = numbered("a", 40);

std::string edited(std::size_t line, const std::string& text) {
    return set_line(k_file, line, text);
}

/// An upstream of two commits, and a checkout with a local commit and an unstaged change on them.
UpstreamAndCheckout on_two_commits() {
    auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    both.upstream.write("a.txt", edited(5, "second"));
    both.upstream.commit("Second");
    both.work.git("pull", "-q");
    both.work.write("a.txt", set_line(edited(5, "second"), 20, "mine"));
    both.work.commit("Mine");
    return both;
}

void forget_reflogs(const TempRepo& work) {
    work.git("config", "core.logAllRefUpdates", "false");
    work.remove(".git/logs");
}

std::string subjects(const TempRepo& work) {
    return work.git("log", "--format=%s");
}

TEST(Base, CommitsThatUpstreamDroppedAreNotLocalOnes) {
    const auto both = on_two_commits();
    both.upstream.git("reset", "-q", "--hard", "HEAD~1");
    both.upstream.write("a.txt", edited(9, "again"));
    both.upstream.commit("Second again");
    both.work.git("fetch", "-q"); // the rewriting has been seen already
    both.upstream.git("commit", "-q", "--amend", "-m", "Second for good");

    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(report.commits, 1U);
    EXPECT_EQ(subjects(both.work), "Mine\nSecond for good\n" + both.upstream.git("log", "--format=%s", "HEAD~1"));
    EXPECT_EQ(both.work.read("a.txt"), set_line(edited(9, "again"), 20, "mine"));
    EXPECT_THAT(report.notes, Contains(HasSubstr("upstream was rewritten")));
    EXPECT_EQ(upgrade_with(both.work).outcome, Outcome::up_to_date);
}

TEST(Base, UpstreamGoesBackAndTheCheckoutWithIt) {
    const auto both = on_two_commits();
    both.upstream.git("reset", "-q", "--hard", "HEAD~1");
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(both.work.git_line("rev-parse", "HEAD~1"), both.upstream.head());
    EXPECT_EQ(both.work.read("a.txt"), edited(20, "mine"));
    EXPECT_THAT(report.notes, Contains(HasSubstr("is older than")));
}

TEST(Base, TheBranchsOwnLogRemembersWhatTheOtherForgot) {
    const auto both = on_two_commits();
    both.upstream.git("commit", "-q", "--amend", "-m", "Rewritten");
    both.upstream.write("a.txt", edited(5, "third"));
    both.upstream.git("commit", "-q", "-a", "--amend", "-m", "Rewritten");
    both.work.git("fetch", "-q");
    both.work.remove(".git/logs/refs/remotes");
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(report.commits, 1U);
    EXPECT_EQ(both.work.read("a.txt"), set_line(edited(5, "third"), 20, "mine"));
}

TEST(Base, AHistoryBegunAnewIsKnownByItsFiles) {
    const auto both = on_two_commits();
    both.work.write("a.txt", set_line(both.work.read("a.txt"), 30, "dirty"));
    both.upstream.git("checkout", "-q", "--orphan", "fresh");
    both.upstream.commit("Begin anew");
    both.upstream.git("branch", "-q", "-M", "fresh", "main");
    both.upstream.write("a.txt", set_line(edited(5, "second"), 9, "later"));
    both.upstream.commit("Later");
    both.work.git("fetch", "-q");
    forget_reflogs(both.work);
    const auto before = fingerprint(both.work.path());

    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(subjects(both.work), "Mine\nLater\nBegin anew\n");
    EXPECT_EQ(both.work.read("a.txt"),
              set_line(set_line(set_line(edited(5, "second"), 9, "later"), 20, "mine"), 30, "dirty"));
    EXPECT_THAT(report.notes, Contains(HasSubstr("whose files it has had too")));
    EXPECT_EQ(upgrade_with(both.work).outcome, Outcome::up_to_date);
    undo(request_for(both.work), std::nullopt);
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
}

TEST(Base, WhereNothingTellsTheUserDoes) {
    const auto both = on_two_commits();
    const auto base = both.work.git_line("rev-parse", "HEAD~1");
    both.upstream.git("checkout", "-q", "--orphan", "fresh");
    both.upstream.write("a.txt", edited(35, "other"));
    both.upstream.commit("Another beginning");
    both.upstream.git("branch", "-q", "-M", "fresh", "main");
    both.work.git("fetch", "-q");
    forget_reflogs(both.work);
    const auto before = fingerprint(both.work.path());
    try {
        upgrade_with(both.work);
        ADD_FAILURE() << "it was not refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::refused);
        EXPECT_THAT(error.hints(), Contains(HasSubstr("--base REV")));
    }
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
    const auto with_base = [&](const std::string& revision) {
        return upgrade(request_for(both.work, [&](Settings& settings) { settings.base = revision; }));
    };
    try {
        with_base("origin/main");
        ADD_FAILURE() << "a base beside the history was taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
    EXPECT_EQ(with_base(base).exit_code, 0);
    EXPECT_EQ(subjects(both.work), "Mine\nAnother beginning\n");
    EXPECT_EQ(both.work.read("a.txt"), set_line(edited(35, "other"), 20, "mine"));
}

TEST(Base, AShallowHistorysEndIsUpstreams) {
    const auto upstream = UpstreamAndCheckout::with({{"a.txt", k_file}});
    const auto work = TempRepo::clone_of(upstream.upstream, {"--depth", "1"});
    work.write("a.txt", edited(20, "mine"));
    work.commit("Mine");
    forget_reflogs(work);
    for (const std::size_t line : {30U, 31U}) {
        upstream.upstream.write("a.txt", edited(line, "upstream"));
        upstream.upstream.commit("Upstream");
    }
    work.git("fetch", "-q", "--depth", "1");
    EXPECT_EQ(upgrade_with(work).exit_code, 0);
    EXPECT_EQ(work.read("a.txt"), set_line(edited(31, "upstream"), 20, "mine"));
    EXPECT_EQ(work.git_line("rev-parse", "HEAD~1"), upstream.upstream.head());
}

TEST(Base, ATagThatMovedBackTakesTheCheckoutAlong) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    both.upstream.write("a.txt", edited(5, "second"));
    both.upstream.commit("Second");
    both.upstream.git("tag", "-a", "-m", "one", "v1");
    both.work.git("fetch", "-q");
    both.work.git("checkout", "-q", "--detach", "v1");
    both.work.write("a.txt", set_line(edited(5, "second"), 20, "mine"));
    both.upstream.git("tag", "-f", "-a", "-m", "two", "v1", "HEAD~1");
    const auto to_tag = request_for(both.work, [](Settings& settings) { settings.to = "v1"; });
    const auto report = upgrade(to_tag);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(both.work.head(), both.upstream.git_line("rev-parse", "HEAD~1"));
    EXPECT_EQ(both.work.read("a.txt"), edited(20, "mine"));
    EXPECT_THAT(report.notes, Contains(HasSubstr("tag 'v1' moved upstream")));
    EXPECT_EQ(upgrade(to_tag).outcome, Outcome::up_to_date);
}

TEST(Base, AReleaseThatIsCheckedOutIsUpstreamsToTheLastCommit) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    both.upstream.git("checkout", "-q", "-b", "release");
    both.upstream.write("a.txt", edited(5, "backport"));
    both.upstream.commit("Backport");
    both.upstream.git("tag", "v1.1");
    both.upstream.git("checkout", "-q", "main");
    both.upstream.write("a.txt", edited(30, "main"));
    both.upstream.commit("On main");
    const auto& work = both.work;
    work.git("fetch", "-q");
    work.git("checkout", "-q", "--detach", "v1.1");
    work.write("a.txt", set_line(edited(5, "backport"), 20, "mine"));
    work.commit("Mine");
    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(report.commits, 1U);
    EXPECT_EQ(work.git_line("rev-parse", "HEAD~1"), both.upstream.head());
    EXPECT_EQ(work.read("a.txt"), set_line(edited(30, "main"), 20, "mine"));
    EXPECT_THAT(report.notes, Contains(HasSubstr("left behind")));
}

TEST(Base, NothingNewStillSaysHowManyCommitsAreCarried) {
    const auto both = on_two_commits();
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.outcome, Outcome::up_to_date);
    EXPECT_EQ(report.commits, 1U);
    EXPECT_THAT(report.notes, IsEmpty());
}

} // namespace
} // namespace carry::test
