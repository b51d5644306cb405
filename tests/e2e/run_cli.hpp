/// Running git-carry itself.
#pragma once

#include "base/process.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace carry::test {

/// Runs `git-carry ARGUMENTS` in `directory`, in the tests' clean environment, without a terminal.
ProcessResult run_cli(const std::filesystem::path& directory, std::vector<std::string> arguments);

/// What a run with --json said: its exit code and its document.
struct JsonRun {
    int exit_code = 0;
    nlohmann::json report;
    std::string error_output;
};

/// Adds --json; a test failure where standard output is not one document, or its exit_code is not the program's.
JsonRun run_cli_json(const std::filesystem::path& directory, std::vector<std::string> arguments);

} // namespace carry::test
