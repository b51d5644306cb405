#include "commands.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"

#include <carry/error.hpp>

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

/// What nothing but a log or git-carry itself still knows is gone then.
void collect_garbage(const TempRepo& work) {
    work.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all");
    work.git("gc", "-q", "--prune=now");
}

TEST(Undo, OfAnUndoBringsTheUpgradeBack) {
    const auto both = with_every_layer();
    const auto before = fingerprint(both.work.path());
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    const auto after = fingerprint(both.work.path());
    for (int n = 0; n < 2; ++n) {
        collect_garbage(both.work);
        EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
        EXPECT_EQ(fingerprint(both.work.path()), before);
        collect_garbage(both.work);
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

TEST(Undo, IsProven) {
    const auto both = with_every_layer();
    const auto upgraded = upgrade_with(both.work);
    EXPECT_FALSE(upgraded.proof);
    const auto report = undo(request_for(both.work), std::nullopt);
    ASSERT_TRUE(report.proof);
    EXPECT_EQ(report.proof->run, upgraded.run);
    EXPECT_THAT(report.proof->differs, ::testing::IsEmpty());
    EXPECT_EQ(report.proof->files, 3U) << "a.txt, gone.txt, fresh/file.txt";
}

TEST(Undo, SaysWhatIsNotAsItWas) {
    const auto both = with_every_layer();
    const auto upgraded = upgrade_with(both.work);
    const auto kept = ".git/carry/runs/" + upgraded.run + "/fingerprint.json";
    auto text = both.work.read(kept);
    const std::string index = "\"index\": \"", digest = "\"digest\": \"";
    for (const auto& key : {index, digest}) {
        auto& digit = text.at(text.find(key) + key.size());
        digit = digit == '0' ? '1' : '0';
    }
    both.work.write(kept, text);
    const auto report = undo(request_for(both.work), std::nullopt);
    EXPECT_EQ(report.exit_code, 9);
    EXPECT_THAT(report.proof.value().differs, ElementsAre("the index", "the record of the files"));
    EXPECT_EQ(report.warnings.size(), 2U);
}

TEST(Undo, OfAnOldRunTellsWhatGoesWithItAndNeedsForce) {
    const auto both = with_every_layer();
    const auto before = fingerprint(both.work.path());
    const auto first = upgrade_with(both.work);
    both.upstream.write("fresh/file.txt", "fresher\n");
    both.upstream.commit("Upstream goes on");
    const auto second = upgrade_with(both.work);
    both.work.append("a.txt", "later\n");
    collect_garbage(both.work);
    const auto after = fingerprint(both.work.path());
    try {
        undo(request_for(both.work), first.run);
        FAIL() << "nothing was refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::refused);
        EXPECT_EQ(error.message(), "run " + first.run +
                                       " is not the last one: 1 newer run would be taken back with it: " + second.run +
                                       " (upgrade)");
        EXPECT_THAT(error.hints().front(), HasSubstr("git carry undo --force " + first.run));
        EXPECT_THAT(error.hints().front(), HasSubstr("up to 3 files"));
    }
    EXPECT_TRUE(same(after, fingerprint(both.work.path())));
    const auto report = undo(request_for(both.work), first.run, true);
    EXPECT_THAT(report.notes, ::testing::Contains("taken back with it: " + second.run + " (upgrade)"));
    EXPECT_THAT(report.saved, ElementsAre(HasSubstr("a.txt")));
    EXPECT_THAT(report.proof.value().differs, ::testing::IsEmpty());
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
    collect_garbage(both.work);
    EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
    EXPECT_TRUE(same(after, fingerprint(both.work.path())));
}

TEST(Undo, LeavesAnIgnoredFileWhereItIsAndSaysSo) {
    const auto both = UpstreamAndCheckout::with({{"a/b.txt", "1\n"}, {".gitignore", "*.o\n"}});
    both.upstream.remove("a");
    both.upstream.write("a", "a file\n");
    both.upstream.commit("A file");
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
    both.work.write("a/c.o", "built\n");
    const auto before = fingerprint(both.work.path());
    try {
        undo(request_for(both.work), std::nullopt);
        FAIL() << "nothing was refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::refused);
        EXPECT_THAT(error.hints(), ElementsAre("mv a/c.o ELSEWHERE"));
    }
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
}

TEST(Undo, WithNothingToReverseExitsZero) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    const auto report = undo(request_for(both.work), std::nullopt);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(report.outcome, Outcome::up_to_date);
}

} // namespace
} // namespace carry::test
