// Resolutions of marked conflicts: remembered, used in the next plan, and exchanged with git's own rerere.
#include "commands.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace carry::test {
namespace {

namespace fs = std::filesystem;

const std::string resolved_line = "mine and theirs";

/// a.txt is changed in the same line here and upstream.
UpstreamAndCheckout colliding() {
    auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}, {"b.txt", numbered("b", 30)}});
    both.upstream.write("a.txt", set_line(numbered("a", 30), 10, "theirs"));
    both.upstream.commit("Collide");
    return both;
}

std::string resolved() {
    return set_line(numbered("a", 30), 10, resolved_line);
}

void mark_and_resolve(const TempRepo& work) {
    ASSERT_EQ(upgrade_with(work, OnConflict::mark).outcome, Outcome::marked);
    work.write("a.txt", resolved());
    work.stage("a.txt");
    ASSERT_EQ(continue_run(request_for(work)).outcome, Outcome::continued);
}

std::size_t entries(const fs::path& directory) {
    std::error_code error;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory, error), fs::directory_iterator()));
}

TEST(Remember, AResolutionIsUsedInEveryLayerAndCanBeSwitchedOff) {
    const auto both = colliding();
    const auto& work = both.work;
    work.write("a.txt", set_line(numbered("a", 30), 10, "mine"));
    mark_and_resolve(work);
    EXPECT_FALSE(fs::exists(work.git_directory() / "rr-cache")) << "nothing may switch git's own rerere on";
    EXPECT_EQ(entries(work.git_directory() / "carry/rr-cache"), 1U);
    ASSERT_EQ(undo(request_for(work), runs(request_for(work)).front().id).exit_code, 0);

    const auto off = upgrade(request_for(work, [](Settings& settings) { settings.resolutions = false; }));
    EXPECT_EQ(off.outcome, Outcome::stopped);
    // Something more upstream, elsewhere in the file, and a change of ours next to nothing.
    both.upstream.write("a.txt", "new\n" + set_line(numbered("a", 30), 10, "theirs"));
    both.upstream.commit("Shift");
    const auto upgraded = upgrade_with(work);
    ASSERT_EQ(upgraded.outcome, Outcome::upgraded);
    EXPECT_EQ(work.read("a.txt"), "new\n" + resolved());
    const auto& patch = patch_of(upgraded, "a.txt");
    EXPECT_EQ(patch.fate, Fate::resolved);
    ASSERT_EQ(patch.hunks.size(), 1U);
    EXPECT_EQ(patch.hunks.front().fate, Fate::resolved);
    EXPECT_THAT(patch.hunks.front().reason, ::testing::MatchesRegex("recorded resolution [0-9a-f]{9} of 20[0-9-]{8}"));
    ASSERT_TRUE(patch.hunks.front().new_lines);
    EXPECT_EQ(patch.hunks.front().new_lines->first, 11U);
    EXPECT_EQ(patch.hunks.front().new_lines->last, 11U);

    // The same change staged, and committed.
    ASSERT_EQ(undo(request_for(work), {}).exit_code, 0);
    work.stage("a.txt");
    ASSERT_EQ(upgrade_with(work).outcome, Outcome::upgraded);
    EXPECT_EQ(work.git("status", "--porcelain"), "M  a.txt\n");
    EXPECT_EQ(work.read("a.txt"), "new\n" + resolved());
    ASSERT_EQ(undo(request_for(work), {}).exit_code, 0);
    work.commit("mine");
    ASSERT_EQ(upgrade_with(work).outcome, Outcome::upgraded);
    EXPECT_EQ(work.git("log", "--format=%s", "origin/main.."), "mine\n");
    EXPECT_EQ(work.git("show", "HEAD:a.txt"), "new\n" + resolved());
    EXPECT_EQ(work.git("status", "--porcelain"), "");
}

TEST(Remember, AParkedPatchComesBackOnceItsConflictWasResolvedSomewhere) {
    const auto both = colliding();
    const auto& work = both.work;
    const auto other = TempRepo::clone_of(both.upstream);
    work.write("a.txt", set_line(numbered("a", 30), 10, "mine"));
    ASSERT_EQ(upgrade_with(work, OnConflict::park).outcome, Outcome::parked);
    // Another checkout, before the collision, resolves it; its memory is copied over.
    other.git("reset", "-q", "--hard", "HEAD~1");
    other.write("a.txt", set_line(numbered("a", 30), 10, "mine"));
    mark_and_resolve(other);
    fs::copy(other.git_directory() / "carry/rr-cache", work.git_directory() / "carry/rr-cache",
             fs::copy_options::recursive);
    ASSERT_EQ(upgrade_with(work).exit_code, 0);
    EXPECT_EQ(work.read("a.txt"), resolved());
}

TEST(Remember, WhatIsAbortedOrHoldsMarkersIsNotRemembered) {
    const auto both = colliding();
    const auto& work = both.work;
    work.write("a.txt", set_line(numbered("a", 30), 10, "mine"));
    ASSERT_EQ(upgrade_with(work, OnConflict::mark).exit_code, 4);
    const auto marked = work.read("a.txt");
    work.write("a.txt", resolved());
    work.stage("a.txt");
    ASSERT_EQ(abort_run(request_for(work)).exit_code, 0);
    EXPECT_EQ(upgrade_with(work).outcome, Outcome::stopped);

    ASSERT_EQ(upgrade_with(work, OnConflict::mark).exit_code, 4);
    work.write("a.txt", marked + "not done\n");
    work.stage("a.txt");
    ASSERT_EQ(continue_run(request_for(work)).exit_code, 0) << "staged with its markers, as git allows it";
    EXPECT_EQ(entries(work.git_directory() / "carry/rr-cache"), 0U);
}

TEST(Remember, AFileResolvedButNotStagedIsRememberedByTheNextUpgrade) {
    const auto both = colliding();
    const auto& work = both.work;
    work.write("a.txt", set_line(numbered("a", 30), 10, "mine"));
    ASSERT_EQ(upgrade_with(work, OnConflict::mark).exit_code, 4);
    work.write("a.txt", resolved());
    const auto before = fingerprint(work.path());
    EXPECT_THROW(static_cast<void>(upgrade_with(work)), Error);
    EXPECT_TRUE(same(before, fingerprint(work.path())));
    ASSERT_EQ(abort_run(request_for(work)).exit_code, 0);
    ASSERT_EQ(upgrade_with(work).outcome, Outcome::upgraded);
    EXPECT_EQ(work.read("a.txt"), resolved());
}

TEST(Remember, AResolutionThatIsCommittedByHandIsRememberedAndStaysCommitted) {
    for (const bool commit : {false, true}) {
        const auto both = colliding();
        const auto& work = both.work;
        work.write("a.txt", set_line(numbered("a", 30), 10, "mine"));
        if (commit)
            work.commit("mine");
        ASSERT_EQ(upgrade_with(work, OnConflict::mark).outcome, Outcome::marked);
        work.write("a.txt", resolved());
        work.commit("by hand");
        const auto done = continue_run(request_for(work));
        ASSERT_EQ(done.outcome, Outcome::continued);
        EXPECT_THAT(done.notes, ::testing::ElementsAre("1 resolution is remembered"));
        EXPECT_EQ(work.git("log", "--format=%s", "origin/main.."), "by hand\n");
        EXPECT_EQ(work.git("status", "--porcelain"), "");
        EXPECT_EQ(work.read("a.txt"), resolved());
        ASSERT_EQ(undo(request_for(work), runs(request_for(work)).front().id).exit_code, 0);
        ASSERT_EQ(upgrade_with(work).outcome, Outcome::upgraded);
        EXPECT_EQ(work.read("a.txt"), resolved());
    }
}

/// What git recorded in a rebase or a merge of its own.
TEST(Remember, WhatGitRecordedIsUsed) {
    for (const std::string style : {"merge", "diff3"}) {
        const auto both = colliding();
        const auto& work = both.work;
        work.git("config", "rerere.enabled", "true");
        work.git("config", "merge.conflictStyle", style);
        work.write("a.txt", set_line(set_line(numbered("a", 30), 10, "mine"), 11, "mine too"));
        work.commit("mine");
        work.git("fetch", "-q");
        EXPECT_NE(work.git_status("rebase", "-q", "origin/main"), 0);
        work.write("a.txt", resolved());
        work.stage("a.txt");
        work.git("-c", "core.editor=true", "rebase", "--continue");
        work.git("reset", "-q", "--hard", "ORIG_HEAD");
        const auto upgraded = upgrade_with(work);
        ASSERT_EQ(upgraded.outcome, Outcome::upgraded) << style;
        EXPECT_EQ(patch_of(upgraded, "a.txt").fate, Fate::resolved);
        EXPECT_EQ(work.read("a.txt"), resolved());
        EXPECT_EQ(work.git("log", "--format=%s", "-2"), "mine\nCollide\n");
    }
}

TEST(Remember, GitUsesWhatWasRecordedHere) {
    const auto both = colliding();
    const auto& work = both.work;
    work.git("config", "rerere.enabled", "true");
    work.write("a.txt", set_line(set_line(numbered("a", 30), 10, "mine"), 11, "mine too"));
    work.commit("mine");
    const auto before = work.head();
    ASSERT_EQ(upgrade_with(work, OnConflict::mark).outcome, Outcome::marked);
    EXPECT_EQ(work.git("rerere", "status"), "a.txt\n") << "git knows of the conflict";
    EXPECT_EQ(work.git("rerere", "remaining"), "a.txt\n");
    work.write("a.txt", resolved());
    work.stage("a.txt");
    ASSERT_EQ(continue_run(request_for(work)).outcome, Outcome::continued);
    EXPECT_EQ(work.git("rerere", "status"), "");
    for (const std::string style : {"merge", "diff3", "zdiff3"}) {
        work.git("reset", "-q", "--hard", before);
        work.git_status("-c", "merge.conflictStyle=" + style, "merge", "-q", "origin/main");
        EXPECT_EQ(work.read("a.txt"), resolved()) << style;
        work.git("merge", "--abort");
    }
}

TEST(Remember, WhatWasRecordedBeforeGitsRerereWasSwitchedOnMovesThere) {
    const auto both = colliding();
    const auto& work = both.work;
    work.write("a.txt", set_line(numbered("a", 30), 10, "mine"));
    mark_and_resolve(work);
    work.git("config", "rerere.enabled", "true");
    both.upstream.write("b.txt", set_line(numbered("b", 30), 10, "other"));
    both.upstream.commit("Collide again");
    work.write("b.txt", set_line(numbered("b", 30), 10, "own"));
    ASSERT_EQ(upgrade_with(work, OnConflict::mark).outcome, Outcome::marked);
    work.write("b.txt", numbered("b", 30));
    work.stage("b.txt");
    ASSERT_EQ(continue_run(request_for(work)).outcome, Outcome::continued);
    EXPECT_EQ(entries(work.git_directory() / "carry/rr-cache"), 0U);
    EXPECT_EQ(entries(work.git_directory() / "rr-cache"), 2U);
}

TEST(Remember, ConvertedLineEndings) {
    const auto both = colliding();
    const auto& work = both.work;
    work.git("config", "rerere.enabled", "true");
    work.git("config", "core.autocrlf", "true");
    work.git("rm", "-q", "--cached", "-r", ".");
    work.git("reset", "-q", "--hard");
    const auto crlf = [](std::string text) {
        for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
            text.insert(at, "\r");
        return text;
    };
    work.write("a.txt", crlf(set_line(numbered("a", 30), 10, "mine")));
    work.commit("mine");
    const auto before = work.head();
    work.git("fetch", "-q");
    EXPECT_NE(work.git_status("rebase", "-q", "origin/main"), 0);
    work.write("a.txt", crlf(resolved()));
    work.stage("a.txt");
    work.git("-c", "core.editor=true", "rebase", "--continue");
    work.git("reset", "-q", "--hard", before);
    ASSERT_EQ(upgrade_with(work).outcome, Outcome::upgraded) << "git recorded it with CRLF";
    EXPECT_EQ(work.git("show", "HEAD:a.txt"), resolved());
    EXPECT_EQ(work.read("a.txt"), crlf(resolved()));

    work.git("reset", "-q", "--hard", before);
    fs::remove_all(work.git_directory() / "rr-cache");
    ASSERT_EQ(upgrade_with(work, OnConflict::mark).outcome, Outcome::marked);
    work.write("a.txt", crlf(resolved()));
    work.stage("a.txt");
    ASSERT_EQ(continue_run(request_for(work)).outcome, Outcome::continued);
    work.git("reset", "-q", "--hard", before);
    work.git_status("merge", "-q", "origin/main");
    EXPECT_EQ(work.read("a.txt"), crlf(resolved())) << "git finds it in its own form";
}

} // namespace
} // namespace carry::test
