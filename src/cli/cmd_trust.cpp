#include "cli/commands.hpp"

#include <carry/trust.hpp>

#include <memory>

namespace carry::cli {

void add_trust_command(CLI::App& root, Invocation& invocation) {
    auto& command = add_command(root, invocation, "trust",
                                "Let the checkout's .carry.yaml decide, as it stands now\n\n"
                                "That file may have come with a pull, so commands and policies in it count only after "
                                "this. When the file changes, it has to be trusted anew.");
    const auto show = std::make_shared<bool>(false);
    const auto revoke = std::make_shared<bool>(false);
    auto* shows =
        command.add_flag("--show", *show, "Show what the file sets, and whether it is trusted; change nothing");
    command.add_flag("--revoke", *revoke, "Trust no version of it any more")->excludes(shows);
    on_command(command, invocation, [show, revoke](CommandRun& invoked) {
        const Trust action = *show ? Trust::show : *revoke ? Trust::revoke : Trust::give;
        return invoked.finish(carry::trust(invoked.request(), action));
    });
}

} // namespace carry::cli
