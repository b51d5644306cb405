#include "base/process.hpp"
#include "support/temp_repo.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

using namespace carry;
using carry::test::TempRepo;
using ::testing::ElementsAre;

namespace {

ProcessSpec shell(std::string script) {
    ProcessSpec spec;
    spec.argv = {"sh", "-c", std::move(script)};
    return spec;
}

TEST(Child, IsTalkedTo) {
    const TempRepo repo;
    repo.write("f", std::string("a\0b\n", 4));
    const std::string id = repo.git_line("hash-object", "-w", "f");
    ProcessSpec spec;
    spec.argv = {"git", "cat-file", "--batch"};
    spec.directory = repo.path();
    Child child(spec);
    for (int i = 0; i < 3; ++i) {
        child.write(id + "\n");
        EXPECT_EQ(child.read_until('\n'), id + " blob 4");
        EXPECT_EQ(child.read_exactly(5), std::string("a\0b\n\n", 5));
    }
    child.write("nonsense\n");
    EXPECT_EQ(child.read_until('\n'), "nonsense missing");
    EXPECT_EQ(child.wait(), 0);
}

TEST(Child, TakesMoreThanPipesHoldBeforeAnythingIsRead) {
    Child child(shell("cat"));
    const std::string line(999, 'x');
    for (int i = 0; i < 3000; ++i)
        child.write(line + "\n");
    for (int i = 0; i < 3000; ++i)
        ASSERT_EQ(child.read_until('\n'), line);
    child.close_input();
    EXPECT_THROW(child.read_exactly(1), Error);
}

TEST(Child, ReadsExactlyAcrossPieces) {
    Child child(shell("printf 'abcdef\\0gh'"));
    EXPECT_EQ(child.read_exactly(2), "ab");
    EXPECT_EQ(child.read_exactly(0), "");
    EXPECT_EQ(child.read_until('\0'), "cdef");
    EXPECT_EQ(child.read_exactly(2), "gh");
    EXPECT_THROW(child.read_until('\n'), Error);
}

TEST(Child, SaysWhyItHasGone) {
    Child child(shell("echo 'fatal: because' >&2; exit 3"));
    try {
        child.read_until('\n');
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::failed);
        EXPECT_EQ(error.message(), "'sh -c' has ended too early");
        EXPECT_THAT(error.causes(), ElementsAre("fatal: because"));
    }
    EXPECT_EQ(child.error_output(), "fatal: because\n");
    EXPECT_EQ(child.wait(), 3);
    EXPECT_EQ(child.wait(), 3);
}

TEST(Child, ReportsWritingToOneThatHasGone) {
    Child child(shell("exit 0"));
    const std::string bytes(1000000, 'x');
    EXPECT_THROW(child.write(bytes), Error);
    child.close_input();
    EXPECT_THROW(child.write("x"), Error);
}

TEST(Child, WaitDropsWhatNobodyRead) {
    Child child(shell("head -c 1000000 /dev/zero; exit 5"));
    EXPECT_EQ(child.wait(), 5);
}

TEST(Child, NeverBlocksOnItsErrorOutput) {
    Child child(shell("head -c 1000000 /dev/zero >&2; echo done"));
    EXPECT_EQ(child.read_until('\n'), "done");
    EXPECT_EQ(child.error_output().size(), 1000000U);
}

TEST(Child, CountsSignalsAsShellsDo) {
    Child child(shell("kill -TERM $$"));
    EXPECT_EQ(child.wait(), 128 + SIGTERM);
}

TEST(Child, IsWaitedForByTheDestructor) {
    const TempRepo repo;
    repo.commit("one");
    const std::string lock = ".git/refs/heads/held.lock";
    {
        ProcessSpec spec;
        spec.argv = {"git", "update-ref", "--stdin"};
        spec.directory = repo.path();
        Child child(spec);
        child.write("start\ncreate refs/heads/held HEAD\nprepare\n");
        EXPECT_EQ(child.read_until('\n'), "start: ok");
        EXPECT_EQ(child.read_until('\n'), "prepare: ok");
        EXPECT_TRUE(repo.exists(lock));
    }
    EXPECT_FALSE(repo.exists(lock)); // git has rolled back, and we have waited for it
    EXPECT_NE(repo.git_status("rev-parse", "-q", "--verify", "refs/heads/held"), 0);
}

TEST(Child, MovesWithItsConversation) {
    Child first(shell("cat"));
    first.write("a\n");
    Child second(std::move(first));
    EXPECT_EQ(second.read_until('\n'), "a");
    Child third(shell("cat"));
    third = std::move(second);
    third.write("b\n");
    EXPECT_EQ(third.read_until('\n'), "b");
    EXPECT_EQ(third.wait(), 0);
}

TEST(Child, IsOutOfReachOfTheTerminal) {
    Child child(shell("ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat"));
    EXPECT_NE(std::stoi(child.read_until('\n')), getpgrp());
}

TEST(Child, ThrowsWhereItCannotStart) {
    ProcessSpec spec;
    spec.argv = {"no-such-program-anywhere"};
    EXPECT_THROW(Child{spec}, Error);
}

} // namespace
