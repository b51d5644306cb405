// Every --help, word for word. With CARRY_UPDATE_GOLDENS=1 the files are written anew: look at the difference.
#include "base/file.hpp"
#include "run_cli.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace carry::test {
namespace {

namespace fs = std::filesystem;

class Help : public ::testing::TestWithParam<const char*> {};

TEST_P(Help, IsAsItsGolden) {
    const std::string command = GetParam();
    const auto arguments =
        command.empty() ? std::vector<std::string>{"--help"} : std::vector{command, std::string("--help")};
    const auto result = run_cli(fs::temp_directory_path(), arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.error_output, "");
    const fs::path golden = fs::path(CARRY_GOLDEN_DIR) / (command.empty() ? "help.txt" : "help-" + command + ".txt");
    if (std::getenv("CARRY_UPDATE_GOLDENS") != nullptr) { // NOLINT(concurrency-mt-unsafe)
        std::ofstream(golden, std::ios::binary) << result.output;
        GTEST_SKIP() << "written anew: " << golden;
    }
    EXPECT_EQ(result.output, read_file(golden));
}

INSTANTIATE_TEST_SUITE_P(All, Help,
                         ::testing::Values("", "status", "snapshot", "check", "upgrade", "continue", "abort", "undo",
                                           "runs", "show", "export", "apply", "resolutions", "import", "merge-file",
                                           "prune", "trust"),
                         [](const auto& tested) {
                             std::string name = *tested.param == '\0' ? "program" : tested.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

} // namespace
} // namespace carry::test
