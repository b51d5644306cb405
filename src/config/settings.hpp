/// Where settings come from: command line, then --config FILE, then git's configuration (carry.*), then .carry.yaml in
/// the checkout (harmless keys only, unless it is trusted), then the defaults. One table of keys serves all sources.
#pragma once

#include "git/config.hpp"

#include <carry/settings.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::config {

/// May this source set this key? `.carry.yaml` may have arrived with a pull: no commands, no paths, no policies, unless
/// the user trusts it as it stands.
enum class Source { command_line, config_file, git_config, checkout_file, trusted_checkout_file };

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

/// Equal in everything that a source can set.
bool same_settings(const Settings& a, const Settings& b);

/// Reads a YAML file over `settings`. Throws Error{usage}: unknown key (with the nearest known one as hint), wrong
/// type, each with file, line and column. Of a checkout file only harmless keys are set, the others are passed over.
void read_yaml_file(Settings& settings, const std::filesystem::path& file, Source source);
void read_git_config(Settings& settings, const git::Config& config);

/// A .carry.yaml: its bytes, read once, so that what is trusted is what is parsed.
struct CheckoutFile {
    std::string text;
    /// What it sets besides harmless keys, with the values, in the order of the file.
    std::vector<std::pair<std::string, std::vector<std::string>>> decisions;
};
/// Nothing where the worktree has none. Throws Error{usage} where it is malformed, no plain file or too large.
std::optional<CheckoutFile> read_checkout_file(const std::filesystem::path& worktree);
/// Lays it over `settings`; where it is not trusted, only what is harmless.
void apply_checkout_file(Settings& settings, const CheckoutFile& file, bool trusted);

/// Defaults, .carry.yaml of the worktree as far as it is trusted, git configuration, then --config. The command line is
/// laid over it by the caller. A .carry.yaml with a fault is passed over here: it must not keep anybody from going
/// back.
Settings load_settings(const git::RepositoryPaths& paths, const git::Config& config,
                       const std::optional<std::filesystem::path>& config_file);
/// The same with `file` in full, whether or not it is trusted.
Settings settings_with(const CheckoutFile& file, const git::Config& config,
                       const std::optional<std::filesystem::path>& config_file);

} // namespace carry::config
