/// A command line, understood: what to run, with which words.
#pragma once

#include <carry/settings.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace carry::cli {

class CommandRun;

/// Options that every command takes.
struct CommonOptions {
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    std::string color = "auto";
    std::vector<std::string> directories; ///< each relative to the one before, as git's -C
    std::string config_file;              ///< empty: none
};

struct Invocation {
    CommonOptions common;
    std::string command; ///< "upgrade"; empty: none was named
    /// What the command line sets, in its order.
    std::vector<std::function<void(Settings&)>> words;
    bool may_change = false; ///< the command may write to the checkout or its records
    /// Runs the command and returns its exit code. Empty: there is only `text` to show.
    std::function<int(CommandRun&)> action;
    std::string text; ///< help or version

    /// Where the command works.
    [[nodiscard]] std::filesystem::path directory() const;
    /// A path of the command line, which counts from directory().
    [[nodiscard]] std::filesystem::path path(const std::string& word) const { return directory() / word; }
};

} // namespace carry::cli
