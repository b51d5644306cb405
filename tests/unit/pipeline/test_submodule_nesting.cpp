// Submodules in submodules, in linked worktrees, and with a git directory of their own.
#include "commands.hpp"
#include "support/submodule_lab.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

/// libs/sub has a submodule of its own, deep.
TEST(Submodules, InOneAnother) {
    const auto lab = SubmoduleLab::make();
    const auto deep = UpstreamAndCheckout::with({{"deep.txt", numbered("deep", 20)}});
    const std::string deeper = "libs/sub/deep";
    lab.library.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", deep.upstream.url(), "deep");
    lab.record(lab.library.commit("Add the deep one"));
    EXPECT_EQ(upgrade_with(lab.work).exit_code, 0);
    SubmoduleLab::check_out(lab.work);

    deep.upstream.write("deep.txt", set_line(numbered("deep", 20), 18, "deep 18 v2"));
    const auto bumped = deep.upstream.commit("Deep goes on");
    lab.library.git("update-index", "--cacheinfo", "160000," + bumped + ",deep");
    lab.record(lab.library.commit_staged("Bump the deep one"));
    lab.work.write(deeper + "/deep.txt", set_line(numbered("deep", 20), 3, "deep 3 mine"));
    const auto state = [&] { return fingerprints(lab.work, {SubmoduleLab::sub, deeper}); };
    const auto before = state();
    const auto report = upgrade_with(lab.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(patch_of(report, "libs/sub/deep/deep.txt").fate, Fate::kept);
    EXPECT_EQ(lab.work.git_line("-C", deeper, "rev-parse", "HEAD"), bumped);
    EXPECT_EQ(lab.work.read(deeper + "/deep.txt"),
              set_line(set_line(numbered("deep", 20), 18, "deep 18 v2"), 3, "deep 3 mine"));
    EXPECT_EQ(lab.work.git("status", "--porcelain", "--ignore-submodules=dirty"), "");
    EXPECT_EQ(undo(request_for(lab.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(state(), before);

    // A failed verification takes all of them back.
    const auto failed = upgrade(request_for(
        lab.work, [](Settings& settings) { settings.verify = {"grep -q v2 libs/sub/deep/deep.txt && exit 3"}; }));
    EXPECT_EQ(failed.exit_code, 5);
    EXPECT_EQ(state(), before);
    EXPECT_EQ(lab.work.git("-C", deeper, "for-each-ref", "refs/carry").empty(), false);
}

TEST(Submodules, WithTheirGitDirectoryInsideAndInALinkedWorktree) {
    const auto lab = SubmoduleLab::make();
    lab.work.git("worktree", "add", "-q", "-b", "linked", "../linked", "origin/main");
    lab.work.git("branch", "-q", "--set-upstream-to=origin/main", "linked");
    const auto linked = lab.work.path().parent_path() / "linked";
    lab.work.git("-C", linked.string(), "clone", "-q", lab.library.url(), "libs/sub"); // not absorbed
    const auto bumped = lab.bump();
    const auto in_sub = [&](const std::string& arg) {
        return lab.work.git_line("-C", (linked / "libs/sub").string(), "rev-parse", arg);
    };
    Request request;
    request.directory = linked;
    const auto old = in_sub("HEAD");
    ASSERT_NE(old, bumped);
    EXPECT_EQ(upgrade(request).exit_code, 0);
    EXPECT_EQ(in_sub("HEAD"), bumped);
    EXPECT_EQ(in_sub("main"), old);
    EXPECT_EQ(lab.work.git("-C", linked.string(), "status", "--porcelain"), "");
    EXPECT_EQ(undo(request, std::nullopt).exit_code, 0);
    EXPECT_EQ(in_sub("HEAD"), old);
    EXPECT_EQ(lab.recorded(), old) << "the main worktree is another checkout";
}

} // namespace
} // namespace carry::test
