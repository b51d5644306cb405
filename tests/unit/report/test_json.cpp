#include "base/file.hpp"
#include "report/render.hpp"
#include "sample.hpp"
#include "support/program.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>

namespace carry::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Report full_report() {
    Report report = sample_report();
    report.patches[0].hunks[0].by = report.conflicts[0].culprits[1];
    report.patches[0].parked_as = "a-name";
    report.patches[0].note = "a note";
    report.patches[2].new_commit = std::string(40, 'd');
    report.conflicts[0].new_path = "bench/launch.sh";
    report.conflicts[0].commit = report.patches[3].commit;
    report.saved = {"app.txt"};
    report.parked = {"a-name"};
    report.error = "an error";
    report.waiting = "20260301T000000Z-abcd";
    report.last_run = RunSummary{"20260301T000000Z-abcd", "upgrade", Outcome::marked, 4, "a", "b", 7, "waiting", 2, 3};
    return report;
}

TEST(Json, HasTheFieldsThatScriptsReadFirst) {
    const json document = json::parse(report::render_json(sample_report()));
    EXPECT_EQ(document["schema"], 1);
    EXPECT_EQ(document["outcome"], "stopped");
    EXPECT_EQ(document["exit_code"], 3);
    EXPECT_EQ(document["run"], "20260308T021502Z-k3f9");
    EXPECT_EQ(document["old"], std::string(40, '2'));
    EXPECT_EQ(document["new"], std::string(40, '2'));
    EXPECT_EQ(document["patches"].size(), 6U);
    EXPECT_EQ(document["patches"][4]["layer"], "unstaged");
    EXPECT_EQ(document["patches"][4]["path"], "benchmark/launch.sh");
    EXPECT_EQ(document["patches"][4]["fate"], "conflict");
    EXPECT_EQ(document["patches"][4]["hunks"][1]["old_lines"], (json{{"first", 38}, {"last", 47}}));
    EXPECT_EQ(document["conflicts"][0]["culprits"][0]["subject"], "Rework launch flags (#20102)");
    EXPECT_EQ(document["warnings"][0]["kind"], "removed-identifier");
}

TEST(Json, ReadsBackWhatItWrote) {
    const std::string text = report::render_json(full_report());
    const Report again = report::parse_json(text);
    EXPECT_EQ(report::render_json(again), text);
    EXPECT_EQ(again.patches.size(), full_report().patches.size());
    EXPECT_EQ(again.last_run->state, "waiting");
    EXPECT_EQ(again.conflicts[0].upstream->last, 52U);
}

TEST(Json, ProposalsReadBack) {
    const auto text = report::render_json(report_with_proposals());
    const auto again = report::parse_json(text);
    ASSERT_EQ(again.conflicts.at(0).proposals.size(), 3U);
    EXPECT_EQ(again.conflicts[0].proposals[1].rule, "words");
    EXPECT_EQ(again.conflicts[0].proposals[2].precision, 0.125);
    EXPECT_EQ(again.conflicts[0].proposals[0].lines[1], "\tflags");
    EXPECT_EQ(report::render_json(again), text);
}

TEST(Json, EveryOutcomeReadsBack) {
    for (int i = 0; i <= static_cast<int>(Outcome::failed); ++i) {
        Report report;
        report.outcome = static_cast<Outcome>(i);
        EXPECT_EQ(report::parse_json(report::render_json(report)).outcome, report.outcome);
    }
}

TEST(Json, BytesThatAreNotUtf8DoNotCostTheReport) {
    Report report = sample_report();
    report.patches[0].path = "caf\xe9.txt";
    const json document = json::parse(report::render_json(report));
    EXPECT_EQ(document["patches"][0]["path"], "caf\xef\xbf\xbd.txt");
}

TEST(Json, AnErrorIsTheSameDocument) {
    const auto text =
        report::render_error_json("upgrade", 6, "a rebase is in progress", {"git says so"}, {"git rebase --continue"});
    const json document = json::parse(text);
    EXPECT_EQ(document["outcome"], "refused");
    EXPECT_EQ(document["error"], "a rebase is in progress");
    EXPECT_EQ(document["causes"], json({"git says so"}));
    EXPECT_EQ(document["next"], json({"git rebase --continue"}));
    EXPECT_EQ(report::parse_json(text).outcome, Outcome::refused);
    EXPECT_EQ(json::parse(report::render_error_json("undo", 1, "x", {}, {}))["outcome"], "failed");
}

std::string error_of(std::string_view text) {
    try {
        report::parse_json(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::failed);
        return error.message();
    }
    return "no error";
}

TEST(Json, SaysWhatIsWrongWithADocument) {
    EXPECT_THAT(error_of("{"), HasSubstr("not JSON"));
    EXPECT_THAT(error_of("[]"), HasSubstr("'report' is no object"));
    EXPECT_THAT(error_of("{}"), HasSubstr("'schema' is missing"));
    EXPECT_THAT(error_of(R"({"schema": 2})"), HasSubstr("schema 2"));
    EXPECT_THAT(error_of(R"({"schema": 1, "commits": -1})"), HasSubstr("'report.commits'"));
    EXPECT_THAT(error_of(R"({"schema": 1, "exit_code": 99999999999})"), HasSubstr("'report.exit_code'"));
    EXPECT_THAT(error_of(R"({"schema": 1, "patches": [{"fate": "eaten"}]})"), HasSubstr("'eaten'"));
    EXPECT_THAT(error_of(R"({"schema": 1, "patches": {"fate": 1}})"), HasSubstr("'report.patches'"));
    EXPECT_THAT(error_of(R"({"schema": 1, "notes": [1]})"), HasSubstr("'report.notes'"));
}

TEST(Json, HostileBytesEndInAnErrorOrAReport) {
    const std::string good = report::render_json(full_report());
    std::mt19937 random(7);
    int errors = 0;
    for (int round = 0; round < 2000; ++round) {
        std::string text = good;
        for (int i = 0; i < 3; ++i)
            text[random() % text.size()] = static_cast<char>(random() % 256);
        if (round % 5 == 0)
            text.resize(random() % text.size());
        try {
            report::parse_json(text);
        } catch (const Error&) {
            ++errors;
        }
    }
    EXPECT_GT(errors, 100);
    EXPECT_THAT(error_of(std::string(200'000, '[')), HasSubstr("not JSON"));
    EXPECT_THAT(error_of(R"({"schema":1,"notes":)" + std::string(50'000, '[') + std::string(50'000, ']') + "}"),
                HasSubstr("'report.notes'"));
}

json entry(const std::string& definition, const std::string& document) {
    return json::array({definition, json::parse(document)});
}

TEST(JsonSchema, HoldsForEveryKindOfDocumentAndRefusesOthers) {
    json documents =
        json::array({entry("", report::render_json(full_report())), entry("", report::render_json(sample_report())),
                     entry("", report::render_json(Report{})),
                     entry("", report::render_error_json("upgrade", 6, "no", {"cause"}, {"hint"})),
                     entry("runs", report::render_runs_json({*full_report().last_run})),
                     entry("runs", report::render_runs_json({}))});
    json eaten = json::parse(report::render_json(full_report()));
    eaten["patches"][0]["fate"] = "eaten";
    documents.push_back(json::array({"", eaten}));
    const auto result = run_program({CARRY_PYTHON, CARRY_VALIDATE_JSON, CARRY_REPORT_SCHEMA}, {}, {}, documents.dump());
    if (result.exit_code == 77)
        GTEST_SKIP() << "python3 has no jsonschema";
    EXPECT_EQ(result.exit_code, 0) << result.error_output;
    EXPECT_THAT(result.output, HasSubstr("'eaten' is not one of"));
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
}

} // namespace
} // namespace carry::test
