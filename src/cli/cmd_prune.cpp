#include "cli/commands.hpp"

namespace carry::cli {

void add_prune_command(CLI::App& root, Invocation& invocation) {
    auto& prune = add_command(root, invocation, "prune",
                              "Remove the records of old runs\n\n"
                              "The last runs that changed the checkout stay, and any that waits or has patches set "
                              "aside. Every upgrade does the same at its end.");
    add_setting(prune, invocation, "--keep", "keep-runs", "N",
                "How many runs that changed the checkout to keep (default: 30)");
    on_command(prune, invocation, [](CommandRun& invoked) { return invoked.finish(carry::prune(invoked.request())); });
}

} // namespace carry::cli
