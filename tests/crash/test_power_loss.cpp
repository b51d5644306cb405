// The power fails: what was not synced may be lost, in any order. The log of a real run is cut at
// every point, the disk that may be left is made, and one command leaves the checkout exactly old or exactly new.
#include "bounds.hpp"
#include "disk_model.hpp"
#include "recorder.hpp"
#include "scene.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <random>
#include <vector>

namespace carry::crash {
namespace {

using ::testing::IsEmpty;

int record(const Scene& scene, const std::filesystem::path& log) {
    const pid_t pid = fork();
    if (pid == 0) {
        start_recording(log.c_str(), scene.checkout().c_str(), CARRY_RECORDER);
        _exit(run_command(scene.checkout(), scene.command()));
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

/// What may be on the disk, from one extreme to the other.
PowerCut one_way(std::size_t way, std::size_t count, std::mt19937& random) {
    PowerCut cut;
    switch (way % 4) {
    case 0: // names have gone out at once, bytes have not
        break;
    case 1: // nothing that was not synced
        cut.keeps_name = [](std::size_t) { return false; };
        break;
    case 2: // the names of a journalling file system: up to some moment, in order
        cut.keeps_name = [until = random() % (count + 1)](std::size_t event) { return event < until; };
        break;
    default: // each by itself
        cut.keeps_name = [&random](std::size_t) { return random() % 2 == 0; };
        cut.keeps_bytes = [&random](int) { return static_cast<double>(random() % 2); };
    }
    return cut;
}

/// Of a git that died with us: recovery knows them by their inodes, and the files made here have others
/// (tests/unit/transaction has the real ones).
void remove_ref_locks(const std::filesystem::path& checkout) {
    std::vector<std::filesystem::path> locks;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(checkout / ".git"))
        if (entry.path().filename() == "HEAD.lock" ||
            (entry.path().extension() == ".lock" && entry.path().native().find("/refs/") != std::string::npos))
            locks.push_back(entry.path());
    for (const auto& lock : locks)
        std::filesystem::remove(lock);
}

void cut_everywhere(const Scene& scene, std::size_t weight) {
    scene.reset();
    DiskModel disk(scene.checkout());
    const TemporaryDirectory place(std::filesystem::temp_directory_path(), "carry-log-");
    ASSERT_EQ(record(scene, place.path() / "log"), scene.exit_code());
    disk.read_log(place.path() / "log");
    const std::size_t possible = (disk.events().size() + 1) * 4;
    const std::size_t stride = is_full() ? full_stride() : weight;
    std::mt19937 random(offset());
    std::size_t tried = 0;
    for (std::size_t n = offset() % stride; n < possible; n += stride, ++tried) {
        const std::size_t count = n / 4;
        disk.materialise(count, one_way(n, count, random));
        if (const auto boot = scene.checkout() / ".git/carry/objects/boot"; std::filesystem::exists(boot))
            std::ofstream(boot) << "before the power cut\n";
        remove_ref_locks(scene.checkout());
        const std::string next = tried % 2 == 0 ? "status" : "upgrade";
        SCOPED_TRACE(
            fmt::format("{}: power cut after event {} ({}), way {}, then {}; CARRY_SEED={}", scene.name(), count,
                        count == 0 ? "none" : disk.events()[count - 1].action + " " + disk.events()[count - 1].path,
                        n % 4, next, offset()));
        EXPECT_EQ(run_in_child(scene.checkout(), next), 0);
        if (!scene.new_state().is_surely_now() && !scene.old_state().is_surely_now()) {
            const auto from_old = scene.old_state().differences_now();
            if (!scene.new_state().differences_now().empty()) {
                EXPECT_THAT(from_old, IsEmpty());
            }
        }
        EXPECT_THAT(leftovers(scene.checkout()), IsEmpty());
        EXPECT_TRUE(scene.is_sound());
    }
    std::cout << fmt::format("{}: {} of {} power cuts, {} events, CARRY_SEED={}\n", scene.name(), tried, possible,
                             disk.events().size(), offset());
}

TEST(PowerLoss, Upgrade) {
    cut_everywhere(upgrade_scene(), 151);
}

TEST(PowerLoss, Undo) {
    cut_everywhere(undo_scene(), 251);
}

TEST(PowerLoss, DISABLED_Submodule) {
    cut_everywhere(submodule_scene(), 307);
}

} // namespace
} // namespace carry::crash
