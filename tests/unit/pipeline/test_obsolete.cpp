// Patches that upstream has made needless, in whole, in part, elsewhere, or not for long.
#include "commands.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string k_file = numbered("a", 40);
const std::string k_block = "static int frobnicate_the_widget(int value)\n{\n    return value + forty_two;\n}\n";

std::string change(const TempRepo& repo, std::size_t line, const std::string& text, const std::string& subject) {
    repo.write("a.txt", set_line(repo.read("a.txt"), line, text));
    return repo.commit(subject);
}

TEST(Obsolete, TakenAndRevertedIsStillNeeded) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    change(both.work, 3, "mine", "Mine");
    both.work.write("a.txt", set_line(both.work.read("a.txt"), 20, "dirty"));
    change(both.upstream, 3, "mine", "Take it");
    change(both.upstream, 20, "dirty", "Take that too");
    both.upstream.git("revert", "--no-edit", "HEAD", "HEAD~1");
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    for (const auto& patch : report.patches)
        EXPECT_EQ(patch.fate, Fate::kept);
    EXPECT_EQ(both.work.read("a.txt"), set_line(set_line(k_file, 3, "mine"), 20, "dirty"));
    EXPECT_EQ(both.work.git_line("log", "-1", "--format=%s"), "Mine");

    const auto again = change(both.upstream, 3, "mine", "Take it for good");
    const auto later = upgrade_with(both.work);
    ASSERT_EQ(later.patches.size(), 2U);
    EXPECT_EQ(later.patches[0].fate, Fate::absorbed);
    ASSERT_TRUE(later.patches[0].by);
    EXPECT_EQ(later.patches[0].by->id, again);
    EXPECT_EQ(both.work.head(), both.upstream.head());
    EXPECT_EQ(upgrade_with(both.work).outcome, Outcome::up_to_date);
}

TEST(Obsolete, EachLayerIsDroppedAndSaidSo) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}, {"b.txt", k_file}, {"gone.txt", "1\n"}});
    const auto& work = both.work;
    change(work, 3, "commit", "Mine");
    work.git("rm", "-q", "gone.txt");
    work.write("b.txt", set_line(k_file, 5, "dirty"));
    work.write("new.txt", "new\n");
    const auto& upstream = both.upstream;
    upstream.git("rm", "-q", "gone.txt");
    upstream.write("b.txt", set_line(k_file, 5, "dirty"));
    upstream.write("new.txt", "new\n");
    const auto taker = change(upstream, 3, "commit", "Release (squash)");
    change(upstream, 30, "more", "More");
    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 0);
    ASSERT_EQ(report.patches.size(), 4U);
    for (const auto& patch : report.patches) {
        EXPECT_EQ(patch.fate, Fate::absorbed) << patch.path;
        ASSERT_TRUE(patch.by) << patch.path;
        EXPECT_EQ(patch.by->id, taker) << patch.path;
    }
    EXPECT_EQ(work.head(), upstream.head());
    EXPECT_EQ(work.git("status", "--porcelain"), "");
    EXPECT_EQ(upgrade_with(work).outcome, Outcome::up_to_date);
}

TEST(Obsolete, ABlockOrFileUnderAnotherNameIsTold) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    const auto& work = both.work;
    work.write("a.txt", k_file + k_block);
    work.commit("Frobnicate");
    work.write("helper.c", numbered("helper", 10));
    work.write("unlike.c", numbered("unlike", 10));
    both.upstream.write("lib/frob.c", "#include <a>\n\n" + k_block);
    both.upstream.write("lib/helper.c", numbered("helper", 10));
    both.upstream.commit("Library");
    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 0);
    ASSERT_EQ(report.warnings.size(), 2U);
    EXPECT_EQ(report.warnings[0].kind, "duplicate-block");
    EXPECT_EQ(report.warnings[0].path, "a.txt");
    EXPECT_THAT(report.warnings[0].message, AllOf(HasSubstr("line 41"), HasSubstr("'lib/frob.c' at line 3")));
    EXPECT_EQ(report.warnings[1].kind, "duplicate-file");
    EXPECT_EQ(report.warnings[1].path, "helper.c");
    EXPECT_THAT(report.warnings[1].message, HasSubstr("'lib/helper.c'"));
    EXPECT_THAT(upgrade_with(work).warnings, IsEmpty());
}

TEST(Obsolete, AConflictSaysThatUpstreamHadIt) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    both.work.write("a.txt", set_line(k_file, 10, "x = compute(1)"));
    both.work.write("new.txt", numbered("n", 20));
    both.upstream.write("new.txt", numbered("n", 20));
    const auto taker = change(both.upstream, 10, "x = compute(1)", "Take it");
    both.upstream.write("new.txt", set_line(numbered("n", 20), 15, "later"));
    change(both.upstream, 10, "x = compute(1, 2)", "A later version");
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 3);
    for (const char* path : {"a.txt", "new.txt"})
        EXPECT_EQ(patch_of(report, path).note, "upstream took it in " + taker.substr(0, 9) + " and changed it since");
}

TEST(Obsolete, WhiteSpaceAloneIsTold) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    both.work.write("a.txt", set_line(k_file, 10, "if (x)  y();"));
    change(both.upstream, 10, "if (x) y();", "Take it, in our style");
    EXPECT_EQ(patch_of(upgrade_with(both.work), "a.txt").note, "upstream's lines differ in white space only");
}

} // namespace
} // namespace carry::test
