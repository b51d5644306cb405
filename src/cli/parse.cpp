#include "cli/app.hpp"
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/parse_errors.hpp"

#include <carry/version.hpp>

#include <algorithm>
#include <array>

namespace carry::cli {
namespace {

constexpr const char* program_about =
    "Keep the changes a checkout carries on top of its upstream, across every upgrade\n\n"
    "Local commits, staged, unstaged and untracked changes are merged onto the new upstream away from the checkout; "
    "then the checkout changes in one step, or not at all.";

constexpr const char* exit_codes = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 conflicts (checkout untouched),\n"
                                   "4 landed in part, 5 verification failed, 6 refused, 7 locked, 8 interrupted,\n"
                                   "9 recovery needs a person. The manual page says more: man git-carry";

constexpr std::array read_only = {"status", "check", "runs", "show", "export", "merge-file"};

void build(CLI::App& root, Invocation& invocation) {
    root.set_help_flag();
    root.require_subcommand(0, 1);
    add_status_commands(root, invocation);
    add_upgrade_commands(root, invocation);
    add_resume_commands(root, invocation);
    add_undo_command(root, invocation);
    add_run_commands(root, invocation);
    add_patch_commands(root, invocation);
    add_resolution_commands(root, invocation);
    add_merge_file_command(root, invocation);
    add_trust_command(root, invocation);
    add_prune_command(root, invocation);
    add_common_options(root, invocation);
    add_plain_flag(root, "--version", "Show the version")->group(root.get_option("--help")->get_group());
    root.footer(exit_codes);
}

bool asks_for(const CLI::App& app, const std::string& flag) {
    return app.get_option(flag)->count() > 0;
}

/// A person who asks for help gets it, whatever else the line holds or lacks.
bool shows_help(const CLI::App& root, Invocation& invocation) {
    const auto named = root.get_subcommands();
    const CLI::App& app = named.empty() ? root : *named.front();
    if (!asks_for(root, "--help") && !asks_for(app, "--help"))
        return false;
    invocation = Invocation();
    invocation.text = help_text(app);
    return true;
}

} // namespace

Invocation parse_command_line(const std::vector<std::string>& arguments) {
    Invocation invocation;
    CLI::App root(program_about, "git-carry");
    build(root, invocation);
    if (arguments.empty()) {
        invocation.text = help_text(root);
        return invocation;
    }
    try {
        root.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend())); // CLI11 takes them from the back
    } catch (const CLI::ParseError& error) {
        if (shows_help(root, invocation))
            return invocation;
        throw usage_error(root, error);
    }
    if (shows_help(root, invocation))
        return invocation;
    if (asks_for(root, "--version"))
        invocation.text = "git-carry version " + std::string(version()) + '\n';
    else if (!invocation.action)
        throw Error(ErrorKind::usage, "no command is named", {"git carry --help   lists the commands"});
    invocation.may_change = std::find(read_only.begin(), read_only.end(), invocation.command) == read_only.end();
    return invocation;
}

} // namespace carry::cli
