#include "cli/commands.hpp"

namespace carry::cli {

void add_upgrade_commands(CLI::App& root, Invocation& invocation) {
    auto& check = add_command(root, invocation, "check",
                              "Show what an upgrade would do, and change nothing\n\n"
                              "Upstream is fetched, everything carried is merged away from the checkout, and the exit "
                              "code is that of the upgrade: 0 where everything would land, 3 where it would stop, 4 "
                              "where it would land in part.");
    add_upgrade_options(check, invocation);
    on_command(check, invocation, [](CommandRun& invoked) { return invoked.finish(carry::check(invoked.request())); });

    auto& upgrade = add_command(root, invocation, "upgrade",
                                "Bring the checkout onto the new upstream with everything it carries\n\n"
                                "Local commits, staged, unstaged and untracked changes are merged away from the "
                                "checkout first; then the checkout changes in one step, or not at all. git carry undo "
                                "goes back.");
    add_upgrade_options(upgrade, invocation);
    add_setting(upgrade, invocation, "--verify", "verify", "CMD",
                "Run this shell command on the new state; where it fails the upgrade is undone (can be repeated)");
    add_no_hooks(upgrade, invocation);
    on_command(upgrade, invocation,
               [](CommandRun& invoked) { return invoked.finish(carry::upgrade(invoked.request())); });
}

} // namespace carry::cli
