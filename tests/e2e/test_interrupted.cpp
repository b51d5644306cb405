// Exit codes 8 and 9: signals and kills that real hooks and commands bring about in the middle of an upgrade.
#include "run_cli.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/submodule_lab.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>

#include <csignal>

namespace carry::test {
namespace {

using ::testing::HasSubstr;

UpstreamAndCheckout carrying_an_edit() {
    auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}, {"b.txt", numbered("b", 30)}});
    both.work.write("a.txt", set_line(numbered("a", 30), 20, "mine"));
    both.upstream.write("a.txt", "new\n" + numbered("a", 30));
    both.upstream.write("b.txt", "new\n");
    both.upstream.commit("Move on");
    return both;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    return text.replace(text.find(what), what.size(), by);
}

/// Sends the signal to git-carry, its parent's parent, at one moment of the transaction on refs/heads/main.
void signal_when_refs_move(const TempRepo& work, std::string_view moment, std::string_view name) {
    const std::string script = "#!/bin/sh\n"
                               "grep -q refs/heads/main || exit 0\n"
                               "[ \"$1\" = MOMENT ] || exit 0\n"
                               "rm \"$0\"\n"
                               "read -r _ _ _ parent _ </proc/$PPID/stat\n"
                               "kill -NAME \"$parent\"\n";
    work.write(".git/hooks/reference-transaction", replaced(replaced(script, "MOMENT", moment), "NAME", name));
    work.make_executable(".git/hooks/reference-transaction");
}

TEST(Interrupted, BeforeTheCommitRecordNothingHasChanged) {
    const auto both = carrying_an_edit();
    const auto before = fingerprint(both.work.path());
    signal_when_refs_move(both.work, "prepared", "KILL");
    EXPECT_NE(run_cli(both.work.path(), {"upgrade"}).exit_code, 0);
    const auto status = run_cli(both.work.path(), {"status"});
    EXPECT_EQ(status.exit_code, 0) << status.error_output;
    EXPECT_THAT(status.output + status.error_output, HasSubstr("interrupted"));
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
    EXPECT_EQ(both.work.git("status", "--short"), " M a.txt\n");
}

TEST(Interrupted, SubmodulesFollowTheCheckoutAroundThem) {
    const auto lab = SubmoduleLab::make();
    const auto bumped = lab.bump();
    lab.edit(3, "lib 3 mine");
    const auto before = lab.state();
    signal_when_refs_move(lab.work, "prepared", "KILL");
    EXPECT_NE(run_cli(lab.work.path(), {"upgrade"}).exit_code, 0);
    EXPECT_EQ(run_cli(lab.work.path(), {"status"}).exit_code, 0);
    EXPECT_EQ(lab.state(), before);

    signal_when_refs_move(lab.work, "committed", "KILL");
    EXPECT_NE(run_cli(lab.work.path(), {"upgrade"}).exit_code, 0);
    EXPECT_EQ(run_cli(lab.work.path(), {"status"}).exit_code, 0);
    EXPECT_EQ(lab.in_sub("rev-parse", "HEAD"), bumped);
    EXPECT_EQ(lab.recorded(), bumped);
    EXPECT_THAT(lab.work.read("libs/sub/lib.txt"), HasSubstr("lib 3 mine\n"));
    EXPECT_EQ(run_cli(lab.work.path(), {"undo"}).exit_code, 0);
    EXPECT_EQ(lab.state(), before);
}

TEST(Interrupted, ASignalWhileFilesMoveWaitsForTheNewState) {
    const auto both = carrying_an_edit();
    const auto before = fingerprint(both.work.path());
    signal_when_refs_move(both.work, "committed", "TERM");
    const auto upgrade = run_cli(both.work.path(), {"upgrade"});
    // Too late to stop: the upgrade is whole.
    EXPECT_EQ(upgrade.exit_code, 0) << upgrade.error_output;
    EXPECT_EQ(both.work.head(), both.upstream.head());
    EXPECT_EQ(run_cli(both.work.path(), {"undo"}).exit_code, 0);
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
}

TEST(Interrupted, ASignalDuringVerificationRollsBackAndExitsWith8) {
    const auto both = carrying_an_edit();
    const auto before = fingerprint(both.work.path());
    // The verify command is a shell; git-carry is its parent.
    const auto upgrade = run_cli(both.work.path(), {"upgrade", "--verify", "kill -TERM $PPID; sleep 5"});
    EXPECT_EQ(upgrade.exit_code, 8) << upgrade.error_output;
    EXPECT_THAT(upgrade.error_output, HasSubstr("SIGTERM"));
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
}

TEST(Interrupted, SomebodysBytesInTheWayOfRecoveryNeedAPerson) {
    const auto both = carrying_an_edit();
    signal_when_refs_move(both.work, "committed", "KILL");
    EXPECT_NE(run_cli(both.work.path(), {"upgrade"}).exit_code, 0);
    both.work.write("b.txt", "written after the crash\n");
    for (const auto* command : {"upgrade", "undo", "status"}) {
        const auto next = run_cli(both.work.path(), {command});
        EXPECT_EQ(next.exit_code, 9) << command << next.output << next.error_output;
        EXPECT_THAT(next.error_output, HasSubstr("b.txt"));
        EXPECT_EQ(both.work.read("b.txt"), "written after the crash\n");
    }
    EXPECT_TRUE(both.work.exists(".git/carry/journal"));
    // What the message asks for: the file out of the way, then any command goes on.
    both.work.write("b.txt", "new\n");
    EXPECT_EQ(run_cli(both.work.path(), {"status"}).exit_code, 0);
    EXPECT_FALSE(both.work.exists(".git/carry/journal"));
    EXPECT_EQ(both.work.git("status", "--short"), " M a.txt\n");
}

} // namespace
} // namespace carry::test
