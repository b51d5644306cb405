#include "cli/commands.hpp"

#include <memory>

namespace carry::cli {

void add_undo_command(CLI::App& root, Invocation& invocation) {
    auto& undo = add_command(root, invocation, "undo",
                             "Bring back the checkout as it was before the last run that changed it\n\n"
                             "HEAD, branch, index and files come back exactly; what was written since is stored and "
                             "named first. An undo is a run like any other: a second one brings the upgrade back.");
    const auto run = std::make_shared<std::string>();
    const auto force = std::make_shared<bool>(false);
    undo.add_option("RUN", *run, "Go to the state before this run (default: the last one that changed something)");
    undo.add_flag("--force", *force, "Even where newer runs changed the checkout: they are taken back with RUN");
    add_no_hooks(undo, invocation);
    on_command(undo, invocation, [run, force](CommandRun& invoked) {
        return invoked.finish(
            carry::undo(invoked.request(), run->empty() ? std::nullopt : std::optional<std::string>(*run), *force));
    });
}

} // namespace carry::cli
