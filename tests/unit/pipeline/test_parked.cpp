#include "commands.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A commit and a file's staged and unstaged change collide; another file does not.
UpstreamAndCheckout in_conflict() {
    auto both = UpstreamAndCheckout::with(
        {{"a.txt", numbered("a", 30)}, {"b.txt", numbered("b", 30)}, {"c.txt", numbered("c", 30)}});
    both.work.write("a.txt", set_line(numbered("a", 30), 10, "committed"));
    both.work.commit("Tune a");
    both.work.write("b.txt", set_line(numbered("b", 30), 10, "staged"));
    both.work.stage("b.txt");
    both.work.write("b.txt", set_line(both.work.read("b.txt"), 20, "unstaged"));
    both.work.write("c.txt", set_line(numbered("c", 30), 10, "fine"));
    both.upstream.write("a.txt", set_line(numbered("a", 30), 10, "theirs"));
    both.upstream.write("b.txt", set_line(numbered("b", 30), 10, "theirs"));
    both.upstream.commit("Collide");
    return both;
}

TEST(Parked, LandsWhenUpstreamMakesRoom) {
    const auto both = in_conflict();
    const auto& work = both.work;
    const auto report = upgrade_with(work, OnConflict::park);
    EXPECT_EQ(report.exit_code, 4);
    EXPECT_THAT(report.parked, SizeIs(2));
    EXPECT_EQ(work.git("status", "--porcelain"), " M c.txt\n");
    EXPECT_EQ(work.head(), both.upstream.head());
    EXPECT_EQ(upgrade_with(work).exit_code, 4) << "as long as anything is parked";

    both.upstream.write("a.txt", numbered("a", 30));
    both.upstream.write("b.txt", numbered("b", 30));
    both.upstream.commit("Take it back");
    const auto again = upgrade_with(work);
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_THAT(again.parked, IsEmpty());
    EXPECT_EQ(work.git_line("log", "-1", "--format=%s"), "Tune a");
    EXPECT_EQ(work.git("show", "HEAD:a.txt"), set_line(numbered("a", 30), 10, "committed"));
    EXPECT_EQ(work.git("show", ":b.txt"), set_line(numbered("b", 30), 10, "staged"));
    EXPECT_EQ(work.read("b.txt"), set_line(set_line(numbered("b", 30), 10, "staged"), 20, "unstaged"));
    EXPECT_EQ(upgrade_with(work).exit_code, 0);
}

TEST(Parked, UndoBringsThePatchesBackIntoTheCheckout) {
    const auto both = in_conflict();
    const auto before = fingerprint(both.work.path());
    EXPECT_EQ(upgrade_with(both.work, OnConflict::park).exit_code, 4);
    EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
    EXPECT_EQ(fingerprint(both.work.path()), before);
    EXPECT_THAT(status(request_for(both.work)).parked, IsEmpty()) << "what is carried again is not parked as well";
    EXPECT_EQ(undo(request_for(both.work), std::nullopt).exit_code, 0);
    EXPECT_THAT(status(request_for(both.work)).parked, SizeIs(2));
}

} // namespace
} // namespace carry::test
