#include "cli/commands.hpp"

namespace carry::cli {

void add_status_commands(CLI::App& root, Invocation& invocation) {
    auto& status = add_command(root, invocation, "status",
                               "Show what is carried, what upstream has new and what the last run did\n\n"
                               "Nothing is fetched and nothing is changed: upstream is what was last fetched.");
    on_command(status, invocation,
               [](CommandRun& invoked) { return invoked.finish(carry::status(invoked.request())); });

    auto& snapshot = add_command(root, invocation, "snapshot",
                                 "Record the checkout as it is, without changing it\n\n"
                                 "HEAD, index, files and everything carried are kept with a run's records, out of "
                                 "reach of git gc; git carry undo RUN brings them back.");
    on_command(snapshot, invocation,
               [](CommandRun& invoked) { return invoked.finish(carry::take_snapshot(invoked.request())); });
}

} // namespace carry::cli
