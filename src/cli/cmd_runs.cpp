#include "cli/commands.hpp"

#include <memory>

namespace carry::cli {

void add_run_commands(CLI::App& root, Invocation& invocation) {
    auto& runs = add_command(root, invocation, "runs", "List the runs that left a record");
    on_command(runs, invocation, [](CommandRun& invoked) { return invoked.finish(carry::runs(invoked.request())); });

    auto& show = add_command(root, invocation, "show",
                             "Show the report of a run again\n\n"
                             "The exit code is 0, whatever the run's was.");
    const auto run = std::make_shared<std::string>();
    show.add_option("RUN", *run, "Its id, or the beginning of it")->required();
    on_command(show, invocation, [run](CommandRun& invoked) {
        invoked.finish(carry::show(invoked.request(), *run));
        return 0;
    });
}

} // namespace carry::cli
