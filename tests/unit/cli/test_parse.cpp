#include "base/text.hpp"
#include "cli/app.hpp"

#include <carry/error.hpp>
#include <carry/version.hpp>

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using cli::parse_command_line;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Settings settings_of(const std::vector<std::string>& arguments) {
    Settings settings;
    for (const auto& word : parse_command_line(arguments).words)
        word(settings);
    return settings;
}

std::string error_of(const std::vector<std::string>& arguments) {
    try {
        parse_command_line(arguments);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.message() + " | " + join(error.hints(), " | ");
    }
    return "no error";
}

TEST(Parse, AnUpgradeWithAllItsWords) {
    const auto invocation =
        parse_command_line({"upgrade", "--to", "v2", "--on-conflict=park", "--verify", "make", "--verify=make check",
                            "--offline", "--integrate=merge", "--upstream", "fork/trunk", "--object-store=git"});
    EXPECT_EQ(invocation.command, "upgrade");
    EXPECT_TRUE(invocation.may_change);
    EXPECT_TRUE(invocation.action);
    Settings s;
    for (const auto& word : invocation.words)
        word(s);
    EXPECT_EQ(s.to, "v2");
    EXPECT_EQ(s.on_conflict, OnConflict::park);
    EXPECT_THAT(s.verify, ElementsAre("make", "make check"));
    EXPECT_TRUE(s.offline);
    EXPECT_EQ(s.integrate, Integrate::merge);
    EXPECT_EQ(s.upstream, "fork/trunk");
    EXPECT_TRUE(s.program_objects);
}

TEST(Parse, WhatIsNotSaidLeavesTheSettingsAlone) {
    Settings settings;
    settings.on_conflict = OnConflict::mark;
    settings.verify = {"from a file"};
    settings.offline = true;
    for (const auto& word : parse_command_line({"upgrade", "--json"}).words)
        word(settings);
    EXPECT_EQ(settings.on_conflict, OnConflict::mark);
    EXPECT_THAT(settings.verify, ElementsAre("from a file"));
    EXPECT_TRUE(settings.offline);
}

TEST(Parse, TheLastOfTwoCounts) {
    EXPECT_EQ(settings_of({"upgrade", "--on-conflict=park", "--on-conflict=mark"}).on_conflict, OnConflict::mark);
    EXPECT_EQ(settings_of({"prune", "--keep", "3", "--keep", "4"}).keep_runs, 4U);
}

TEST(Parse, AVerifyCommandMayLookLikeAnOption) {
    EXPECT_THAT(settings_of({"upgrade", "--verify", "-x y", "--offline"}).verify, ElementsAre("-x y"));
}

TEST(Parse, CommonOptionsStandOnEitherSideOfTheCommand) {
    for (const auto& arguments :
         {std::vector<std::string>{"--json", "-q", "-v", "--color=never", "--config", "f", "status"},
          {"status", "--json", "-q", "-v", "--color=never", "--config", "f"}}) {
        const auto common = parse_command_line(arguments).common;
        EXPECT_TRUE(common.json);
        EXPECT_TRUE(common.quiet);
        EXPECT_TRUE(common.verbose);
        EXPECT_EQ(common.color, "never");
        EXPECT_EQ(common.config_file, "f");
    }
    EXPECT_EQ(parse_command_line({"status"}).common.color, "auto");
}

TEST(Parse, DirectoriesCountFromTheOneBefore) {
    auto invocation = parse_command_line({"-C", "/a", "-C", "b", "status", "-C", "c"});
    EXPECT_EQ(invocation.directory().lexically_normal(), "/a/b/c");
    EXPECT_EQ(invocation.path("file").lexically_normal(), "/a/b/c/file");
    EXPECT_EQ(invocation.path("/file"), "/file");
    invocation = parse_command_line({"-C", "a", "-C", "/b", "status"});
    EXPECT_EQ(invocation.directory(), "/b");
    EXPECT_EQ(parse_command_line({"status"}).directory(), ".");
}

TEST(Parse, KnowsWhichCommandsMayChangeSomething) {
    for (const char* command : {"status", "check", "runs"})
        EXPECT_FALSE(parse_command_line({command}).may_change) << command;
    for (const char* command : {"snapshot", "upgrade", "continue", "abort", "undo", "prune"})
        EXPECT_TRUE(parse_command_line({command}).may_change) << command;
    EXPECT_FALSE(parse_command_line({"show", "1"}).may_change);
    EXPECT_FALSE(parse_command_line({"export", "d"}).may_change);
    EXPECT_TRUE(parse_command_line({"apply", "p"}).may_change);
}

TEST(Parse, AnArgumentMayBeNamedLikeACommand) {
    EXPECT_EQ(parse_command_line({"export", "check"}).command, "export");
    EXPECT_EQ(parse_command_line({"undo", "status"}).command, "undo");
}

TEST(Parse, NamesWhatIsWrongAndWhatWasMeant) {
    EXPECT_THAT(error_of({"upgrad"}),
                StartsWith("unknown command 'upgrad' | did you mean 'upgrade'? | git carry --help"));
    EXPECT_THAT(error_of({"upgrade", "--on-conflct=park"}),
                StartsWith("unknown option '--on-conflct' | did you mean '--on-conflict'? | git carry upgrade --help"));
    EXPECT_THAT(error_of({"--jsn", "status"}), StartsWith("unknown option '--jsn' | did you mean '--json'?"));
    EXPECT_THAT(error_of({"upgrade", "extra"}), StartsWith("unexpected argument 'extra'"));
    EXPECT_THAT(error_of({"upgrade", "--on-conflict=explode"}),
                StartsWith("'on-conflict' is not stop, mark or park: 'explode'"));
    EXPECT_THAT(error_of({"status", "--color=blue"}), HasSubstr("'blue' is not auto, always or never"));
    EXPECT_THAT(error_of({"show"}), HasSubstr("RUN is required"));
    EXPECT_THAT(error_of({"export"}), HasSubstr("DIR is required"));
    EXPECT_THAT(error_of({"apply"}), HasSubstr("PATCH is required"));
    EXPECT_THAT(error_of({"upgrade", "--to"}), HasSubstr("--to"));
    EXPECT_THAT(error_of({"upgrade", "--to", ""}), StartsWith("'--to' needs a revision"));
    EXPECT_THAT(error_of({"prune", "--keep=some"}), HasSubstr("is not a whole number: 'some'"));
    EXPECT_THAT(error_of({"status", "--on-conflict=park"}), StartsWith("unknown option '--on-conflict'"));
    EXPECT_THAT(error_of({"--quiet"}), StartsWith("no command is named"));
    EXPECT_THAT(error_of({"status", "--object-store=svn"}), HasSubstr("svn"));
}

TEST(Parse, HelpWinsOverWhatIsMissing) {
    EXPECT_THAT(parse_command_line({"export", "--help"}).text, HasSubstr("Usage: git carry export [OPTIONS] DIR\n"));
    EXPECT_THAT(parse_command_line({"--help"}).text, HasSubstr("Commands:\n"));
    EXPECT_FALSE(parse_command_line({"upgrade", "--json", "-h"}).action);
    EXPECT_EQ(parse_command_line({"--version"}).text, "git-carry version " + std::string(version()) + "\n");
}

TEST(Parse, HelpFitsEightyColumnsAndHidesWhatIsForTests) {
    for (const char* command : {"status", "snapshot", "check", "upgrade", "continue", "abort", "undo", "runs", "show",
                                "export", "apply", "prune"}) {
        const auto text = parse_command_line({command, "--help"}).text;
        for (const auto line : split(text, '\n'))
            EXPECT_LE(display_width(line), 80U) << command << ": " << line;
        EXPECT_THAT(text, ::testing::Not(HasSubstr("--object-store")));
        for (const char* option : {"--json", "-C DIR", "--quiet", "--verbose", "--color", "--config", "--upstream"})
            EXPECT_THAT(text, HasSubstr(option)) << command;
        EXPECT_THAT(parse_command_line({"--help"}).text, HasSubstr(std::string("\n  ") + command + ' '));
    }
}

} // namespace
} // namespace carry::test
