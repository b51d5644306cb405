// The main job from the command line: upgrade, check, undo, the policies and their exit codes.
#include "run_cli.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A checkout with a change in each layer, and an upstream that moved on beside them.
UpstreamAndCheckout carrying_every_layer() {
    auto both = UpstreamAndCheckout::with({{"committed.txt", numbered("c", 30)},
                                           {"staged.txt", numbered("s", 30)},
                                           {"unstaged.txt", numbered("u", 30)},
                                           {"other.txt", "1\n"}});
    const auto& work = both.work;
    work.write("committed.txt", set_line(numbered("c", 30), 20, "mine"));
    work.commit("Tune the committed file");
    work.write("staged.txt", set_line(numbered("s", 30), 20, "mine"));
    work.stage("staged.txt");
    work.write("unstaged.txt", set_line(numbered("u", 30), 20, "mine"));
    work.write("untracked.txt", "mine\n");
    const auto& upstream = both.upstream;
    upstream.write("committed.txt", "new\n" + numbered("c", 30));
    upstream.write("staged.txt", "new\n" + numbered("s", 30));
    upstream.write("unstaged.txt", "new\n" + numbered("u", 30));
    upstream.write("other.txt", "2\n");
    upstream.commit("Move on");
    return both;
}

/// A checkout whose unstaged change collides with upstream's, beside one that does not.
UpstreamAndCheckout in_conflict() {
    auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}, {"b.txt", numbered("b", 30)}});
    both.work.write("a.txt", set_line(numbered("a", 30), 10, "mine"));
    both.work.write("b.txt", set_line(numbered("b", 30), 10, "mine"));
    both.upstream.write("a.txt", set_line(numbered("a", 30), 10, "theirs"));
    both.upstream.commit("Rework line ten (#7)");
    return both;
}

TEST(Upgrade, CarriesEveryLayerAndUndoIsExact) {
    const auto both = carrying_every_layer();
    const auto& work = both.work;
    const auto before = fingerprint(work.path());

    const auto upgrade = run_cli_json(work.path(), {"upgrade"});
    EXPECT_EQ(upgrade.exit_code, 0) << upgrade.report.dump(2) << upgrade.error_output;
    EXPECT_EQ(upgrade.report["outcome"], "upgraded");
    EXPECT_EQ(upgrade.report["patches"].size(), 4U);
    EXPECT_EQ(upgrade.report["new_upstream"], both.upstream.head());
    EXPECT_EQ(work.git_line("rev-parse", "HEAD~1"), both.upstream.head());
    EXPECT_EQ(work.git_line("log", "-1", "--format=%s"), "Tune the committed file");
    EXPECT_EQ(work.git("diff", "--cached", "--name-only"), "staged.txt\n");
    EXPECT_EQ(work.git("diff", "--name-only"), "unstaged.txt\n");
    EXPECT_EQ(work.read("unstaged.txt"), "new\n" + set_line(numbered("u", 30), 20, "mine"));
    EXPECT_EQ(work.read("other.txt"), "2\n");
    EXPECT_EQ(work.read("untracked.txt"), "mine\n");
    const auto after = fingerprint(work.path());

    EXPECT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 0);
    EXPECT_TRUE(same(after, fingerprint(work.path())));

    work.git("gc", "-q", "--prune=now");
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_TRUE(same(before, fingerprint(work.path())));
    work.git("gc", "-q", "--prune=now");
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_TRUE(same(after, fingerprint(work.path())));
}

TEST(Upgrade, TellsAPersonWhatHappened) {
    const auto both = carrying_every_layer();
    const auto result = run_cli(both.work.path(), {"upgrade"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.error_output, "");
    EXPECT_THAT(result.output, HasSubstr("main <- origin/main"));
    EXPECT_THAT(result.output, HasSubstr("1 commit, 4 files\n"));
    EXPECT_THAT(result.output, HasSubstr("1 commit, 1 staged, 1 unstaged, 1 untracked\n"));
    EXPECT_THAT(result.output, HasSubstr(" Tune the committed file  committed.txt  1 hunk"));
    EXPECT_THAT(result.output, HasSubstr("  kept      unstaged   unstaged.txt  1 hunk"));
    EXPECT_THAT(result.output, HasSubstr("next  git carry undo"));
    EXPECT_THAT(result.output, Not(HasSubstr("\x1b")));
}

TEST(Upgrade, NothingToDo) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    const auto result = run_cli(both.work.path(), {"upgrade"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.output, HasSubstr("already up to date\n"));
    EXPECT_EQ(run_cli_json(both.work.path(), {"upgrade"}).report["outcome"], "up-to-date");
    EXPECT_EQ(run_cli_json(both.work.path(), {"runs"}).report["runs"].size(), 0U);
    const auto undo = run_cli(both.work.path(), {"undo"});
    EXPECT_EQ(undo.exit_code, 0);
    EXPECT_THAT(undo.output, HasSubstr("nothing to undo\n"));
}

TEST(Upgrade, ToARevision) {
    const auto both = carrying_every_layer();
    const auto wanted = both.upstream.head();
    both.upstream.write("other.txt", "3\n");
    both.upstream.commit("Too new");
    both.work.git("fetch", "-q");
    EXPECT_EQ(run_cli(both.work.path(), {"upgrade", "--to", wanted, "--offline"}).exit_code, 0);
    EXPECT_EQ(both.work.read("other.txt"), "2\n");
    EXPECT_NE(run_cli(both.work.path(), {"upgrade", "--to", "no-such-revision"}).exit_code, 0);
}

TEST(Upgrade, OfflineDoesNotFetch) {
    const auto both = carrying_every_layer();
    EXPECT_THAT(run_cli(both.work.path(), {"upgrade", "--offline"}).output, HasSubstr("already up to date"));
}

TEST(Check, ChangesNothingAndExitsAsTheUpgradeWould) {
    const auto clean = carrying_every_layer();
    auto before = fingerprint(clean.work.path());
    const auto check = run_cli_json(clean.work.path(), {"check"});
    EXPECT_EQ(check.exit_code, 0);
    EXPECT_EQ(check.report["outcome"], "planned");
    EXPECT_TRUE(same(before, fingerprint(clean.work.path())));

    const auto both = in_conflict();
    before = fingerprint(both.work.path());
    EXPECT_EQ(run_cli_json(both.work.path(), {"check"}).exit_code, 3);
    EXPECT_EQ(run_cli_json(both.work.path(), {"check", "--on-conflict=park"}).exit_code, 4);
    EXPECT_EQ(run_cli_json(both.work.path(), {"check", "--on-conflict=mark"}).exit_code, 4);
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
}

TEST(Conflict, StopLeavesTheCheckoutAndNamesTheCulprit) {
    const auto both = in_conflict();
    const auto before = fingerprint(both.work.path());
    const auto result = run_cli_json(both.work.path(), {"upgrade"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.report["outcome"], "stopped");
    ASSERT_EQ(result.report["conflicts"].size(), 1U);
    const auto& conflict = result.report["conflicts"][0];
    EXPECT_EQ(conflict["path"], "a.txt");
    EXPECT_EQ(conflict["yours"], (nlohmann::json{{"first", 10}, {"last", 10}}));
    ASSERT_GE(conflict["culprits"].size(), 1U);
    EXPECT_EQ(conflict["culprits"][0]["subject"], "Rework line ten (#7)");
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));

    const auto text = run_cli(both.work.path(), {"upgrade"});
    EXPECT_EQ(text.exit_code, 3);
    EXPECT_THAT(text.output, HasSubstr("yours 10, upstream 10, last changed by "));
    EXPECT_THAT(text.output, HasSubstr("stopped on 1 conflict; the checkout was not changed\n"));
}

TEST(Conflict, MarkThenContinue) {
    const auto both = in_conflict();
    const auto& work = both.work;
    const auto marked = run_cli_json(work.path(), {"upgrade", "--on-conflict=mark"});
    EXPECT_EQ(marked.exit_code, 4);
    EXPECT_EQ(marked.report["outcome"], "marked");
    EXPECT_THAT(work.read("a.txt"), HasSubstr("<<<<<<<"));
    EXPECT_NE(work.git("ls-files", "-u"), "");
    EXPECT_EQ(work.read("b.txt"), set_line(numbered("b", 30), 10, "mine"));

    EXPECT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 6);  // it waits
    EXPECT_EQ(run_cli(work.path(), {"continue"}).exit_code, 6); // not resolved yet
    EXPECT_THAT(run_cli(work.path(), {"status"}).output, HasSubstr("waits for 'git carry continue'"));

    const auto resolved = set_line(numbered("a", 30), 10, "mine and theirs");
    work.write("a.txt", resolved);
    work.stage("a.txt");
    const auto done = run_cli_json(work.path(), {"continue"});
    EXPECT_EQ(done.exit_code, 0) << done.report.dump(2) << done.error_output;
    EXPECT_EQ(done.report["outcome"], "continued");
    EXPECT_EQ(work.read("a.txt"), resolved);
    EXPECT_EQ(work.git("diff", "--name-only"), "a.txt\nb.txt\n"); // unstaged it was, unstaged it is
    EXPECT_EQ(work.head(), both.upstream.head());
    EXPECT_EQ(run_cli(work.path(), {"continue"}).exit_code, 6);
}

TEST(Conflict, MarkThenAbort) {
    const auto both = in_conflict();
    const auto before = fingerprint(both.work.path());
    EXPECT_EQ(run_cli(both.work.path(), {"upgrade", "--on-conflict=mark"}).exit_code, 4);
    const auto abort = run_cli(both.work.path(), {"abort"});
    EXPECT_EQ(abort.exit_code, 0) << abort.error_output;
    EXPECT_THAT(abort.output, HasSubstr("aborted; the checkout is as it was before\n"));
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
    EXPECT_EQ(run_cli(both.work.path(), {"abort"}).exit_code, 6);
}

TEST(Conflict, ParkLandsTheRestAndStaysHonest) {
    const auto both = in_conflict();
    const auto before = fingerprint(both.work.path());
    const auto parked = run_cli_json(both.work.path(), {"upgrade", "--on-conflict=park"});
    EXPECT_EQ(parked.exit_code, 4);
    EXPECT_EQ(parked.report["outcome"], "parked");
    ASSERT_EQ(parked.report["parked"].size(), 1U);
    EXPECT_EQ(both.work.read("a.txt"), set_line(numbered("a", 30), 10, "theirs"));
    EXPECT_EQ(both.work.read("b.txt"), set_line(numbered("b", 30), 10, "mine"));
    EXPECT_EQ(run_cli(both.work.path(), {"upgrade", "--on-conflict=park"}).exit_code, 4); // as long as it is parked
    EXPECT_THAT(run_cli(both.work.path(), {"status"}).output, HasSubstr("parked  "));
    EXPECT_EQ(run_cli(both.work.path(), {"undo"}).exit_code, 0);
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
}

TEST(Json, HoldsTheSchema) {
    const auto conflict = in_conflict();
    const auto clean = carrying_every_layer();
    const auto& work = clean.work;
    auto documents = nlohmann::json::array();
    const auto add = [&documents](const TempRepo& repo, const std::vector<std::string>& arguments,
                                  const char* part = "") {
        documents.push_back({part, run_cli_json(repo.path(), arguments).report});
    };
    for (const char* policy : {"stop", "park"})
        add(conflict.work, {"upgrade", std::string("--on-conflict=") + policy});
    add(conflict.work, {"status"});
    add(work, {"status"});
    add(work, {"check"});
    add(work, {"upgrade", "--verify", "true"});
    add(work, {"upgrade"});
    add(work, {"undo"});
    add(work, {"snapshot"});
    add(work, {"export", "../patches"});
    add(work, {"prune"});
    add(work, {"continue"}); // refused
    add(work, {"runs"}, "runs");
    const auto result = run_program({CARRY_PYTHON, CARRY_VALIDATE_JSON, CARRY_REPORT_SCHEMA}, {}, {}, documents.dump());
    if (result.exit_code == 77)
        GTEST_SKIP() << "python3 has no jsonschema";
    EXPECT_EQ(result.exit_code, 0) << result.error_output;
    EXPECT_EQ(result.output, "");
}

TEST(Verify, AFailureBringsTheOldStateBack) {
    const auto both = carrying_every_layer();
    const auto before = fingerprint(both.work.path());
    const auto failed =
        run_cli_json(both.work.path(), {"upgrade", "--verify", "true", "--verify", "echo the tests fail; exit 3"});
    EXPECT_EQ(failed.exit_code, 5);
    EXPECT_EQ(failed.report["outcome"], "verify-failed");
    ASSERT_EQ(failed.report["verify"].size(), 2U);
    EXPECT_EQ(failed.report["verify"][1]["exit_code"], 3);
    EXPECT_EQ(failed.report["verify"][1]["output_tail"], "the tests fail\n");
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
    EXPECT_EQ(run_cli(both.work.path(), {"upgrade", "--verify", "grep -q new unstaged.txt"}).exit_code, 0);
}

TEST(Checkouts, LinkedDetachedAndWithAnotherRemote) {
    const auto both = carrying_every_layer();
    const auto& work = both.work;
    work.git("remote", "rename", "origin", "fork");
    work.git("stash", "-q", "-u");
    const auto linked = work.path().parent_path() / "linked";
    work.git("worktree", "add", "-q", "-b", "side", "--track", linked.string(), "fork/main");
    const auto upgrade = run_cli_json(linked, {"upgrade"});
    EXPECT_EQ(upgrade.exit_code, 0) << upgrade.report.dump(2) << upgrade.error_output;
    EXPECT_EQ(upgrade.report["upstream"], "fork/main");
    EXPECT_EQ(run_cli_json(work.path(), {"runs"}).report["runs"].size(), 0U); // its records are its own

    work.git("checkout", "-q", "--detach");
    const auto detached = run_cli_json(work.path(), {"upgrade", "--upstream", "fork/main"});
    EXPECT_EQ(detached.exit_code, 0) << detached.report.dump(2) << detached.error_output;
    EXPECT_EQ(detached.report["branch"], "detached HEAD");
    EXPECT_EQ(work.git_line("rev-parse", "HEAD~1"), both.upstream.head());
}

} // namespace
} // namespace carry::test
