#include "support/environment.hpp"

#include "base/file.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace carry::test {

const std::filesystem::path& home() {
    static const TemporaryDirectory directory(std::filesystem::temp_directory_path(), "carry-home-");
    return directory.path();
}

EnvironmentChanges environment() {
    EnvironmentChanges changes;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (text.starts_with("GIT_"))
            changes.emplace_back(text.substr(0, text.find('=')), std::nullopt);
    }
    const std::pair<const char*, std::string> fixed[] = {
        {"HOME", home().string()},
        {"XDG_CONFIG_HOME", (home() / ".config").string()},
        {"GIT_CONFIG_GLOBAL", "/dev/null"},
        {"GIT_CONFIG_SYSTEM", "/dev/null"},
        {"GIT_TERMINAL_PROMPT", "0"},
        {"GIT_EDITOR", ":"},
        {"GIT_AUTHOR_NAME", "A U Thor"},
        {"GIT_AUTHOR_EMAIL", "author@example.com"},
        {"GIT_AUTHOR_DATE", "1767225600 +0000"},
        {"GIT_COMMITTER_NAME", "C O Mitter"},
        {"GIT_COMMITTER_EMAIL", "committer@example.com"},
        {"GIT_COMMITTER_DATE", "1767225600 +0000"},
        {"LC_ALL", "C"},
        {"TZ", "UTC"},
    };
    for (const auto& [name, value] : fixed)
        changes.emplace_back(name, value);
    return changes;
}

void apply_environment() {
    for (const auto& [name, value] : environment()) {
        if (value)
            setenv(name.c_str(), value->c_str(), 1);
        else
            unsetenv(name.c_str());
    }
}

} // namespace carry::test
