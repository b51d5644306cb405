#include "scene.hpp"

#include "tree_copy.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>

namespace carry::crash {
namespace {

namespace fs = std::filesystem;

/// Thousands of runs, each of which waits for the disk many times: in memory where there is such a place.
[[maybe_unused]] const bool in_memory = [] {
    return getenv("TMPDIR") == nullptr && access("/dev/shm", R_OK | W_OK | X_OK) == 0 &&
           setenv("TMPDIR", "/dev/shm", 1) == 0;
}();

int exit_code_of(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::failed:
        return 1;
    case ErrorKind::usage:
        return 2;
    case ErrorKind::refused:
        return 6;
    case ErrorKind::locked:
        return 7;
    case ErrorKind::interrupted:
        return 8;
    case ErrorKind::needs_person:
        return 9;
    }
    return 50;
}

Report report_of(const Request& request, const std::string& command) {
    if (command == "status")
        return status(request);
    if (command == "continue")
        return continue_run(request);
    if (command == "undo")
        return undo(request, std::nullopt);
    return upgrade(request);
}

} // namespace

int run_command(const fs::path& checkout, const std::string& command) {
    Request request;
    request.directory = checkout;
    request.command_line = [&](Settings& settings) {
        settings.offline = true; // what git fetch does is git's own
        if (command.ends_with("--verify"))
            settings.verify = {"true"};
        if (command.ends_with("--park"))
            settings.on_conflict = OnConflict::park;
        if (command.ends_with("--mark"))
            settings.on_conflict = OnConflict::mark;
    };
    try {
        return report_of(request, command).exit_code;
    } catch (const Error& error) {
        if (getenv("CARRY_CRASH_VERBOSE") != nullptr) {
            std::cerr << command << ": " << error.message() << '\n';
            for (const auto& cause : error.causes())
                std::cerr << "    " << cause << '\n';
        }
        return exit_code_of(error.kind());
    } catch (const std::exception& error) {
        std::cerr << command << ": " << error.what() << '\n';
        return 50;
    }
}

int run_in_child(const fs::path& checkout, const std::string& command, const std::optional<test::Fault>& fault) {
    std::cout.flush();
    const pid_t pid = fork();
    if (pid == 0) {
        if (fault)
            test::arm(*fault);
        _exit(run_command(checkout, command));
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Scene::Scene(std::string name, test::TempRepo upstream, test::TempRepo work, std::string command, int exit_code,
             std::vector<NextCommand> next, std::vector<std::string> submodules)
    : m_name(std::move(name)), m_upstream(std::move(upstream)), m_work(std::move(work)), m_command(std::move(command)),
      m_exit_code(exit_code), m_next(std::move(next)), m_checkouts(std::move(submodules)),
      m_template(std::make_unique<TemporaryDirectory>(fs::temp_directory_path(), "carry-template-")) {
    m_checkouts.insert(m_checkouts.begin(), ".");
    fs::remove_all(m_work.git_directory() / "hooks");
    copy_tree(checkout(), m_template->path() / "work");
    m_old = State(checkout(), m_checkouts);
    if (const int code = run_in_child(checkout(), m_command); code != exit_code)
        throw std::runtime_error("the command itself exits with " + std::to_string(code));
    m_new = State(checkout(), m_checkouts);
    reset();
}

void Scene::reset() const {
    fs::remove_all(checkout());
    copy_tree(m_template->path() / "work", checkout());
}

void Scene::begin_here(std::string name, std::string command) {
    m_name = std::move(name);
    m_command = std::move(command);
    fs::remove_all(m_template->path() / "work");
    copy_tree(checkout(), m_template->path() / "work");
}

} // namespace carry::crash
