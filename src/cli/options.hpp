/// Options as they are added to commands, so that each means and reads the same everywhere.
#pragma once

#include "cli/invocation.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace carry::cli {

/// A command of the tree with the common options. The first line of `about` is what it does; the rest, behind an empty
/// line, says more. `invocation` outlives the tree.
CLI::App& add_command(CLI::App& root, Invocation& invocation, const std::string& name, const std::string& about);

/// --json, -C, -q, -v, --color, --config, --upstream.
void add_common_options(CLI::App& app, Invocation& invocation);

/// An option that sets `key` of the settings table; a wrong value throws Error{usage} while parsing.
CLI::Option* add_setting(CLI::App& app, Invocation& invocation, const std::string& flag, const std::string& key,
                         const std::string& value_name, const std::string& help);

/// A flag that is only asked for, with count().
CLI::Option* add_plain_flag(CLI::App& app, const std::string& names, const std::string& help);

/// What runs where the command was named.
void on_command(CLI::App& command, Invocation& invocation, std::function<int(CommandRun&)> action);

/// --to, --base, --on-conflict, --integrate, --rules, --offline: what an upgrade and its check take.
void add_upgrade_options(CLI::App& app, Invocation& invocation);
/// --no-resolutions
void add_no_resolutions(CLI::App& app, Invocation& invocation, const std::string& help);
/// --no-hooks: of every command that moves HEAD.
void add_no_hooks(CLI::App& app, Invocation& invocation);
void add_on_conflict(CLI::App& app, Invocation& invocation);
/// --rules.
void add_rules(CLI::App& app, Invocation& invocation);

} // namespace carry::cli
