/// The program: understand the command line, run the command, show what came of it.
#pragma once

#include "cli/invocation.hpp"
#include "cli/ui.hpp"

#include <string>
#include <vector>

namespace carry::cli {

/// Understands the arguments (without the program's name). Throws Error{usage}.
Invocation parse_command_line(const std::vector<std::string>& arguments);

/// Everything from the arguments to the exit code. Nothing is thrown.
int run(const std::vector<std::string>& arguments, Ui& ui);

} // namespace carry::cli
