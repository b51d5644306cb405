#include "commands.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

#include <algorithm>

namespace carry::test {
namespace {

using ::testing::HasSubstr;

TEST(PipelineUpgrade, NamesTheCommitThatAbsorbedAHunk) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}});
    both.work.write("a.txt", set_line(numbered("a", 30), 5, "fixed"));
    both.upstream.write("a.txt", set_line(numbered("a", 30), 5, "fixed"));
    const auto fix = both.upstream.commit("Fix line five");
    both.upstream.write("a.txt", set_line(set_line(numbered("a", 30), 5, "fixed"), 25, "more"));
    both.upstream.commit("More");

    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    const auto& patch = patch_of(report, "a.txt");
    EXPECT_EQ(patch.fate, Fate::absorbed);
    ASSERT_TRUE(patch.by);
    EXPECT_EQ(patch.by->id, fix);
    EXPECT_EQ(both.work.git("status", "--porcelain"), "");
}

TEST(PipelineUpgrade, NamesTheCommitsThatCollide) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}});
    both.work.write("a.txt", set_line(numbered("a", 30), 10, "mine"));
    both.upstream.write("a.txt", set_line(numbered("a", 30), 28, "elsewhere"));
    both.upstream.commit("Elsewhere");
    both.upstream.write("a.txt", set_line(set_line(numbered("a", 30), 28, "elsewhere"), 10, "theirs"));
    const auto culprit = both.upstream.commit("Rework line ten");

    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 3);
    ASSERT_EQ(report.conflicts.size(), 1U);
    ASSERT_EQ(report.conflicts[0].culprits.size(), 1U);
    EXPECT_EQ(report.conflicts[0].culprits[0].id, culprit);
    ASSERT_TRUE(report.conflicts[0].yours);
    EXPECT_EQ(report.conflicts[0].yours->first, 10U);
    EXPECT_EQ(report.conflicts[0].yours->last, 10U);
}

TEST(PipelineUpgrade, AFileThatUpstreamStoppedTrackingAndIgnoresStays) {
    const auto both = UpstreamAndCheckout::with({{"config.ini", numbered("key", 12)}, {"a.txt", "1\n"}});
    const auto mine = set_line(numbered("key", 12), 3, "secret");
    both.work.write("config.ini", mine);
    both.upstream.git("rm", "-q", "--cached", "config.ini");
    both.upstream.write(".gitignore", "/config.ini\n");
    both.upstream.commit("Untrack the configuration");
    const auto before = fingerprint(both.work.path());

    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(both.work.read("config.ini"), mine);
    EXPECT_EQ(both.work.git("ls-files", "config.ini"), "");
    EXPECT_THAT(patch_of(report, "config.ini").note, HasSubstr("ignores it now"));
    EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(fingerprint(both.work.path()), before);
}

TEST(PipelineUpgrade, SubmodulesThatAreNotCheckedOutMoveWithUpstream) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    const auto id = both.upstream.head();
    both.upstream.git("update-index", "--add", "--cacheinfo", "160000," + id + ",libs/sub");
    both.upstream.commit_staged("Add a submodule");
    const auto before = fingerprint(both.work.path());
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    EXPECT_EQ(both.work.git("status", "--porcelain"), "");
    EXPECT_TRUE(both.work.exists("libs/sub"));
    EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(fingerprint(both.work.path()), before);
    EXPECT_FALSE(both.work.exists("libs"));
}

TEST(PipelineUpgrade, AMergedHistoryGetsUpstreamMergedIn) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}, {"b.txt", "1\n"}});
    const auto& work = both.work;
    work.git("checkout", "-q", "-b", "feature");
    work.write("b.txt", "2\n");
    work.commit("Feature");
    work.git("checkout", "-q", "main");
    work.write("a.txt", set_line(numbered("a", 30), 3, "mine"));
    work.commit("Local");
    work.git("merge", "-q", "--no-edit", "feature");
    const auto merge = work.head();
    both.upstream.write("a.txt", set_line(numbered("a", 30), 25, "theirs"));
    const auto tip = both.upstream.commit("Upstream");

    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(work.git_line("rev-parse", "HEAD^1"), merge);
    EXPECT_EQ(work.git_line("rev-parse", "HEAD^2"), tip);
    EXPECT_EQ(work.read("a.txt"), set_line(set_line(numbered("a", 30), 3, "mine"), 25, "theirs"));
    const auto after = work.head();
    EXPECT_EQ(upgrade_with(work).outcome, Outcome::up_to_date);
    EXPECT_EQ(work.head(), after);
}

TEST(PipelineUpgrade, FollowsARenamedUpstreamBranch) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    both.upstream.git("branch", "-q", "-m", "main", "trunk");
    both.upstream.write("a.txt", "2\n");
    const auto tip = both.upstream.commit("On trunk");
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(both.work.head(), tip);
    ASSERT_FALSE(report.notes.empty());
    EXPECT_THAT(report.notes.front(), HasSubstr("origin/trunk"));
    EXPECT_EQ(both.work.git_line("config", "branch.main.merge"), "refs/heads/main");
}

TEST(PipelineUpgrade, WarnsOfABlockThatStandsTwice) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", numbered("line", 20)}});
    const std::string block = "  public Weight netWeight;\n  public Weight grossWeight;\n";
    const auto with_block = [&](std::size_t after) {
        std::string text;
        for (std::size_t n = 1; n <= 20; ++n)
            text += "line " + std::to_string(n) + "\n" + (n == after ? block : "");
        return text;
    };
    both.work.write("a.txt", with_block(4));
    both.upstream.write("a.txt", with_block(16));
    both.upstream.commit("Weights");
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_EQ(report.warnings[0].kind, "duplicate-block");
    EXPECT_EQ(report.warnings[0].path, "a.txt");
}

} // namespace
} // namespace carry::test
