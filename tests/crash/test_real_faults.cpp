// Faults that nobody has to make up: a kill at any moment, a full disk, a remote that breaks off, somebody at work.
#include "bounds.hpp"
#include "scene.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "tree_copy.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <fstream>
#include <iostream>
#include <random>
#include <thread>

namespace carry::crash {
namespace {

using test::fingerprint;
using test::numbered;
using test::same;
using test::set_line;
using test::TempRepo;
using test::UpstreamAndCheckout;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

time_t clock_offset = 0;

int wait_for(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

UpstreamAndCheckout carrying(std::size_t files) {
    std::map<std::string, std::string> first;
    for (std::size_t n = 0; n < files; ++n)
        first[fmt::format("d{}/f{}.txt", n % 7, n)] = numbered(fmt::format("{} ", n), 30);
    auto both = UpstreamAndCheckout::with(first);
    for (std::size_t n = 0; n < files; ++n) {
        const auto path = fmt::format("d{}/f{}.txt", n % 7, n);
        both.upstream.write(path, set_line(first[path], 3, "upstream"));
        if (n % 10 == 0)
            both.work.write(path, set_line(first[path], 20, "mine"));
    }
    both.upstream.commit("Move on");
    return both;
}

Report upgrade_with(const TempRepo& work, const ProgressCallback& progress = {}) {
    Request request;
    request.directory = work.path();
    request.progress = progress;
    return upgrade(request);
}

/// Does it once, when the stage begins.
ProgressCallback at_stage(const std::string& stage, std::function<void()> act) {
    return [stage, act = std::move(act), done = false](const Progress& progress) mutable {
        if (progress.stage != stage || std::exchange(done, true))
            return;
        act();
    };
}

TEST(RealFaults, AKillAtAnyInstant) {
    auto both = carrying(is_full() ? 400 : 100);
    both.work.git("fetch", "-q");
    const Scene scene("big upgrade", std::move(both.upstream), std::move(both.work), "upgrade", 0, {});
    const auto begin = std::chrono::steady_clock::now();
    run_in_child(scene.checkout(), "upgrade");
    const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    std::mt19937 random(offset());
    const int kills = is_full() ? 200 : 4;
    int died = 0;
    for (int n = 0; n < kills; ++n) {
        SCOPED_TRACE(fmt::format("kill {}, CARRY_SEED={}", n, offset()));
        scene.reset();
        const pid_t pid = fork();
        if (pid == 0)
            _exit(run_command(scene.checkout(), "upgrade"));
        std::this_thread::sleep_for(whole * (random() % 1000) / 1000);
        kill(pid, SIGKILL);
        died += wait_for(pid) == 128 + SIGKILL ? 1 : 0;
        EXPECT_EQ(run_in_child(scene.checkout(), "status"), 0);
        if (!scene.new_state().is_surely_now()) {
            EXPECT_THAT(scene.old_state().differences_now(), IsEmpty());
        }
        EXPECT_THAT(leftovers(scene.checkout()), IsEmpty());
    }
    std::cout << fmt::format("{} of {} killed in time, CARRY_SEED={}\n", died, kills, offset());
}

/// Every write beyond so many bytes of a file fails, in git as well.
TEST(RealFaults, AFileSizeLimit) {
    const auto both = carrying(20);
    const auto before = fingerprint(both.work.path());
    for (const rlim_t limit : {100U, 600U}) {
        const pid_t pid = fork();
        if (pid == 0) {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit bytes{limit, limit};
            setrlimit(RLIMIT_FSIZE, &bytes);
            _exit(run_command(both.work.path(), "upgrade"));
        }
        EXPECT_EQ(wait_for(pid), 1) << limit;
        EXPECT_TRUE(same(before, fingerprint(both.work.path()))) << limit;
    }
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    EXPECT_THAT(leftovers(both.work.path()), IsEmpty());
}

TEST(RealFaults, AFullFilesystem) {
    const TemporaryDirectory place(fs::temp_directory_path(), "carry-full-");
    if (mount("tmpfs", place.path().c_str(), "tmpfs", 0, "size=4m") != 0)
        GTEST_SKIP() << "only root can mount a small file system; AFileSizeLimit does what it can";
    const auto both = carrying(40);
    both.work.git("fetch", "-q");
    const auto work = place.path() / "work";
    copy_tree(both.work.path(), work);
    const State before(work, {"."});
    const auto filler = place.path() / "filler";
    for (const auto room : {16, 64, 160, 320, 480}) {
        const auto free = fs::space(place.path()).available;
        std::ofstream(filler) << std::string(free - static_cast<std::size_t>(room) * 1024, 'x');
        const int code = run_in_child(work, "upgrade");
        if (code == 0)
            break; // there was room enough
        EXPECT_EQ(code, 1) << room;
        EXPECT_THAT(before.differences_now(), IsEmpty()) << room;
        fs::remove(filler);
    }
    fs::remove(filler);
    EXPECT_EQ(run_in_child(work, "upgrade"), 0);
    EXPECT_THAT(leftovers(work), IsEmpty());
    umount2(place.path().c_str(), MNT_DETACH);
}

TEST(RealFaults, ADirectoryThatLetsNothingBeWritten) {
    const auto both = carrying(20);
    both.work.git("fetch", "-q");
    const bool root = geteuid() == 0;
    constexpr uid_t nobody = 65534;
    if (root) { // whom no mode stops
        fs::permissions(both.work.path().parent_path(), static_cast<fs::perms>(0755));
        ASSERT_EQ(chown(both.work.path().c_str(), nobody, nobody), 0);
        for (const auto& entry : fs::recursive_directory_iterator(both.work.path()))
            ASSERT_EQ(lchown(entry.path().c_str(), nobody, nobody), 0);
    }
    const auto upgrade_as_user = [&] {
        const pid_t pid = fork();
        if (pid == 0) {
            if (root && (setgid(nobody) != 0 || setuid(nobody) != 0))
                _exit(60);
            _exit(run_command(both.work.path(), "upgrade"));
        }
        return wait_for(pid);
    };
    const State before(both.work.path(), {"."});
    fs::permissions(both.work.file("d3"), static_cast<fs::perms>(0555));
    EXPECT_EQ(upgrade_as_user(), 1);
    fs::permissions(both.work.file("d3"), static_cast<fs::perms>(0755));
    EXPECT_THAT(before.differences_now(), IsEmpty());
    EXPECT_EQ(upgrade_as_user(), 0);
}

TEST(RealFaults, ARemoteThatBreaksOffInTheMiddle) {
    const auto both = carrying(20);
    std::string noise;
    for (std::mt19937 random(1); noise.size() < 100'000;)
        noise += static_cast<char>(random());
    both.upstream.write("large", noise);
    both.upstream.commit("Large");
    both.work.write(".git/upload-pack", "#!/bin/sh\ngit-upload-pack \"$@\" | head -c 30000\n");
    both.work.make_executable(".git/upload-pack");
    both.work.git("config", "remote.origin.uploadpack", both.work.file(".git/upload-pack").string());
    const auto before = test::every_file(both.work.path());
    try {
        upgrade_with(both.work);
        ADD_FAILURE() << "it went on";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::failed) << error.message();
    }
    EXPECT_TRUE(same(before, test::every_file(both.work.path())));
    EXPECT_TRUE(is_sound(both.work.path(), {"."}));
    both.work.git("config", "--unset", "remote.origin.uploadpack");
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    EXPECT_THAT(leftovers(both.work.path()), IsEmpty());
}

TEST(RealFaults, AnIndexLockThatComesAndGoes) {
    const auto both = carrying(20);
    const auto lock = both.work.file(".git/index.lock");
    std::thread somebody;
    const auto report = upgrade_with(both.work, at_stage("apply", [&] {
                                         std::ofstream(lock) << "theirs";
                                         somebody = std::thread([&] {
                                             std::this_thread::sleep_for(std::chrono::milliseconds(200));
                                             fs::remove(lock);
                                         });
                                     }));
    somebody.join();
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(both.work.head(), both.upstream.head());
    EXPECT_THAT(leftovers(both.work.path()), IsEmpty());
}

TEST(RealFaults, ACommitOrAnEditBetweenPlanAndApply) {
    const auto both = carrying(20);
    EXPECT_THROW(upgrade_with(both.work, at_stage("apply", [&] { both.work.git("commit", "-aqm", "Meanwhile"); })),
                 Error);
    EXPECT_EQ(both.work.git_line("log", "-1", "--format=%s"), "Meanwhile");
    EXPECT_EQ(both.work.git("status", "--porcelain"), "");
    const auto path = "d1/f1.txt";
    const auto edited = set_line(both.work.read(path), 25, "meanwhile");
    EXPECT_THROW(upgrade_with(both.work, at_stage("apply", [&] { both.work.write(path, edited); })), Error);
    EXPECT_EQ(both.work.read(path), edited);
    EXPECT_EQ(both.work.git("status", "--porcelain"), std::string(" M ") + path + "\n");
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    EXPECT_EQ(both.work.read(path), set_line(set_line(edited, 3, "upstream"), 25, "meanwhile"));
    EXPECT_THAT(leftovers(both.work.path()), IsEmpty());
}

TEST(RealFaults, AClockThatJumps) {
    const auto both = carrying(20);
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    const auto first = fingerprint(both.work.path());
    constexpr time_t year = 365L * 24 * 3600;
    for (const time_t jump : {-year, 2 * year, -2 * year}) {
        clock_offset += jump;
        both.upstream.append("d1/f1.txt", "more\n");
        both.upstream.commit("More");
        Request request;
        request.directory = both.work.path();
        EXPECT_EQ(upgrade_with(both.work).exit_code, 0) << jump;
        EXPECT_EQ(undo(request, std::nullopt).exit_code, 0) << jump;
        EXPECT_TRUE(same(first, fingerprint(both.work.path()))) << jump;
    }
    clock_offset = 0;
}

/// The first Ctrl-C ends the verification and takes the upgrade back; the second cannot tear that.
TEST(RealFaults, CtrlCTwice) {
    const auto both = carrying(20);
    const State before(both.work.path(), {"."});
    const auto marker = both.work.file(".git/verifying");
    const pid_t pid = fork();
    if (pid == 0) {
        execl(CARRY_PROGRAM, CARRY_PROGRAM, "-C", both.work.path().c_str(), "upgrade", "--quiet", "--verify",
              ("touch " + marker.string() + "; sleep 20").c_str(), nullptr);
        _exit(60);
    }
    for (int waited = 0; !fs::exists(marker) && waited < 3000; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(pid, SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    kill(pid, SIGINT);
    const int code = wait_for(pid);
    EXPECT_TRUE(code == 8 || code == 128 + SIGINT) << code;
    fs::remove(marker);
    EXPECT_EQ(run_in_child(both.work.path(), "status"), 0);
    EXPECT_THAT(before.differences_now(), IsEmpty());
    EXPECT_THAT(leftovers(both.work.path()), IsEmpty());
}

} // namespace
} // namespace carry::crash

/// The one place where git-carry reads the time.
extern "C" time_t time(time_t* where) noexcept { // NOLINT
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const time_t shifted = now.tv_sec + carry::crash::clock_offset;
    if (where != nullptr)
        *where = shifted;
    return shifted;
}
