// What processes that died have left in .git/carry goes with the next command, and what the living use stays.
#include "base/lock.hpp"
#include "scene.hpp"

#include <gmock/gmock.h>

namespace carry::crash {
namespace {

TEST(Leavings, GoOnceNobodyIsAtWork) {
    const auto both = test::UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    const std::vector<std::string> left = {"index-aaaaaa/index",
                                           "rules-aaaaaa/a/b",
                                           ".carry-aaaaaa",
                                           "objects/tmp_object_git2_aaaaaa",
                                           "objects/pack/tmp_pack_aaaaaa",
                                           "runs/20260101T000000Z-aaaa/.carry-aaaaaa"};
    const std::vector<std::string> others = {"index-mine", "rules", "parked/tmp-name/parked.txt",
                                             "runs/20260101T000000Z-bbbb/mine"};
    for (const auto& paths : {left, others})
        for (const auto& path : paths)
            both.work.write(".git/carry/" + path, "x");
    {
        const auto presence = PresenceLock::enter(both.work.file(".git/carry"), [] {});
        EXPECT_EQ(run_in_child(both.work.path(), "status"), 0);
        for (const auto& path : left)
            EXPECT_TRUE(both.work.exists(".git/carry/" + path)) << path;
    }
    EXPECT_EQ(run_in_child(both.work.path(), "status"), 0);
    for (const auto& path : left)
        EXPECT_FALSE(both.work.exists(".git/carry/" + path)) << path;
    for (const auto& path : others)
        EXPECT_TRUE(both.work.exists(".git/carry/" + path)) << path;
    EXPECT_FALSE(both.work.exists(".git/carry/runs/20260101T000000Z-aaaa"));
}

} // namespace
} // namespace carry::crash
