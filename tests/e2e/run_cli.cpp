#include "run_cli.hpp"

#include "support/program.hpp"

#include <gtest/gtest.h>

namespace carry::test {

ProcessResult run_cli(const std::filesystem::path& directory, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), CARRY_PROGRAM);
    return run_program(std::move(arguments), directory);
}

JsonRun run_cli_json(const std::filesystem::path& directory, std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    auto result = run_cli(directory, std::move(arguments));
    JsonRun run{result.exit_code, nlohmann::json::parse(result.output, nullptr, false), result.error_output};
    EXPECT_FALSE(run.report.is_discarded()) << "no JSON: " << result.output << result.error_output;
    if (run.report.is_object() && run.report.contains("exit_code")) {
        EXPECT_EQ(run.report["exit_code"], run.exit_code);
    }
    return run;
}

} // namespace carry::test
