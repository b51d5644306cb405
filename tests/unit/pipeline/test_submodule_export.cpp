// Submodules in what only looks, and in patch files.
#include "commands.hpp"
#include "support/submodule_lab.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Submodules, StatusNamesWhatTheyCarryExportWritesAndASnapshotRecordsIt) {
    const auto lab = SubmoduleLab::make();
    lab.in_sub("checkout", "-q", "-b", "mine");
    lab.edit(3, "lib 3 mine");
    lab.in_sub("commit", "-q", "-a", "-m", "Mine");
    lab.edit(5, "lib 5 dirty");
    const auto before = lab.state();
    const auto shown = status(request_for(lab.work));
    EXPECT_EQ(shown.commits, 1U);
    EXPECT_EQ(shown.unstaged, 2U) << "the submodule's commit, and the file in it";
    EXPECT_EQ(patch_of(shown, "libs/sub/lib.txt").commit.value().subject, "Mine");
    const auto recorded = take_snapshot(request_for(lab.work));
    EXPECT_EQ(lab.state(), before);
    const TempRepo place;
    const auto exported = export_patches(request_for(lab.work), place.path() / "out");
    EXPECT_EQ(lab.state(), before);
    EXPECT_EQ(patch_of(exported, "libs/sub/lib.txt").patch_file, "submodules/libs/sub/0001-Mine.patch");
    EXPECT_THAT(exported.next, Contains(HasSubstr("git carry -C libs/sub apply /")));
    lab.in_sub("reset", "-q", "--hard", "HEAD~1");
    auto inside = request_for(lab.work);
    inside.directory = lab.work.path() / "libs/sub";
    EXPECT_EQ(apply_patches(inside, {place.path() / "out/submodules/libs/sub"}).exit_code, 0);
    EXPECT_EQ(lab.in_sub("log", "-1", "--format=%s"), "Mine");
    EXPECT_THAT(lab.in_sub("diff"), HasSubstr("+lib 5 dirty"));
    lab.in_sub("reset", "-q", "--hard", "HEAD~1");
    EXPECT_EQ(undo(request_for(lab.work), recorded.run).exit_code, 0);
    EXPECT_EQ(lab.state(), before);
}

} // namespace
} // namespace carry::test
