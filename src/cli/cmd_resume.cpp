#include "cli/commands.hpp"

namespace carry::cli {

void add_resume_commands(CLI::App& root, Invocation& invocation) {
    auto& resume = add_command(root, invocation, "continue",
                               "Go on after the marked conflicts of an upgrade are resolved\n\n"
                               "Resolve the files and git add them first. What still waits is applied on top, and may "
                               "stop at the next conflict.");
    add_setting(resume, invocation, "--verify", "verify", "CMD",
                "Run this shell command on the new state; where it fails the upgrade is undone (can be repeated)");
    add_no_resolutions(resume, invocation, "Neither remember nor use how conflicts are resolved");
    add_no_hooks(resume, invocation);
    on_command(resume, invocation,
               [](CommandRun& invoked) { return invoked.finish(carry::continue_run(invoked.request())); });

    auto& abort = add_command(root, invocation, "abort",
                              "Go back to before the upgrade whose conflicts are marked\n\n"
                              "What was written since is stored and named first.");
    add_no_hooks(abort, invocation);
    on_command(abort, invocation,
               [](CommandRun& invoked) { return invoked.finish(carry::abort_run(invoked.request())); });
}

} // namespace carry::cli
