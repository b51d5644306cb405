/// Where settings come from: command line, then --config FILE, then git's configuration (carry.*), then .carry.yaml in
/// the checkout (harmless keys only), then the defaults. One table of keys serves all sources.
#pragma once

#include "git/config.hpp"

#include <carry/settings.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::config {

/// May this source set this key? `.carry.yaml` may have arrived with a pull: no commands, no paths, no policies.
enum class Source { command_line, config_file, git_config, checkout_file };

/// One key of the table: its names in each source, how it is read into Settings, what it is for, its default as text
/// (for docs and `init`).
struct Key {
    std::string yaml_name; ///< "on-conflict"
    std::string git_name;  ///< "carry.onconflict" (compared without case)
    std::string type;      ///< "string", "boolean", "integer", "size", "list of strings", "stop|mark|park"
    std::string help;
    std::string default_text;
    bool harmless = false;
};
const std::vector<Key>& keys();

/// Sets one value; throws Error{usage} with `where` ("team.yaml:3:5") in the message for a wrong type or value.
void set_value(Settings& settings, std::string_view yaml_name, const std::vector<std::string>& values,
               std::string_view where);

/// Reads a YAML file over `settings`. Throws Error{usage}: unknown key (with the nearest known one as hint), wrong
/// type, each with file, line and column; a forbidden key in a checkout file names the sources it may come from.
void read_yaml_file(Settings& settings, const std::filesystem::path& file, Source source);
void read_git_config(Settings& settings, const git::Config& config);

/// Defaults, .carry.yaml of the worktree if there is one, git configuration, then --config. The command line is laid
/// over it by the caller.
Settings load_settings(const std::filesystem::path& worktree, const git::Config& config,
                       const std::optional<std::filesystem::path>& config_file);

} // namespace carry::config
