#include "base/file.hpp"
#include "cli/app.hpp"
#include "cli/command_run.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace carry::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Said {
    int code = 0;
    std::string output;
    std::string error;
};

Said run(const std::vector<std::string>& arguments) {
    Said result;
    {
        cli::Ui ui([&](std::string_view text) { result.output += text; },
                   [&](std::string_view text) { result.error += text; }, {});
        result.code = cli::run(arguments, ui);
    }
    return result;
}

TEST(Run, WithoutArgumentsItShowsHelpAndIsWrongUsage) {
    const auto result = run({});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.error, HasSubstr("Usage: git carry"));
}

TEST(Run, HelpIsAResult) {
    const auto result = run({"upgrade", "--help"});
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.output, HasSubstr("Usage: git carry upgrade"));
    EXPECT_EQ(result.error, "");
}

TEST(Run, WrongUsageIsSaidOnStandardError) {
    const auto result = run({"upgrad"});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.error, StartsWith("git-carry: unknown command 'upgrad'\nhint: did you mean 'upgrade'?\n"));
}

TEST(Run, WithJsonAFailureIsADocumentAsWell) {
    const auto wrong = run({"upgrad", "--json"});
    EXPECT_EQ(nlohmann::json::parse(wrong.output)["exit_code"], 2);
    EXPECT_THAT(wrong.error, HasSubstr("unknown command"));

    const TemporaryDirectory nowhere(std::filesystem::temp_directory_path());
    const auto refused = run({"-C", nowhere.path().string(), "status", "--json"});
    EXPECT_EQ(refused.code, 6);
    const auto document = nlohmann::json::parse(refused.output);
    EXPECT_EQ(document["outcome"], "refused");
    EXPECT_EQ(document["command"], "status");
    EXPECT_EQ(document["exit_code"], 6);
    EXPECT_THAT(refused.error, StartsWith("git-carry: "));
}

/// A invoked of `invocation` whose output cannot be written.
int finish_on_a_full_disk(const cli::Invocation& invocation, const Report& report, std::string& error) {
    cli::Ui ui([](std::string_view) { throw Error(ErrorKind::failed, "cannot write 'standard output'"); },
               [&](std::string_view text) { error += text; }, {});
    cli::RunLog log;
    cli::CommandRun invoked(ui, invocation, log);
    return invoked.finish(report);
}

TEST(Run, AReportThatCannotBeWrittenDoesNotHideWhatWasDone) {
    Report report;
    std::string error;
    cli::Invocation invocation;
    invocation.may_change = true;
    EXPECT_EQ(finish_on_a_full_disk(invocation, report, error), 0);
    EXPECT_THAT(error, HasSubstr("cannot write 'standard output'"));
    report.exit_code = 3;
    EXPECT_EQ(finish_on_a_full_disk(invocation, report, error), 3);
    report.exit_code = 0;
    invocation.may_change = false;
    EXPECT_EQ(finish_on_a_full_disk(invocation, report, error), 1);
}

TEST(Run, ARefusalInAReportIsSaidOnStandardError) {
    Report report;
    report.outcome = Outcome::refused;
    report.exit_code = 6;
    report.error = "a rebase is in progress";
    report.next = {"git rebase --continue   finishes it"};
    std::string output;
    std::string error;
    cli::Ui ui([&](std::string_view text) { output += text; }, [&](std::string_view text) { error += text; }, {});
    const cli::Invocation invocation;
    cli::RunLog log;
    EXPECT_EQ(cli::CommandRun(ui, invocation, log).finish(report), 6);
    EXPECT_EQ(output, "");
    EXPECT_EQ(error, "git-carry: a rebase is in progress\nhint: git rebase --continue   finishes it\n");
}

} // namespace
} // namespace carry::test
