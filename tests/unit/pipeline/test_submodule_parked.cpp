// Conflicts inside submodules are set aside there, and tried again.
#include "commands.hpp"
#include "support/submodule_lab.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SubmoduleParked, AFileIsSetAsideInsideAndLandsWhereThereIsRoom) {
    const auto lab = SubmoduleLab::make();
    lab.edit(18, "lib 18 mine");
    lab.in_sub("add", "lib.txt");
    lab.work.write("libs/sub/fine.txt", "fine\n");
    lab.work.write("app.txt", set_line(numbered("line", 12), 2, "line 2 mine"));
    const auto bumped = lab.bump();
    const auto before = lab.state();

    EXPECT_EQ(
        check(request_for(lab.work, [](Settings& settings) { settings.on_conflict = OnConflict::park; })).exit_code, 4);
    EXPECT_EQ(lab.state(), before);
    const auto report = upgrade_with(lab.work, OnConflict::park);
    EXPECT_EQ(report.exit_code, 4);
    EXPECT_THAT(report.parked, ElementsAre("libs/sub/lib.txt"));
    EXPECT_EQ(patch_of(report, "libs/sub/lib.txt").fate, Fate::parked);
    EXPECT_EQ(patch_of(report, "libs/sub/lib.txt").parked_as, "libs/sub/lib.txt");
    EXPECT_EQ(lab.in_sub("rev-parse", "HEAD"), bumped);
    EXPECT_EQ(lab.in_sub("status", "--porcelain"), "?? fine.txt");
    EXPECT_THAT(lab.work.read("app.txt"), HasSubstr("line 2 mine"));
    const auto after = lab.state();
    EXPECT_THAT(status(request_for(lab.work)).parked, ElementsAre("libs/sub/lib.txt"));
    EXPECT_EQ(upgrade_with(lab.work).exit_code, 4) << "as long as anything is parked";
    EXPECT_EQ(lab.state(), after);

    // Undo brings it back into the submodule, an undo of that sets it aside again.
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(lab.state(), before);
    EXPECT_THAT(status(request_for(lab.work)).parked, IsEmpty());
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(lab.state(), after);
    EXPECT_THAT(status(request_for(lab.work)).parked, ElementsAre("libs/sub/lib.txt"));

    // Still in the way after the next bump, and not a new conflict; then upstream makes room.
    static_cast<void>(lab.bump("lib 5 v3", 5));
    EXPECT_EQ(upgrade_with(lab.work).exit_code, 4);
    lab.work.git("gc", "-q", "--prune=now");
    lab.in_sub("gc", "-q", "--prune=now");
    static_cast<void>(lab.bump("lib 18", 18));
    const auto again = upgrade_with(lab.work);
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_THAT(again.parked, IsEmpty());
    EXPECT_EQ(lab.in_sub("status", "--porcelain"), "M  lib.txt\n?? fine.txt");
    EXPECT_THAT(lab.work.read("libs/sub/lib.txt"), HasSubstr("lib 18 mine"));
    EXPECT_EQ(upgrade_with(lab.work).exit_code, 0);
}

TEST(SubmoduleParked, ACommitIsTriedAgainWhereTheSubmoduleStays) {
    const auto lab = SubmoduleLab::make();
    lab.in_sub("checkout", "-q", "-B", "main");
    lab.edit(18, "lib 18 mine");
    lab.in_sub("commit", "-q", "-a", "-m", "Mine");
    lab.work.write("libs/sub/fine.txt", "fine\n");
    const auto bumped = lab.bump();
    const auto before = lab.state();

    const auto report = upgrade_with(lab.work, OnConflict::park);
    EXPECT_EQ(report.exit_code, 4);
    EXPECT_THAT(report.parked, ElementsAre("libs/sub/Mine"));
    EXPECT_EQ(patch_of(report, "libs/sub").fate, Fate::parked) << "not absorbed";
    EXPECT_EQ(lab.in_sub("rev-parse", "main"), bumped);
    EXPECT_EQ(lab.in_sub("status", "--porcelain"), "?? fine.txt");

    // A commit of the user's own makes room; neither upstream nor the checkout around it moves the submodule.
    lab.edit(18, "lib 18");
    lab.in_sub("commit", "-q", "-a", "-m", "Take it back");
    const auto own = lab.in_sub("rev-parse", "HEAD");
    const auto committed = lab.state();
    EXPECT_EQ(check(request_for(lab.work)).outcome, Outcome::planned);
    EXPECT_EQ(lab.state(), committed);
    const auto again = upgrade_with(lab.work);
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_EQ(lab.in_sub("rev-parse", "main~1"), own);
    EXPECT_EQ(lab.in_sub("log", "-1", "--format=%s"), "Mine");
    EXPECT_EQ(lab.in_sub("symbolic-ref", "HEAD"), "refs/heads/main");
    EXPECT_THAT(lab.work.read("libs/sub/lib.txt"), HasSubstr("lib 18 mine"));
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(lab.state(), committed);
    EXPECT_THAT(status(request_for(lab.work)).parked, ElementsAre("libs/sub/Mine"));
    // What is in progress in a submodule that stays is no reason to refuse.
    lab.work.git_status("-C", "libs/sub", "revert", "-n", "HEAD");
    lab.upstream.write("app.txt", numbered("line", 12));
    lab.upstream.stage("app.txt");
    lab.upstream.commit_staged("App only");
    const auto untried = upgrade_with(lab.work);
    EXPECT_EQ(untried.exit_code, 4);
    EXPECT_THAT(untried.notes, Contains(HasSubstr("what is set aside in libs/sub is not tried: in the submodule")));
    lab.in_sub("revert", "--abort");
    EXPECT_EQ(undo(request_for(lab.work), report.run, true).exit_code, 0);
    EXPECT_EQ(lab.in_sub("log", "-1", "--format=%s"), "Mine");
    EXPECT_THAT(status(request_for(lab.work)).parked, IsEmpty());
}

/// libs/sub has a submodule of its own, deep, and both are in conflict; so is the app under `mark` later.
TEST(SubmoduleParked, InOneAnotherAndBesideMarks) {
    const auto lab = SubmoduleLab::make();
    const auto deep = UpstreamAndCheckout::with({{"deep.txt", numbered("deep", 20)}});
    const std::string deeper = "libs/sub/deep";
    lab.library.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", deep.upstream.url(), "deep");
    lab.record(lab.library.commit("Add the deep one"));
    EXPECT_EQ(upgrade_with(lab.work).exit_code, 0);
    SubmoduleLab::check_out(lab.work);
    const auto bump_deep = [&](const std::string& text) {
        deep.upstream.write("deep.txt", text);
        lab.library.git("update-index", "--cacheinfo", "160000," + deep.upstream.commit("Deep goes on") + ",deep");
        lab.record(lab.library.commit_staged("Bump the deep one"));
    };
    bump_deep(set_line(numbered("deep", 20), 18, "deep 18 v2"));
    lab.work.write(deeper + "/deep.txt", set_line(numbered("deep", 20), 18, "deep 18 mine"));
    const auto state = [&] { return fingerprints(lab.work, {SubmoduleLab::sub, deeper}); };
    const auto before = state();
    EXPECT_THAT(upgrade_with(lab.work, OnConflict::park).parked, ElementsAre("libs/sub/deep/deep.txt"));
    EXPECT_EQ(lab.work.git("-C", deeper, "status", "--porcelain"), "");
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(state(), before);
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);

    // The app's own conflict is marked, what waits in no submodule lands there.
    lab.work.write("app.txt", set_line(lab.work.read("app.txt"), 5, "line 5 mine"));
    lab.upstream.write("app.txt", set_line(lab.upstream.read("app.txt"), 5, "line 5 theirs"));
    bump_deep(numbered("deep", 20));
    const auto unmarked = state();
    EXPECT_EQ(upgrade_with(lab.work, OnConflict::mark).exit_code, 4);
    EXPECT_THAT(lab.work.git("-C", deeper, "diff"), HasSubstr("+deep 18 mine"));
    EXPECT_THAT(status(request_for(lab.work)).parked, IsEmpty());
    EXPECT_EQ(abort_run(request_for(lab.work)).exit_code, 0);
    EXPECT_EQ(state(), unmarked);
    EXPECT_THAT(status(request_for(lab.work)).parked, ElementsAre("libs/sub/deep/deep.txt"));
    // Verification fails: it stays set aside.
    lab.work.git("checkout", "-q", "app.txt");
    const auto failed = upgrade(request_for(lab.work, [](Settings& settings) { settings.verify = {"exit 3"}; }));
    EXPECT_EQ(failed.exit_code, 5);
    EXPECT_EQ(lab.work.git("-C", deeper, "status", "--porcelain"), "");
    EXPECT_THAT(status(request_for(lab.work)).parked, ElementsAre("libs/sub/deep/deep.txt"));
}

} // namespace
} // namespace carry::test
