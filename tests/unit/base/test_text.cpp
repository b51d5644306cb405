#include "base/text.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

using namespace carry;
using carry::test::TempRepo;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

TEST(Split, KeepsEmptyPartsAndTheLast) {
    EXPECT_THAT(split("a,b,", ','), ElementsAre("a", "b", ""));
    EXPECT_THAT(split(",", ','), ElementsAre("", ""));
    EXPECT_THAT(split("abc", ','), ElementsAre("abc"));
    EXPECT_THAT(split("", ','), IsEmpty());
}

TEST(Split, TerminatedRecordsMayLackTheLastTerminator) {
    using namespace std::string_view_literals;
    EXPECT_THAT(split_terminated("a\0b\0"sv, '\0'), ElementsAre("a", "b"));
    EXPECT_THAT(split_terminated("a\0b"sv, '\0'), ElementsAre("a", "b"));
    EXPECT_THAT(split_terminated("\0"sv, '\0'), ElementsAre(""));
    EXPECT_THAT(split_terminated("a\0\0"sv, '\0'), ElementsAre("a", ""));
    EXPECT_THAT(split_terminated("", '\0'), IsEmpty());
}

TEST(Split, LinesKeepTheirNewline) {
    EXPECT_THAT(split_lines("a\n\nb"), ElementsAre("a\n", "\n", "b"));
    EXPECT_THAT(split_lines("a\r\n"), ElementsAre("a\r\n"));
    EXPECT_THAT(split_lines(""), IsEmpty());
}

TEST(Text, JoinTrimAndFirstLine) {
    EXPECT_EQ(join({"a", "", "c"}, ", "), "a, , c");
    EXPECT_EQ(join({}, ", "), "");
    EXPECT_EQ(trim(" \t a b\r\n"), "a b");
    EXPECT_EQ(trim(" \n"), "");
    EXPECT_TRUE(starts_with_line("fixup\nrest", "fixup"));
    EXPECT_TRUE(starts_with_line("fixup", "fixup"));
    EXPECT_FALSE(starts_with_line("fixups\n", "fixup"));
}

TEST(Text, CountOfNamesOneAndMany) {
    EXPECT_EQ(count_of(1, "commit"), "1 commit");
    EXPECT_EQ(count_of(0, "commit"), "0 commits");
    EXPECT_EQ(count_of(2, "patch", "patches"), "2 patches");
}

TEST(Utf8, FollowsTheStandard) {
    EXPECT_TRUE(is_utf8("plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"));
    EXPECT_TRUE(is_utf8(""));
    EXPECT_FALSE(is_utf8("\xff"));
    EXPECT_FALSE(is_utf8("\xc3"));             // cut short
    EXPECT_FALSE(is_utf8("\xc0\xaf"));         // overlong
    EXPECT_FALSE(is_utf8("\xe0\x80\xaf"));     // overlong
    EXPECT_FALSE(is_utf8("\xed\xa0\x80"));     // surrogate
    EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80")); // beyond U+10FFFF
    EXPECT_FALSE(is_utf8("\x80"));
}

TEST(QuotePath, LeavesPlainAndUtf8NamesAlone) {
    EXPECT_EQ(quote_path("src/a b's.c"), "src/a b's.c");
    EXPECT_EQ(quote_path("\xc3\xa4"), "\xc3\xa4");
    EXPECT_EQ(quote_path(""), "");
}

TEST(QuotePath, EscapesAsGitDoes) {
    EXPECT_EQ(quote_path("a\tb"), R"("a\tb")");
    EXPECT_EQ(quote_path("q\"b\\"), R"("q\"b\\")");
    EXPECT_EQ(quote_path("\x01\x7f\xff"), R"("\001\177\377")");
    EXPECT_EQ(quote_path("\xc3\xa4\n\xc3"), "\"\xc3\xa4\\n\\303\"");
}

TEST(QuotePath, IsUndoneByUnquote) {
    std::string every;
    for (int c = 1; c < 256; ++c)
        every += static_cast<char>(c);
    EXPECT_EQ(unquote_path(quote_path(every)), every);
}

TEST(QuotePath, AgreesWithGitOnControlCharacters) {
    const TempRepo repo;
    std::string control;
    for (int c = 1; c < 0x80; ++c) {
        if (c != '/')
            control += static_cast<char>(c);
    }
    repo.write(control, "x");
    const std::string said = repo.git_line("-c", "core.quotePath=false", "ls-files", "-o");
    EXPECT_EQ(quote_path(control), said);
    EXPECT_EQ(unquote_path(said), control);
}

TEST(UnquotePath, ReadsGitsFullyQuotedNames) {
    const TempRepo repo;
    const std::string name = "\xc3\xa4 \xff\x80.txt";
    repo.write(name, "x");
    EXPECT_EQ(unquote_path(repo.git_line("ls-files", "-o")), name);
}

TEST(UnquotePath, RefusesMalformedTokens) {
    for (const char* token : {"", "\"", "a", "\"a", "a\"", R"("\")", R"("\q")", R"("\12")", R"("\400")", R"("a"b")"}) {
        try {
            unquote_path(token);
            ADD_FAILURE() << token;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage) << token;
        }
    }
}

TEST(EscapeTerminal, LetsNothingActOnTheTerminal) {
    EXPECT_EQ(escape_terminal("\x1b[31mred\x07"), R"(\x1b[31mred\x07)");
    EXPECT_EQ(escape_terminal("a\nb\tc\r"), R"(a\nb\tc\r)");
    EXPECT_EQ(escape_terminal("\xff\xc3"), R"(\xff\xc3)");
    EXPECT_EQ(escape_terminal("\xc2\x9b"
                              "2J"),
              R"(\u009b2J)");                                // CSI as one character
    EXPECT_EQ(escape_terminal("\xe2\x80\xae"), R"(\u202e)"); // right to left
    EXPECT_EQ(escape_terminal("a\\b \xc3\xa4"), "a\\b \xc3\xa4");
    EXPECT_EQ(escape_terminal(std::string_view("\0", 1)), R"(\x00)");
}

TEST(Quoted, IsOursForEveryKindOfText) {
    std::string text = "a\x1b";
    const std::string constant = text;
    EXPECT_EQ(quoted(text), R"('a\x1b')");
    EXPECT_EQ(quoted(constant), R"('a\x1b')");
    EXPECT_EQ(quoted("a b"), "'a b'");
    EXPECT_EQ(quoted(std::string_view("")), "''");
}

TEST(DisplayWidth, CountsColumns) {
    EXPECT_EQ(display_width("abc"), 3U);
    EXPECT_EQ(display_width("\xc3\xa4"), 1U);
    EXPECT_EQ(display_width("a\xcc\x88"), 1U);                // combining diaeresis
    EXPECT_EQ(display_width("\xe6\xbc\xa2\xe5\xad\x97"), 4U); // two ideographs
    EXPECT_EQ(display_width("\xf0\x9f\x98\x80"), 2U);
    EXPECT_EQ(display_width(""), 0U);
}

TEST(ShellQuote, IsReadBackByTheShell) {
    EXPECT_EQ(shell_quote("--on-conflict=park"), "--on-conflict=park");
    EXPECT_EQ(shell_quote("a b"), "'a b'");
    std::string every;
    for (int c = 1; c < 256; ++c)
        every += static_cast<char>(c);
    for (const std::string& word : {std::string(), std::string("it's $HOME `x` \\ !"), std::string("~"), every}) {
        const std::string text = shell_quote(word);
        EXPECT_EQ(escape_terminal(text), text);
        EXPECT_EQ(test::run_program({"bash", "-c", "printf %s " + text}).output, word);
    }
}

} // namespace
