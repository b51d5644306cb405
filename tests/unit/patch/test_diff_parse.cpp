#include "patch/diff_parse.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

#include <random>

namespace carry::patch {

std::vector<FileDiff> parse(std::string_view text, int strip = 1) {
    return parse_diff(text, "x.patch", 1, strip).files;
}

std::string message_of(std::string_view text) {
    try {
        parse_diff(text, "x.patch");
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.message();
    }
    return "no error";
}

TEST(DiffParse, ModesAndIds) {
    const auto files = parse("noise\ndiff --git a/x y b/x y\nold mode 100644\nnew mode 100755\nindex 0123456..89abcde\n"
                             "--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 @@\n-a\n+b\n");
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files[0].old_path, "x y");
    EXPECT_EQ(files[0].new_path, "x y");
    EXPECT_EQ(files[0].old_mode, git::mode::file);
    EXPECT_EQ(files[0].new_mode, git::mode::executable);
    EXPECT_EQ(files[0].old_id, "0123456");
    EXPECT_EQ(files[0].new_id, "89abcde");
}

TEST(DiffParse, ALineOfNothingButBlanksIsReadOnce) {
    const std::string blanks(std::size_t{2} << 20U, ' ');
    EXPECT_THAT(message_of("diff --git a" + blanks + "b\n"), ::testing::HasSubstr("cannot tell which file"));
    std::string words = "a/";
    for (int i = 0; i < 300'000; ++i)
        words += "d/ x ";
    EXPECT_EQ(parse("diff --git " + words + "y b/" + words.substr(2) + "y\nold mode 100644\nnew mode 100755\n").size(),
              1U);
    const auto deeper = parse("diff --git one/two/a b c one/two/a b c\nold mode 100644\nnew mode 100755\n", 2);
    EXPECT_EQ(deeper.at(0).new_path, "a b c");
}

TEST(DiffParse, AddedDeletedRenamedBinary) {
    const auto files = parse("diff --git a/new b/new\nnew file mode 100755\nindex 0000000..1111111\n"
                             "diff --git a/gone b/gone\ndeleted file mode 120000\nindex 1111111..0000000\n"
                             "diff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\n"
                             "rename to new name\n"
                             "diff --git \"a/q\\\"\\377\" \"b/q\\\"\\377\"\nindex 11..22 100644\nGIT binary patch\n"
                             "literal 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n");
    ASSERT_EQ(files.size(), 4U);
    EXPECT_TRUE(files[0].added);
    EXPECT_TRUE(files[0].change().old_path.empty());
    EXPECT_EQ(files[0].change().after->mode, git::mode::executable);
    EXPECT_TRUE(files[1].deleted);
    EXPECT_TRUE(files[1].change().before->is_link());
    EXPECT_FALSE(files[1].change().after);
    EXPECT_EQ(files[2].change().old_path, "old name");
    EXPECT_EQ(files[2].change().new_path, "new name");
    EXPECT_EQ(files[3].old_path, "q\"\xff");
    EXPECT_TRUE(files[3].binary);
}

TEST(DiffParse, LinesOfAHunkAreNoHeaders) {
    const auto files = parse("--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n--- a/y\n+++ b/y\n @@ -1 +1 @@\n"
                             "-diff --git a/z b/z\n+@@ -1 +1 @@\n\n\\ No newline at end of file\n");
    EXPECT_EQ(files.size(), 1U);
}

TEST(DiffParse, TraditionalDiffs) {
    const auto files =
        parse("Index: x\n--- dir.orig/a/x\t2020-01-01 00:00:00\n+++ dir/a/x\t2020-01-01\n@@ -1 +1 @@\n-a\n+b\n"
              "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n");
    ASSERT_EQ(files.size(), 3U);
    EXPECT_EQ(files[0].old_path, "a/x");
    EXPECT_EQ(parse("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", 0)[0].old_path, "x");
    EXPECT_TRUE(files[1].added);
    EXPECT_TRUE(files[2].deleted);
}

TEST(DiffParse, ErrorsNameFileAndLine) {
    EXPECT_EQ(message_of("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n"),
              "x.patch:6: the hunk is cut short");
    EXPECT_EQ(message_of("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n*a\n"),
              "x.patch:5: not a line of the hunk that was announced");
    EXPECT_THAT(message_of("diff --git a/../x b/../x\nold mode 100644\nnew mode 100755\n"),
                testing::HasSubstr("no path inside a repository"));
    EXPECT_THAT(message_of("--- a/.git/config\n+++ b/.git/config\n@@ -1 +1 @@\n-a\n+b\n"),
                testing::HasSubstr("no path inside a repository"));
    EXPECT_THAT(message_of("diff --git a/x b/y\nold mode 100644\nnew mode 100755\n"),
                testing::HasSubstr("cannot tell which file"));
    EXPECT_THAT(message_of("diff --git a/x b/x\nnew file mode 999\n"), testing::HasSubstr("not a file mode"));
    EXPECT_THAT(message_of("diff --git \"a/x b/x\n"), testing::HasSubstr("quoted wrongly"));
    EXPECT_THAT(message_of("--- a/x\n+++ b/x\n@@ -99999999999999999999999 +1 @@\n"), testing::HasSubstr("not a hunk"));
}

TEST(DiffParse, HostileBytesGiveAnErrorOrAnAnswer) {
    const std::string good = "diff --git a/x b/x\nindex 11..22 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
                             "diff --git \"a/q\\\"\" \"b/q\\\"\"\nnew file mode 100644\nindex 00..11\n--- /dev/null\n"
                             "+++ \"b/q\\\"\"\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n";
    ASSERT_EQ(parse(good).size(), 2U);
    std::mt19937 random(20260308); // NOLINT(bugprone-random-generator-seed): the same bytes each time
    int answers = 0;
    for (int round = 0; round < 3000; ++round) {
        auto text = good;
        for (int edits = 0; edits < 3; ++edits) {
            const auto at = random() % text.size();
            if (random() % 3 == 0)
                text.erase(at, random() % 20);
            else
                text[at] = static_cast<char>(random() % 256);
            if (text.empty())
                text = "x";
        }
        try {
            parse(text);
            ++answers;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage) << text;
            EXPECT_THAT(error.message(), testing::StartsWith("x.patch:"));
        }
    }
    EXPECT_GT(answers, 0);
}

} // namespace carry::patch
