#include "cli/run_log.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace carry::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = 1U << 20U;
constexpr std::size_t files_kept = 3;

bool is_our_directory(const fs::path& path) {
    const auto status = lstat_if_exists(path);
    return status && S_ISDIR(status->st_mode) && status->st_uid == geteuid();
}

std::shared_ptr<spdlog::logger> open_log(const fs::path& carry_directory) {
    const fs::path directory = carry_directory / "log";
    make_directories(directory, 0700);
    spdlog::file_event_handlers handlers;
    handlers.after_open = [](const spdlog::filename_t&, std::FILE* file) { fchmod(fileno(file), 0600); };
    auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_st>((directory / "git-carry.log").string(),
                                                                       largest_file, files_kept, false, handlers);
    auto logger = std::make_shared<spdlog::logger>("git-carry", std::move(sink));
    logger->set_pattern("%Y-%m-%dT%H:%M:%S%z %P  %v");
    logger->set_error_handler([](const std::string&) {});
    logger->flush_on(spdlog::level::info);
    return logger;
}

} // namespace

fs::path find_git_directory(fs::path directory) {
    std::error_code error;
    directory = fs::absolute(directory, error).lexically_normal();
    for (; !error && !directory.empty(); directory = directory.parent_path()) {
        fs::path git = directory / ".git";
        const auto status = lstat_if_exists(git);
        if (status && S_ISDIR(status->st_mode))
            return git;
        if (status && S_ISREG(status->st_mode)) {
            // a linked worktree or a submodule: "gitdir: PATH"
            constexpr std::string_view key = "gitdir: ";
            const std::string text = read_file(git);
            if (text.starts_with(key))
                return directory / fs::path(trim(std::string_view(text).substr(key.size())));
        }
        if (directory == directory.parent_path())
            break;
    }
    return {};
}

RunLog::RunLog(fs::path directory, std::string command)
    : m_directory(std::move(directory)), m_command(std::move(command)) {
    if (open())
        note("begin " + m_command);
}

bool RunLog::open() {
    if (m_logger)
        return true;
    if (m_command.empty())
        return false;
    try {
        const fs::path git = find_git_directory(m_directory);
        if (git.empty() || !is_our_directory(git / "carry"))
            return false;
        m_logger = open_log(git / "carry");
        return true;
    } catch (const std::exception&) {
        return false; // a command does not fail for want of a log
    }
}

void RunLog::note(std::string_view text) {
    if (m_logger)
        m_logger->info(escape_terminal(text));
}

void RunLog::end(int exit_code) {
    if (open()) // the first run has made the directory only now
        note(fmt::format("end {}, exit {}", m_command, exit_code));
}

} // namespace carry::cli
