#include "cli/commands.hpp"

#include <memory>

namespace carry::cli {

void add_undo_command(CLI::App& root, Invocation& invocation) {
    auto& undo = add_command(root, invocation, "undo",
                             "Bring back the checkout as it was before the last run that changed it\n\n"
                             "HEAD, branch, index and files come back exactly; what was written since is stored and "
                             "named first. An undo is a run like any other: a second one brings the upgrade back.");
    const auto run = std::make_shared<std::string>();
    undo.add_option("RUN", *run, "Go to the state before this run (default: the last one that changed something)");
    add_no_hooks(undo, invocation);
    on_command(undo, invocation, [run](CommandRun& invoked) {
        return invoked.finish(
            carry::undo(invoked.request(), run->empty() ? std::nullopt : std::optional<std::string>(*run)));
    });
}

} // namespace carry::cli
