// Where files are: directories against files, functions that went elsewhere.
#include "commands.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::HasSubstr;

TEST(PipelineShape, AnIgnoredFileBelowADirectoryThatUpstreamMadeAFileIsAConflict) {
    const auto both = UpstreamAndCheckout::with({{"conf/a.txt", "1\n"}, {".gitignore", "*.o\n"}});
    const auto& work = both.work;
    work.write("conf/x.o", "built\n");
    both.upstream.remove("conf");
    both.upstream.write("conf", "a file\n");
    const auto culprit = both.upstream.commit("One file will do");
    const auto before = fingerprint(work.path());

    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 3);
    ASSERT_EQ(report.conflicts.size(), 1U);
    EXPECT_EQ(report.conflicts[0].kind, ConflictKind::directory_file);
    EXPECT_EQ(report.conflicts[0].message, "'conf/x.o' lies below a file upstream");
    ASSERT_EQ(report.conflicts[0].culprits.size(), 1U);
    EXPECT_EQ(report.conflicts[0].culprits[0].id, culprit);
    EXPECT_EQ(fingerprint(work.path()), before);
    work.remove("conf/x.o");
    EXPECT_EQ(upgrade_with(work).exit_code, 0);
    EXPECT_EQ(work.read("conf"), "a file\n");
}

const std::string function = "def price(n):\n    base = 10\n    rate = 0.20\n    return n * base * rate + fee(n)\n";

std::string indented(std::string_view text) {
    std::string result = "class Shop:\n    ";
    for (const char byte : text)
        result += byte == '\n' ? std::string("\n    ") : std::string(1, byte);
    return result;
}

TEST(PipelineShape, TheReportSaysWhereTheSurroundingsOfAConflictWent) {
    const auto head = numbered("head", 10);
    const auto tail = numbered("tail", 10);
    const auto both = UpstreamAndCheckout::with({{"app.py", head + function + tail},
                                                 {"old.py", function},
                                                 {"gone.py", numbered("one of a kind", 8)},
                                                 {"two.py", head + "def alpha(n):\n    return compute(n) * 10\n" +
                                                                "def beta(n):\n    return derive(n) * 20\n" + tail}});
    const auto& work = both.work;
    work.write("app.py", head + set_line(function, 3, "    rate = 0.25") + tail);
    work.write("gone.py", set_line(numbered("one of a kind", 8), 2, "mine"));
    both.upstream.write("app.py", head + tail);
    both.upstream.write("pricing.py", "import fees\n\n" + indented(function));
    work.write("two.py", head + "def alpha(n):\n    return compute(n) * 10\n" +
                             "def beta(n):\n    return derive(n) * 21\n" + tail);
    both.upstream.write("alpha.py", "def alpha(n):\n    return compute(n) * 10\n");
    both.upstream.write("beta.py", "def beta(n):\n    return derive(n) * 20\n");
    both.upstream.remove("two.py");
    both.upstream.remove("gone.py");
    both.upstream.commit("Extract pricing");

    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 3);
    ASSERT_EQ(report.warnings.size(), 2U);
    EXPECT_EQ(report.warnings[0].kind, "moved-lines");
    EXPECT_EQ(report.warnings[0].path, "app.py");
    EXPECT_THAT(report.warnings[0].message, HasSubstr("to 'pricing.py', line 4"));
    EXPECT_EQ(report.warnings[1].path, "two.py");
    EXPECT_THAT(report.warnings[1].message, HasSubstr("to 'beta.py', line 1"));
}

TEST(PipelineShape, AnAppliedRenameIsAbsorbedByItsSeries) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 9)}});
    both.work.git("mv", "a.txt", "b.txt");
    both.work.commit("Rename\n\ndiff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b");
    const TemporaryDirectory place(std::filesystem::temp_directory_path(), "export-");
    export_patches(request_for(both.work), place.path() / "out");
    const auto other = TempRepo::clone_of(both.upstream);
    const auto series = place.path() / "out" / "series";
    EXPECT_EQ(apply_patches(request_for(other), {series}).exit_code, 0);
    EXPECT_TRUE(other.exists("b.txt"));
    const auto again = apply_patches(request_for(other), {series});
    EXPECT_EQ(again.exit_code, 0);
    ASSERT_EQ(again.patches.size(), 1U);
    EXPECT_EQ(again.patches[0].fate, Fate::absorbed);
}

} // namespace
} // namespace carry::test
