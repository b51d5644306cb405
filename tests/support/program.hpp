/// Running a program in the clean environment.
#pragma once

#include "base/process.hpp"
#include "support/environment.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace carry::test {

/// Runs to the end: exit_code, output, error_output. `extra` is laid over environment().
ProcessResult run_program(std::vector<std::string> argv, const std::filesystem::path& directory = {},
                          const EnvironmentChanges& extra = {}, std::string input = {});

} // namespace carry::test
