#include "base/file.hpp"
#include "base/process.hpp"
#include "base/signal.hpp"
#include "base/text.hpp"

#include <carry/error.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <set>

using namespace carry;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

ProcessSpec shell(std::string script) {
    ProcessSpec spec;
    spec.argv = {"sh", "-c", std::move(script)};
    return spec;
}

TEST(RunProcess, KeepsTheStreamsAndTheExitCodeApart) {
    const auto result = run_process(shell("echo out; echo err >&2; exit 7"));
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_FALSE(result.ok());
    EXPECT_FALSE(result.stalled);
    EXPECT_EQ(result.output, "out\n");
    EXPECT_EQ(result.error_output, "err\n");
}

TEST(RunProcess, PassesWordsWithoutAShell) {
    ProcessSpec spec;
    spec.argv = {"printf", "%s|", "a b", "$HOME", "*", "it's", "\xff"};
    EXPECT_EQ(run_process(spec).output, "a b|$HOME|*|it's|\xff|");
}

TEST(RunProcess, FeedsAndCollectsMoreThanPipesHold) {
    std::string bytes(3000000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(i * 7);
    ProcessSpec spec;
    spec.argv = {"cat"};
    spec.input = bytes;
    EXPECT_EQ(run_process(spec).output, bytes);
}

TEST(RunProcess, MindsNoChildThatReadsNothing) {
    auto spec = shell("exit 0");
    spec.input = std::string(1000000, 'x');
    EXPECT_EQ(run_process(spec).exit_code, 0);
    struct sigaction now {};
    sigaction(SIGPIPE, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_DFL); // it was not hushed for the whole program
}

TEST(RunProcess, GivesAnEmptyInput) {
    EXPECT_EQ(run_process(shell("cat; echo end")).output, "end\n");
}

TEST(RunProcess, LaysTheEnvironmentOver) {
    setenv("CARRY_TEST_A", "inherited", 1);
    setenv("CARRY_TEST_B", "inherited", 1);
    auto spec = shell("echo \"$CARRY_TEST_A ${CARRY_TEST_B-unset} $CARRY_TEST_C\"");
    spec.environment = {{"CARRY_TEST_B", std::nullopt}, {"CARRY_TEST_C", "x"}, {"CARRY_TEST_C", "y=z"}};
    EXPECT_EQ(run_process(spec).output, "inherited unset y=z\n");
    unsetenv("CARRY_TEST_A");
    unsetenv("CARRY_TEST_B");
}

TEST(RunProcess, RunsWhereItIsTold) {
    const TemporaryDirectory directory(fs::canonical(fs::temp_directory_path()));
    ProcessSpec spec;
    spec.argv = {"pwd"};
    spec.directory = directory.path();
    EXPECT_EQ(run_process(spec).output, directory.path().string() + "\n");
}

TEST(RunProcess, ThrowsWhereItCannotStart) {
    ProcessSpec spec;
    spec.argv = {"no-such-program-anywhere"};
    try {
        run_process(spec);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::failed);
        EXPECT_EQ(error.message(), "cannot run 'no-such-program-anywhere'");
        EXPECT_THAT(error.causes(), ElementsAre("No such file or directory"));
    }
    spec.argv = {"true"};
    spec.directory = "/no/such/directory";
    try {
        run_process(spec);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.message(), "cannot run 'true' in '/no/such/directory'");
    }
    EXPECT_THROW(run_process({}), Error);
}

TEST(RunProcess, CountsSignalsAsShellsDo) {
    EXPECT_EQ(run_process(shell("kill -KILL $$")).exit_code, 128 + SIGKILL);
}

TEST(RunProcess, HandsPiecesOnAsTheyArrive) {
    auto spec = shell("echo one >&2; echo out; echo two >&2");
    std::string heard;
    std::string output;
    spec.on_error_output = [&](std::string_view piece) { heard += piece; };
    spec.on_output = [&](std::string_view piece) { output += piece; };
    const auto result = run_process(spec);
    EXPECT_EQ(heard, "one\ntwo\n");
    EXPECT_EQ(result.error_output, heard); // collected all the same
    EXPECT_EQ(output, "out\n");
    EXPECT_EQ(result.output, ""); // not collected
}

TEST(RunProcess, HearsBeforeTheEnd) {
    const TemporaryDirectory directory(fs::temp_directory_path());
    auto spec = shell("echo go; while [ ! -e went ]; do sleep 0.01; done");
    spec.directory = directory.path();
    spec.on_output = [&](std::string_view) { write_file_atomic(directory.path() / "went", ""); };
    EXPECT_EQ(run_process(spec).exit_code, 0); // it ends only because it was heard
}

TEST(RunProcess, EndsTheChildWhereAListenerThrows) {
    auto spec = shell("echo $$; exec sleep 1000");
    pid_t pid = 0;
    spec.on_output = [&](std::string_view piece) {
        pid = std::stoi(std::string(piece));
        throw std::runtime_error("enough");
    };
    EXPECT_THROW(run_process(spec), std::runtime_error);
    EXPECT_EQ(kill(pid, 0), -1);
}

TEST(RunProcess, MergesTheStreams) {
    auto spec = shell("echo a; echo b >&2; echo c");
    spec.merge_error_output = true;
    const auto result = run_process(spec);
    EXPECT_EQ(result.output, "a\nb\nc\n");
    EXPECT_EQ(result.error_output, "");
}

TEST(RunProcess, EndsAStalledProgram) {
    auto spec = shell("echo before; exec sleep 1000");
    spec.stall_timeout = 100ms;
    const auto result = run_process(spec);
    EXPECT_TRUE(result.stalled);
    EXPECT_EQ(result.exit_code, 128 + SIGTERM);
    EXPECT_EQ(result.output, "before\n");
}

TEST(RunProcess, DoesNotWaitForWhatIsLeftRunning) {
    // the sleeping grandchild holds both pipes open
    const auto result = run_process(shell("echo out; sleep 1000 & echo $!"));
    EXPECT_THAT(result.output, HasSubstr("out\n"));
    const pid_t left = std::stoi(result.output.substr(4));
    EXPECT_EQ(kill(left, SIGKILL), 0);
}

TEST(RunProcess, GivesTheChildTheUsualSignals) {
    const auto old = std::signal(SIGPIPE, SIG_IGN);
    // bit 13 (0x1000) of the ignored signals is SIGPIPE
    const auto result = run_process(shell("grep -E '^Sig(Ign|Blk)' /proc/self/status"));
    std::signal(SIGPIPE, old);
    EXPECT_THAT(result.output, HasSubstr("SigBlk:\t0000000000000000"));
    const auto ignored = result.output.substr(result.output.find("SigIgn:\t") + 8, 16);
    EXPECT_EQ(std::stoull(ignored, nullptr, 16) & 0x1000U, 0U);
}

TEST(RunProcess, LeavesNoDescriptorsToTheChild) {
    std::set<std::string> ours; // what the parent of this test left open
    for (int fd = 0; fd < 1024; ++fd) {
        const int flags = fcntl(fd, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0)
            ours.insert(std::to_string(fd));
    }
    const auto result = run_process(shell("ls /proc/self/fd"));
    std::vector<std::string> others;
    for (const auto fd : split_terminated(result.output, '\n')) {
        if (!ours.contains(std::string(fd)))
            others.emplace_back(fd);
    }
    EXPECT_EQ(others.size(), 1U) << result.output; // through which ls reads the directory
}

TEST(RunProcess, WorksWhereTheStandardDescriptorsAreClosed) {
    const auto in_a_bare_process = [] {
        for (int fd = 0; fd < 3; ++fd)
            close(fd);
        auto spec = shell("cat; echo err >&2");
        spec.input = "in";
        const auto result = run_process(spec);
        _exit(result.output == "in" && result.error_output == "err\n" ? 0 : 1);
    };
    EXPECT_EXIT(in_a_bare_process(), ::testing::ExitedWithCode(0), "");
}

TEST(RunProcess, EndsTheChildWithUs) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0); // inherited on purpose: it is at its end once every holder has gone
    const pid_t pid = fork();
    if (pid == 0) {
        run_process(shell("echo started >&" + std::to_string(ends[1]) + "; exec sleep 100"));
        _exit(0);
    }
    close(ends[1]);
    std::array<char, 32> text{};
    ASSERT_EQ(read(ends[0], text.data(), text.size()), 8);
    kill(pid, SIGKILL);
    EXPECT_EQ(read(ends[0], text.data(), text.size()), 0);
    close(ends[0]);
    EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
}

} // namespace
