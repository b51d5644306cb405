#include "base/process.hpp"
#include "base/signal.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

using namespace carry;

namespace {

/// Handlers and the stop request last as long as the process, so each case has a process of its own: it exits with 0
/// where `condition` came true.
#define EXPECT_IN_A_PROCESS(statements, condition)                                                                     \
    EXPECT_EXIT(                                                                                                       \
        {                                                                                                              \
            install_signal_handlers();                                                                                 \
            statements;                                                                                                \
            _exit((condition) ? 0 : 1);                                                                                \
        },                                                                                                             \
        ::testing::ExitedWithCode(0), "")

/// The message of what stop_point() throws, or "".
std::string stop_message() {
    try {
        stop_point();
        return "";
    } catch (const Error& error) {
        return error.kind() == ErrorKind::interrupted ? error.message() : "another kind";
    }
}

TEST(Signal, NothingIsAskedAtFirst) {
    EXPECT_EQ(stop_requested(), 0);
    EXPECT_NO_THROW(stop_point());
    EXPECT_FALSE(in_critical_section());
}

TEST(Signal, TheFirstAsksForAStop) {
    EXPECT_IN_A_PROCESS(raise(SIGTERM), stop_requested() == SIGTERM && stop_message() == "stopped by SIGTERM");
    EXPECT_IN_A_PROCESS(raise(SIGINT), stop_message() == "stopped by SIGINT");
    EXPECT_IN_A_PROCESS(raise(SIGHUP), stop_message() == "stopped by SIGHUP");
}

TEST(Signal, TheSecondEndsTheProgram) {
    const auto twice = [] {
        install_signal_handlers();
        raise(SIGINT);
        raise(SIGINT);
        _exit(0);
    };
    EXPECT_EXIT(twice(), ::testing::KilledBySignal(SIGINT), "");
}

TEST(Signal, ACriticalSectionPutsEverythingOff) {
    bool inside = false;
    EXPECT_IN_A_PROCESS(
        {
            const CriticalSection outer;
            {
                const CriticalSection inner;
                raise(SIGINT);
                raise(SIGINT);
            }
            inside = stop_message().empty() && in_critical_section();
        },
        inside && stop_message() == "stopped by SIGINT");
}

TEST(Signal, WhatTheParentIgnoresStaysIgnored) {
    EXPECT_EXIT(
        {
            std::signal(SIGHUP, SIG_IGN);
            install_signal_handlers();
            raise(SIGHUP);
            _exit(stop_requested());
        },
        ::testing::ExitedWithCode(0), "");
}

TEST(Signal, BrokenPipesAndFileLimitsAreErrorsAndNoDeath) {
    EXPECT_IN_A_PROCESS(
        {
            raise(SIGPIPE);
            raise(SIGXFSZ);
        },
        stop_requested() == 0);
}

ProcessSpec shell(std::string script) {
    return {.argv = {"sh", "-c", std::move(script)}};
}

/// What run_process() throws or returns where the program that it runs signals us.
std::string run_and_tell(std::string script) {
    try {
        return "exit " + std::to_string(run_process(shell(std::move(script))).exit_code);
    } catch (const Error& error) {
        return error.message();
    }
}

TEST(Signal, ARunningProgramIsEndedFirst) {
    EXPECT_IN_A_PROCESS({}, run_and_tell("kill -INT $PPID; exec sleep 1000") == "stopped by SIGINT");
}

TEST(Signal, AProgramRunsOnInACriticalSection) {
    EXPECT_IN_A_PROCESS(const CriticalSection section, run_and_tell("kill -INT $PPID; sleep 0.3; exit 4") == "exit 4");
}

TEST(Signal, AProgramInACriticalSectionIsOutOfReachOfTheTerminal) {
    const std::string tell_group = "test $(cut -d' ' -f5 /proc/$$/stat) = $$";
    EXPECT_EQ(run_and_tell(tell_group), "exit 1");
    const CriticalSection section;
    EXPECT_EQ(run_and_tell(tell_group), "exit 0");
}

TEST(Signal, AStopEndsAWaitForAChild) {
    const auto wait = [] {
        install_signal_handlers();
        Child child(shell("kill -TERM $PPID; exec sleep 1000"));
        try {
            child.read_until('\n');
        } catch (const Error& error) {
            _exit(error.kind() == ErrorKind::interrupted ? 0 : 1);
        }
        _exit(2);
    };
    EXPECT_EXIT(wait(), ::testing::ExitedWithCode(0), "");
}

} // namespace
