/// One function a command, or a small family: each adds its commands to the tree and says what runs.
#pragma once

#include "cli/command_run.hpp"
#include "cli/options.hpp"

namespace carry::cli {

void add_status_commands(CLI::App& root, Invocation& invocation);  ///< status, snapshot
void add_upgrade_commands(CLI::App& root, Invocation& invocation); ///< check, upgrade
void add_resume_commands(CLI::App& root, Invocation& invocation);  ///< continue, abort
void add_undo_command(CLI::App& root, Invocation& invocation);
void add_run_commands(CLI::App& root, Invocation& invocation);        ///< runs, show
void add_patch_commands(CLI::App& root, Invocation& invocation);      ///< export, apply
void add_resolution_commands(CLI::App& root, Invocation& invocation); ///< resolutions, import
void add_merge_file_command(CLI::App& root, Invocation& invocation);
void add_trust_command(CLI::App& root, Invocation& invocation);
void add_prune_command(CLI::App& root, Invocation& invocation);

} // namespace carry::cli
