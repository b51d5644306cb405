/// git's effective configuration, as `git config -lz --show-origin --show-scope` tells it; read once, then a value.
#pragma once

#include "git/program.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carry::git {

class Config {
public:
    struct Entry {
        std::string key;                  ///< section and name lower case, subsection as it is: "branch.Main.remote"
        std::optional<std::string> value; ///< nothing: "[core] bare" without "="
        std::string origin;               ///< "file:.git/config"
        std::string scope;                ///< system, global, local, worktree, command
    };
    static Config read(const Program& program);

    /// The last value wins, as in git; "" where the key stands without "=". Section and name of a key may be written
    /// in any case ("core.autoCRLF").
    [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
    [[nodiscard]] std::vector<std::string> get_all(std::string_view key) const;
    /// git's booleans (true/yes/on/1, no value, false/no/off/0/""). Throws Error{usage} naming key and origin
    /// otherwise.
    [[nodiscard]] std::optional<bool> get_bool(std::string_view key) const;
    /// git's integers with k, m, g. Throws as above.
    [[nodiscard]] std::optional<std::int64_t> get_int(std::string_view key) const;
    /// Entries whose key starts with `prefix` ("carry."), in order.
    [[nodiscard]] std::vector<Entry> with_prefix(std::string_view prefix) const;

private:
    [[nodiscard]] const Entry* last(std::string_view key) const;
    std::vector<Entry> m_entries;
    std::multimap<std::string, std::size_t, std::less<>> m_by_key;
};

} // namespace carry::git
