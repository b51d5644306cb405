#include "base/file.hpp"
#include "base/signal.hpp"
#include "cli/app.hpp"

#include <unistd.h>

int main(int argc, char** argv) {
    carry::install_signal_handlers();
    carry::cli::Ui ui([](std::string_view text) { carry::write_all(STDOUT_FILENO, text, "standard output"); },
                      [](std::string_view text) { carry::write_all(STDERR_FILENO, text, "standard error"); },
                      carry::cli::detect_terminal());
    // a program may be started without even its name
    const std::vector<std::string> arguments(argc > 0 ? argv + 1 : argv, argv + argc);
    return carry::cli::run(arguments, ui);
}
