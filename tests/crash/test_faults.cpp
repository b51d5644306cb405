// Each system call that git-carry makes fails, or is where it dies, one after the other; one more command then leaves
// the checkout exactly old or exactly new.
#include "enumeration.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace carry::crash {
namespace {

// DISABLED_: crash-full runs it.

TEST(Crash, Upgrade) {
    Enumeration(upgrade_scene()).kills(1).failures(1);
}

TEST(Crash, Undo) {
    Enumeration(undo_scene()).kills(2).failures(2);
}

TEST(Crash, Verify) {
    Enumeration(verify_scene()).kills(3).failures(4);
}

TEST(Crash, Park) {
    Enumeration(park_scene()).kills(2).failures(3);
}

TEST(Crash, Continue) {
    Enumeration(continue_scene()).kills(2).failures(3);
}

TEST(Crash, DISABLED_Submodule) {
    Enumeration(submodule_scene()).kills(2).failures(4);
}

/// The process dies in the middle of the move, and then again while it recovers.
TEST(Crash, WhileRecovering) {
    auto scene = upgrade_scene();
    const auto moment = middle_of_the_move(scene);
    ASSERT_EQ(run_in_child(scene.checkout(), scene.command(), moment), 128 + SIGKILL);
    scene.begin_here("recovery", "status");
    Enumeration(std::move(scene)).kills(1).failures(2);
}

} // namespace
} // namespace carry::crash
