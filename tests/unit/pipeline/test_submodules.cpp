// Submodules that are checked out go the way of the checkout around them.
#include "commands.hpp"
#include "support/submodule_lab.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// The sentence with which an upgrade is refused, after which nothing has changed.
std::string refusal(const SubmoduleLab& lab, const std::vector<std::string>& submodules = {SubmoduleLab::sub}) {
    const auto before = fingerprints(lab.work, submodules);
    try {
        const auto report = upgrade_with(lab.work);
        ADD_FAILURE() << "exit " << report.exit_code;
        return {};
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::refused) << error.message();
        EXPECT_EQ(fingerprints(lab.work, submodules), before);
        return error.message() + " | " + (error.hints().empty() ? "" : error.hints().front());
    }
}

TEST(Submodules, ADirtyOneIsBumpedAndComesBack) {
    const auto lab = SubmoduleLab::make();
    const auto bumped = lab.bump();
    lab.edit(3, "lib 3 staged");
    lab.in_sub("add", "lib.txt");
    lab.edit(5, "lib 5 unstaged");
    lab.work.write("libs/sub/build.log", "log\n");
    lab.work.git("config", "submodule.libs/sub.ignore", "all"); // hides nothing from an upgrade
    lab.work.write("app.txt", set_line(numbered("line", 12), 2, "line 2 mine"));
    const auto before = lab.state();

    const auto planned = check(request_for(lab.work));
    EXPECT_EQ(planned.exit_code, 0);
    EXPECT_EQ(lab.state(), before);
    const auto report = upgrade_with(lab.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(patch_of(report, "libs/sub/lib.txt").layer, Layer::staged);
    EXPECT_THAT(patch_of(report, "libs/sub/lib.txt").patch_file, HasSubstr("submodules/libs/sub/patches/0001"));
    EXPECT_EQ(patch_of(report, "libs/sub/build.log").layer, Layer::untracked);
    EXPECT_THAT(report.notes, Contains(HasSubstr("submodule libs/sub")));

    EXPECT_EQ(lab.in_sub("rev-parse", "HEAD"), bumped);
    EXPECT_EQ(lab.recorded(), bumped);
    EXPECT_EQ(lab.in_sub("diff", "--cached", "-U0"), lab.in_sub("diff", "--cached", "-U0", bumped));
    const auto staged = set_line(set_line(numbered("lib", 20), 18, "lib 18 v2"), 3, "lib 3 staged");
    EXPECT_EQ(lab.in_sub("show", ":lib.txt") + "\n", staged);
    EXPECT_EQ(lab.work.read("libs/sub/lib.txt"), set_line(staged, 5, "lib 5 unstaged"));
    EXPECT_EQ(lab.work.read("libs/sub/build.log"), "log\n");
    EXPECT_EQ(lab.work.git("diff", "--ignore-submodules=dirty", "--name-only"), "app.txt\n");

    const auto after = lab.state();
    EXPECT_EQ(upgrade_with(lab.work).outcome, Outcome::up_to_date);
    EXPECT_EQ(lab.state(), after);
    for (int n = 0; n < 2; ++n) {
        lab.in_sub("gc", "-q", "--prune=now");
        EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
        EXPECT_EQ(lab.state(), before);
        EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
        EXPECT_EQ(lab.state(), after);
    }
    lab.in_sub("fsck", "--no-dangling");
}

TEST(Submodules, LocalCommitsAreRebasedOnTheirBranch) {
    const auto lab = SubmoduleLab::make();
    lab.in_sub("checkout", "-q", "-b", "mine");
    lab.edit(3, "lib 3 mine");
    lab.in_sub("commit", "-q", "-a", "-m", "Mine");
    lab.edit(6, "lib 6 dirty");
    const auto bumped = lab.bump();
    const auto old = lab.in_sub("rev-parse", "HEAD");
    const std::string hook = ".git/modules/libs/sub/hooks/post-checkout";
    lab.work.write(hook, "#!/bin/sh\necho \"$*\" > \"$(git rev-parse --git-dir)/heard\"\n");
    lab.work.make_executable(hook);
    lab.in_sub("config", "commit.gpgsign", "true");
    lab.in_sub("config", "gpg.program", "false");
    const auto before = lab.state();

    const auto report = upgrade_with(lab.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(lab.work.read(".git/modules/libs/sub/heard"), old + " " + lab.in_sub("rev-parse", "HEAD") + " 1\n");
    ASSERT_FALSE(report.warnings.empty());
    EXPECT_EQ(report.warnings[0].kind, "unsigned") << "git was asked to sign the submodule's commit";
    EXPECT_EQ(lab.recorded(), bumped);
    EXPECT_EQ(lab.in_sub("rev-parse", "mine~1"), bumped);
    EXPECT_EQ(lab.in_sub("symbolic-ref", "HEAD"), "refs/heads/mine");
    EXPECT_EQ(lab.work.git("diff", "--submodule=short", "--ignore-submodules=dirty", "--name-only"), "libs/sub\n");
    EXPECT_THAT(lab.in_sub("diff"), HasSubstr("+lib 6 dirty"));
    const auto after = lab.state();
    EXPECT_EQ(upgrade_with(lab.work).outcome, Outcome::up_to_date);
    EXPECT_EQ(lab.state(), after);
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(lab.state(), before);
    EXPECT_THAT(lab.work.read(".git/modules/libs/sub/heard"), HasSubstr(" " + old + " 1\n"));
}

TEST(Submodules, WithoutLocalCommitsHeadIsDetachedAndTheBranchStays) {
    const auto lab = SubmoduleLab::make();
    lab.in_sub("checkout", "-q", "-B", "main");
    const auto old = lab.in_sub("rev-parse", "HEAD");
    const auto bumped = lab.bump();
    const auto before = lab.state();
    EXPECT_EQ(upgrade_with(lab.work).exit_code, 0);
    EXPECT_EQ(lab.in_sub("rev-parse", "main"), old);
    EXPECT_EQ(lab.in_sub("rev-parse", "HEAD"), bumped);
    EXPECT_EQ(lab.in_sub("rev-parse", "--abbrev-ref", "HEAD"), "HEAD");
    EXPECT_EQ(lab.work.git("status", "--porcelain"), "");
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(lab.state(), before);
}

TEST(Submodules, AConflictInsideStopsEverything) {
    const auto lab = SubmoduleLab::make();
    lab.edit(18, "lib 18 mine");
    lab.work.write("app.txt", set_line(numbered("line", 12), 2, "line 2 mine"));
    static_cast<void>(lab.bump());
    const auto before = lab.state();
    const auto report = upgrade_with(lab.work);
    EXPECT_EQ(report.exit_code, 3);
    ASSERT_EQ(report.conflicts.size(), 1U);
    EXPECT_EQ(report.conflicts[0].path, "libs/sub/lib.txt");
    ASSERT_FALSE(report.conflicts[0].culprits.empty());
    EXPECT_EQ(report.conflicts[0].culprits[0].subject, "Library goes on");
    EXPECT_EQ(lab.state(), before);
}

TEST(Submodules, ConflictsInsideAreMarkedAndContinued) {
    const auto lab = SubmoduleLab::make();
    lab.in_sub("checkout", "-q", "-b", "mine");
    lab.edit(18, "lib 18 mine");
    lab.in_sub("commit", "-q", "-a", "-m", "Mine");
    lab.edit(20, "lib 20 dirty");
    const auto bumped = lab.bump();
    lab.work.write("app.txt", set_line(numbered("line", 12), 2, "line 2 mine"));
    const auto before = lab.state();

    const auto marked = upgrade_with(lab.work, OnConflict::mark);
    EXPECT_EQ(marked.exit_code, 4);
    EXPECT_EQ(lab.recorded(), bumped);
    EXPECT_EQ(lab.in_sub("rev-parse", "mine"), bumped);
    EXPECT_THAT(lab.work.read("libs/sub/lib.txt"), HasSubstr("<<<<<<< "));
    EXPECT_EQ(lab.in_sub("ls-files", "-u").empty(), false);
    EXPECT_EQ(lab.work.read("app.txt"),
              set_line(set_line(numbered("line", 12), 2, "line 2 mine"), 11, "line 11 upstream"));
    try {
        continue_run(request_for(lab.work));
        ADD_FAILURE() << "a file is not resolved";
    } catch (const Error& error) {
        EXPECT_THAT(error.message(), HasSubstr("in the submodule 'libs/sub': 'lib.txt' is not resolved yet"));
        EXPECT_THAT(error.hints(), Contains(HasSubstr("git -C libs/sub add lib.txt")));
    }
    const auto resolved = set_line(numbered("lib", 20), 18, "lib 18 both");
    lab.work.write("libs/sub/lib.txt", resolved);
    lab.in_sub("add", "lib.txt");
    const auto waiting = lab.state();
    EXPECT_EQ(continue_run(request_for(lab.work)).exit_code, 0);
    EXPECT_EQ(lab.in_sub("rev-parse", "mine~1"), bumped);
    EXPECT_EQ(lab.in_sub("log", "-1", "--format=%s"), "Mine");
    EXPECT_EQ(lab.in_sub("show", "HEAD:lib.txt") + "\n", resolved);
    EXPECT_EQ(lab.work.read("libs/sub/lib.txt"), set_line(resolved, 20, "lib 20 dirty"));
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(lab.state(), waiting);
    EXPECT_EQ(abort_run(request_for(lab.work)).exit_code, 0);
    EXPECT_EQ(lab.state(), before);
}

TEST(Submodules, BumpsOfBothSidesAreMergedWhereOneContainsTheOther) {
    const auto lab = SubmoduleLab::make();
    const auto second = lab.bump();
    const auto third = lab.bump("lib 20 v3", 20);
    lab.in_sub("fetch", "-q");
    const auto bump_here = [&](const std::string& id) { lab.in_sub("checkout", "-q", "--detach", id); };
    // Here one ahead of the base, upstream two: upstream's has both.
    for (const std::string layer : {"unstaged", "staged", "commit"}) {
        bump_here(second);
        if (layer != "unstaged")
            lab.work.stage("libs/sub");
        if (layer == "commit")
            lab.work.commit_staged("Bump here");
        const auto before = lab.state();
        EXPECT_EQ(upgrade_with(lab.work).exit_code, 0) << layer;
        EXPECT_EQ(lab.in_sub("rev-parse", "HEAD"), third) << layer;
        EXPECT_EQ(lab.work.git("status", "--porcelain"), "") << layer;
        EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
        EXPECT_EQ(lab.state(), before) << layer;
    }
    // Here ahead of upstream: ours stays, in its layer.
    lab.work.git("reset", "-q", "--hard", "HEAD~1");
    bump_here(third);
    lab.work.stage("libs/sub");
    lab.upstream.git("reset", "-q", "--hard", "HEAD~1");
    EXPECT_EQ(upgrade_with(lab.work).exit_code, 0);
    EXPECT_EQ(lab.recorded(), second);
    EXPECT_EQ(lab.in_sub("rev-parse", "HEAD"), third);
    EXPECT_EQ(lab.work.git("status", "--porcelain"), "M  libs/sub\n");
}

TEST(Submodules, BumpsThatDoNotContainEachOtherAreInConflict) {
    const auto lab = SubmoduleLab::make();
    const auto base = lab.library.head();
    lab.library.git("checkout", "-q", "-b", "other");
    lab.library.write("other.txt", "other\n");
    const auto other = lab.library.commit("Other");
    lab.library.git("checkout", "-q", "main");
    static_cast<void>(lab.bump());
    lab.in_sub("fetch", "-q");
    lab.in_sub("checkout", "-q", "--detach", other); // somebody's version, nothing to rebase
    const auto before = lab.state();
    const auto report = upgrade_with(lab.work);
    EXPECT_EQ(report.exit_code, 3);
    ASSERT_EQ(report.conflicts.size(), 1U);
    EXPECT_EQ(report.conflicts[0].kind, ConflictKind::submodule);
    EXPECT_EQ(report.conflicts[0].path, "libs/sub");
    EXPECT_THAT(report.conflicts[0].message, HasSubstr(other.substr(0, 9)));
    EXPECT_EQ(lab.state(), before);

    EXPECT_EQ(upgrade_with(lab.work, OnConflict::mark).exit_code, 4);
    EXPECT_EQ(lab.in_sub("rev-parse", "HEAD"), other) << "as git leaves it";
    EXPECT_THAT(lab.work.git("status", "--porcelain"), HasSubstr("UU libs/sub"));
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(lab.state(), before);
}

TEST(Submodules, OneThatUpstreamAddsIsNotCheckedOut) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    const auto library = UpstreamAndCheckout::with({{"lib.txt", "lib\n"}});
    both.upstream.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.upstream.url(), "sub");
    both.upstream.commit("Add a submodule");
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_THAT(report.notes, Contains(HasSubstr("git submodule update --init sub")));
    EXPECT_EQ(both.work.git("status", "--porcelain"), "");
    // A repository of the user's own where another one is to come is left alone.
    both.upstream.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.upstream.url(), "own");
    both.upstream.commit("Add another");
    both.work.git("clone", "-q", library.upstream.url(), "own");
    const auto before = fingerprints(both.work, {"own"});
    EXPECT_THROW(upgrade_with(both.work), Error);
    EXPECT_EQ(fingerprints(both.work, {"own"}), before);
}

TEST(Submodules, OneThatUpstreamRemovesStaysOnDisk) {
    const auto lab = SubmoduleLab::make();
    lab.upstream.git("rm", "-q", "libs/sub");
    lab.upstream.commit("Remove the library");
    const auto before = lab.state();
    const auto report = upgrade_with(lab.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_THAT(report.notes, Contains(HasSubstr("upstream removed the submodule libs/sub")));
    EXPECT_EQ(lab.work.git("status", "--porcelain"), "?? libs/\n");
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(lab.state(), before);

    // With local work in it, that is a conflict.
    lab.edit(3, "lib 3 mine");
    const auto dirty = lab.state();
    const auto stopped = upgrade_with(lab.work);
    EXPECT_EQ(stopped.exit_code, 3);
    ASSERT_EQ(stopped.conflicts.size(), 1U);
    EXPECT_EQ(stopped.conflicts[0].kind, ConflictKind::deleted_upstream);
    EXPECT_THAT(stopped.next, Not(Contains(HasSubstr("park")))) << "that would stop as well";
    EXPECT_EQ(upgrade_with(lab.work, OnConflict::park).exit_code, 3);
    EXPECT_EQ(lab.state(), dirty);
    EXPECT_EQ(upgrade_with(lab.work, OnConflict::mark).exit_code, 4);
    EXPECT_EQ(lab.work.git("status", "--porcelain"), "DU libs/sub\n");
    EXPECT_THAT(lab.work.read("libs/sub/lib.txt"), HasSubstr("lib 3 mine"));
    lab.work.stage("libs/sub");
    EXPECT_EQ(continue_run(request_for(lab.work)).exit_code, 0);
    EXPECT_EQ(lab.work.git("status", "--porcelain"), "AM libs/sub\n") << "kept, and dirty as it was";
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    lab.work.git("rm", "-q", "-f", "--cached", "libs/sub");
    EXPECT_EQ(continue_run(request_for(lab.work)).exit_code, 0);
    EXPECT_EQ(lab.work.git("status", "--porcelain"), "?? libs/\n") << "let go";
    EXPECT_EQ(undo(request_for(lab.work), report.run, true).exit_code, 0);
    EXPECT_EQ(lab.work.read("libs/sub/lib.txt"), set_line(numbered("lib", 20), 3, "lib 3 mine"));
}

TEST(Submodules, FilesInTheirPlace) {
    const auto lab = SubmoduleLab::make();
    lab.upstream.git("rm", "-q", "libs/sub");
    lab.upstream.write("libs/sub/lib.txt", "a file now\n");
    lab.upstream.commit("A directory instead of the library");
    EXPECT_THAT(refusal(lab), HasSubstr("git submodule deinit libs/sub"));
    lab.upstream.git("rm", "-q", "-r", "libs/sub");
    lab.upstream.write("libs/sub", "a file\n");
    lab.upstream.commit("A file instead of it");
    EXPECT_THAT(refusal(lab), HasSubstr("git submodule deinit libs/sub"));
    lab.upstream.git("reset", "-q", "--hard", "HEAD~1");
    lab.work.git("submodule", "--quiet", "deinit", "libs/sub");
    EXPECT_EQ(upgrade_with(lab.work).exit_code, 0);
    EXPECT_EQ(lab.work.read("libs/sub/lib.txt"), "a file now\n");
    EXPECT_EQ(lab.work.git("status", "--porcelain"), "");
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(lab.work.git("status", "--porcelain"), "");
    EXPECT_FALSE(lab.work.exists("libs/sub/lib.txt"));
}

TEST(Submodules, TheConfiguredWayOfUpdatingCounts) {
    const auto lab = SubmoduleLab::make();
    lab.in_sub("checkout", "-q", "-B", "main");
    lab.upstream.git("config", "-f", ".gitmodules", "submodule.libs/sub.url", "../elsewhere");
    lab.upstream.stage(".gitmodules");
    const auto bumped = lab.bump();
    lab.work.git("config", "submodule.libs/sub.update", "!true");
    EXPECT_THAT(refusal(lab), HasSubstr("is updated by a command of its own"));
    lab.work.git("config", "submodule.libs/sub.update", "none");
    const auto old = lab.in_sub("rev-parse", "HEAD");
    const auto stays = upgrade_with(lab.work);
    EXPECT_EQ(stays.exit_code, 0);
    EXPECT_THAT(stays.notes, Contains(HasSubstr("libs/sub stays where it is: its update is configured as none")));
    EXPECT_EQ(lab.recorded(), bumped);
    EXPECT_EQ(lab.in_sub("rev-parse", "HEAD"), old);
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    lab.work.git("config", "submodule.libs/sub.update", "rebase");
    const auto before = lab.state();
    const auto report = upgrade_with(lab.work);
    EXPECT_THAT(report.notes, Contains(HasSubstr("git submodule sync libs/sub")));
    EXPECT_EQ(lab.in_sub("rev-parse", "main"), bumped);
    EXPECT_EQ(lab.in_sub("symbolic-ref", "HEAD"), "refs/heads/main");
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(lab.state(), before);
}

TEST(Submodules, RefusesWhatItCannotCarry) {
    const auto lab = SubmoduleLab::make();
    lab.record(std::string(40, '1'));
    EXPECT_THAT(refusal(lab), HasSubstr("commit 111111111 of the submodule 'libs/sub' cannot be fetched"));

    lab.upstream.git("reset", "-q", "--hard", "HEAD~1");
    static_cast<void>(lab.bump());
    lab.work.git("fetch", "-q", "--no-recurse-submodules");
    const auto before = lab.state();
    try {
        upgrade(request_for(lab.work, [](Settings& settings) { settings.offline = true; }));
        ADD_FAILURE() << "nobody has fetched the submodule's commit";
    } catch (const Error& error) {
        EXPECT_THAT(error.message(), HasSubstr("of the submodule 'libs/sub' is not to be had"));
        EXPECT_EQ(lab.state(), before);
    }
    lab.edit(4, "mine");
    lab.in_sub("commit", "-q", "-a", "-m", "Mine");
    lab.work.git_status("-C", "libs/sub", "revert", "-n", "HEAD");
    EXPECT_THAT(refusal(lab), HasSubstr("a revert is in progress"));
    EXPECT_THAT(refusal(lab), HasSubstr("git -C libs/sub revert --continue"));
}

} // namespace
} // namespace carry::test
