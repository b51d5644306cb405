#include "commands.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"

#include <carry/error.hpp>

#include <gtest/gtest.h>

namespace carry::test {
namespace {

/// Three local commits of which the second collides, and every uncommitted layer on top.
UpstreamAndCheckout with_a_commit_in_conflict() {
    auto both = UpstreamAndCheckout::with(
        {{"a.txt", numbered("a", 30)}, {"b.txt", numbered("b", 30)}, {"c.txt", numbered("c", 30)}});
    const auto& work = both.work;
    work.write("a.txt", set_line(numbered("a", 30), 3, "one"));
    work.commit("one");
    work.write("b.txt", set_line(numbered("b", 30), 10, "two"));
    work.commit("two");
    work.write("a.txt", set_line(work.read("a.txt"), 20, "three"));
    work.commit("three");
    work.write("c.txt", set_line(numbered("c", 30), 5, "staged"));
    work.stage("c.txt");
    work.write("c.txt", set_line(work.read("c.txt"), 15, "unstaged"));
    work.write("note.txt", "untracked\n");
    both.upstream.write("b.txt", set_line(numbered("b", 30), 10, "theirs"));
    both.upstream.write("c.txt", "new\n" + numbered("c", 30));
    both.upstream.commit("Collide");
    return both;
}

TEST(Resume, AResolvedCommitIsFollowedByAllThatWaited) {
    const auto both = with_a_commit_in_conflict();
    const auto& work = both.work;
    const auto before = fingerprint(work.path());
    const auto marked = upgrade_with(work, OnConflict::mark);
    EXPECT_EQ(marked.exit_code, 4);
    ASSERT_EQ(marked.conflicts.size(), 1U);
    EXPECT_EQ(work.git("diff", "--name-only", "--diff-filter=U"), "b.txt\n");
    EXPECT_EQ(work.git_line("log", "-1", "--format=%s"), "one");
    EXPECT_EQ(work.read("note.txt"), "untracked\n");
    EXPECT_EQ(work.read("c.txt"), "new\n" + numbered("c", 30));

    EXPECT_THROW(static_cast<void>(continue_run(request_for(work))), Error) << "the file is not resolved yet";
    work.write("b.txt", set_line(numbered("b", 30), 10, "two and theirs"));
    work.stage("b.txt");
    const auto done = continue_run(request_for(work));
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_EQ(done.outcome, Outcome::continued);
    EXPECT_EQ(work.git("log", "--format=%s", "origin/main.."), "three\ntwo\none\n");
    EXPECT_EQ(work.git("show", ":c.txt"), "new\n" + set_line(numbered("c", 30), 5, "staged"));
    EXPECT_EQ(work.read("c.txt"), "new\n" + set_line(set_line(numbered("c", 30), 5, "staged"), 15, "unstaged"));
    EXPECT_EQ(work.git("status", "--porcelain", "note.txt"), "?? note.txt\n");
    EXPECT_EQ(undo(request_for(work), marked.run).exit_code, 0);
    EXPECT_EQ(fingerprint(work.path()), before);
}

TEST(Resume, AbortAfterAContinueGoesBackToTheStart) {
    const auto both = with_a_commit_in_conflict();
    const auto& work = both.work;
    both.upstream.write("a.txt", set_line(numbered("a", 30), 20, "theirs too"));
    both.upstream.commit("Collide with the third as well");
    const auto before = fingerprint(work.path());
    EXPECT_EQ(upgrade_with(work, OnConflict::mark).exit_code, 4);
    work.write("b.txt", "resolved\n");
    work.stage("b.txt");
    EXPECT_EQ(continue_run(request_for(work)).exit_code, 4);
    EXPECT_EQ(work.git("diff", "--name-only", "--diff-filter=U"), "a.txt\n");
    EXPECT_EQ(abort_run(request_for(work)).exit_code, 0);
    EXPECT_EQ(fingerprint(work.path()), before);
    EXPECT_THROW(static_cast<void>(abort_run(request_for(work))), Error) << "nothing waits any more";
}

TEST(Resume, WhatWasUnstagedIsUnstagedAgain) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}});
    both.work.write("a.txt", set_line(numbered("a", 30), 10, "mine"));
    both.upstream.write("a.txt", set_line(numbered("a", 30), 10, "theirs"));
    both.upstream.commit("Collide");
    EXPECT_EQ(upgrade_with(both.work, OnConflict::mark).exit_code, 4);
    const auto resolved = set_line(numbered("a", 30), 10, "mine and theirs");
    both.work.write("a.txt", resolved);
    both.work.stage("a.txt");
    EXPECT_EQ(continue_run(request_for(both.work)).exit_code, 0);
    EXPECT_EQ(both.work.read("a.txt"), resolved);
    EXPECT_EQ(both.work.git("status", "--porcelain"), " M a.txt\n");
}

} // namespace
} // namespace carry::test
