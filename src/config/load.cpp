// All sources, one over the other.
#include "config/settings.hpp"
#include "config/trust.hpp"

#include <carry/error.hpp>

namespace carry::config {
namespace {

void read_own_sources(Settings& settings, const git::Config& config,
                      const std::optional<std::filesystem::path>& config_file) {
    read_git_config(settings, config);
    if (config_file)
        read_yaml_file(settings, *config_file, Source::config_file);
}

} // namespace

Settings load_settings(const git::RepositoryPaths& paths, const git::Config& config,
                       const std::optional<std::filesystem::path>& config_file) {
    Settings settings;
    try {
        if (const auto file = read_checkout_file(paths.worktree))
            apply_checkout_file(settings, *file, TrustList(paths.carry_dir()).contains(file->text));
    } catch (const Error&) {
        settings = Settings(); // preflight says what is wrong with it
    }
    read_own_sources(settings, config, config_file);
    return settings;
}

Settings settings_with(const CheckoutFile& file, const git::Config& config,
                       const std::optional<std::filesystem::path>& config_file) {
    Settings settings;
    apply_checkout_file(settings, file, true);
    read_own_sources(settings, config, config_file);
    return settings;
}

} // namespace carry::config
