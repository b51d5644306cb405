#include "support/program.hpp"

namespace carry::test {

ProcessResult run_program(std::vector<std::string> argv, const std::filesystem::path& directory,
                          const EnvironmentChanges& extra, std::string input) {
    ProcessSpec spec;
    spec.argv = std::move(argv);
    spec.directory = directory;
    spec.environment = environment();
    spec.environment.insert(spec.environment.end(), extra.begin(), extra.end());
    spec.input = std::move(input);
    return run_process(spec);
}

} // namespace carry::test
