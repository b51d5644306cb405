/// The rotating log of commands that may change a checkout: <gitdir>/carry/log/git-carry.log.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace carry::cli {

/// Written only where git-carry has records already (the directory <gitdir>/carry is there and is ours), and never
/// a reason for a command to fail.
class RunLog {
public:
    RunLog() = default; ///< logs nothing
    /// `directory` is anywhere inside the checkout; `command` is what was typed.
    RunLog(std::filesystem::path directory, std::string command);

    void note(std::string_view text);
    void end(int exit_code);

private:
    bool open();

    std::filesystem::path m_directory;
    std::string m_command;
    std::shared_ptr<spdlog::logger> m_logger;
};

/// The git directory of the worktree that holds `directory`, found without running git; empty where there is none.
std::filesystem::path find_git_directory(std::filesystem::path directory);

} // namespace carry::cli
