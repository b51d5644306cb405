#include "pipeline/workspace.hpp"

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "config/settings.hpp"
#include "pipeline/settle.hpp"
#include "pipeline/stale.hpp"
#include "transaction/recovery.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

namespace carry::pipeline {

Workspace Workspace::open(const Request& request, Access access) {
    Workspace workspace;
    workspace.m_request = &request;
    workspace.m_repository = std::make_unique<git::Repository>(git::Repository::open(request.directory));
    const auto& paths = workspace.m_repository->paths();
    workspace.m_settings = config::load_settings(paths, workspace.m_repository->config(), request.config_file);
    if (request.command_line)
        request.command_line(workspace.m_settings);
    workspace.m_repository->use_program_store(workspace.m_settings.program_objects);
    workspace.m_runs = std::make_unique<RunStore>(paths);
    if (access == Access::change) {
        make_directories(paths.carry_dir(), 0700);
        workspace.lock();
    }
    const bool crashed = transaction::needs_recovery(workspace.m_runs->root()) || needs_settling(*workspace.m_runs);
    workspace.recover();
    workspace.enter(crashed);
    if (access == Access::change)
        workspace.refuse_while_verifying();
    return workspace;
}

merge::ResolutionMemory* Workspace::resolutions() {
    if (!m_settings.resolutions)
        return nullptr;
    if (!m_resolutions)
        m_resolutions = std::make_unique<merge::ResolutionMemory>(merge::ResolutionStore(*m_repository));
    return m_resolutions.get();
}

Workspace Workspace::nested(const std::string& path) {
    const auto directory = m_repository->paths().worktree / path;
    Workspace workspace;
    workspace.m_request = m_request;
    workspace.m_prefix = m_prefix + path + "/";
    workspace.m_settings = m_settings;
    workspace.m_settings.to.reset();
    workspace.m_settings.upstream.reset();
    const auto refuse = [&] {
        throw Error(ErrorKind::refused, fmt::format("the submodule {} is no repository of its own", shown(path)),
                    {fmt::format("git submodule update --init {}", shell_quote(path))});
    };
    // a link in its place leads to somebody else's repository
    if (!is_safe_repo_path(path) || !DirectoryTree(m_repository->paths().worktree).open(path))
        refuse();
    workspace.m_repository = std::make_unique<git::Repository>(git::Repository::open(directory));
    const auto& paths = workspace.m_repository->paths();
    if (!std::filesystem::equivalent(paths.worktree, directory))
        refuse();
    workspace.m_repository->use_program_store(m_settings.program_objects);
    // What a run of the submodule's own left behind is settled as its own next command would do it.
    const RunStore own(paths);
    if (transaction::needs_recovery(own.root()) || needs_settling(own)) {
        auto request = *m_request;
        request.directory = directory;
        open(request, m_lock ? Access::change : Access::look);
    }
    workspace.m_runs = std::make_unique<RunStore>(m_runs->nested(paths, path));
    if (m_lock) {
        make_directories(paths.carry_dir(), 0700);
        workspace.lock();
    }
    workspace.enter(false);
    return workspace;
}

void Workspace::enter(bool crashed) {
    // Where there is no such directory yet, nobody has left anything in it.
    if (lstat_if_exists(m_runs->root()))
        m_presence = PresenceLock::enter(m_runs->root(), [&] {
            if (!transaction::needs_recovery(m_runs->root()))
                remove_stale(*m_runs, crashed);
        });
}

std::string Workspace::shown(const std::string& path) const {
    return quote_path(m_prefix + path);
}

void Workspace::lock() {
    const auto path = m_runs->root() / "lock";
    m_lock = FileLock::try_acquire(path);
    if (m_lock)
        return;
    const auto holder = FileLock::holder(path);
    throw Error(ErrorKind::locked,
                fmt::format("another git-carry{} is at work in {}", holder ? fmt::format(" (process {})", *holder) : "",
                            quoted(m_repository->paths().worktree.string())),
                {"wait until it has ended, then run the command again"});
}

void Workspace::refuse_while_verifying() const {
    for (const auto& record : m_runs->all())
        if (record.state == RunState::verifying)
            throw Error(ErrorKind::locked, fmt::format("run {} is being verified", record.id),
                        {"wait until it has ended, then run the command again"});
}

void Workspace::recover() {
    const bool journal = transaction::needs_recovery(m_runs->root());
    if (!journal && !needs_settling(*m_runs))
        return;
    const bool looking = !m_lock;
    if (looking) {
        m_lock = FileLock::try_acquire(m_runs->root() / "lock");
        if (!m_lock)
            return; // it is not a crash: somebody is at work
    }
    const auto recovery =
        journal ? transaction::recover(m_runs->root(), *m_repository) : std::optional<transaction::Recovery>{};
    settle_runs(*this, recovery);
    if (looking)
        m_lock.reset();
}

void Workspace::progress(std::string_view stage, std::string_view text) const {
    if (m_request->progress)
        m_request->progress({std::string(stage), std::string(text)});
}

Report Workspace::report(std::string command) {
    Report report;
    report.command = std::move(command);
    report.repository = quote_path(m_repository->paths().worktree.string());
    const auto head = m_repository->head();
    report.branch = quote_path(head.display());
    report.old_head = head.commit.hex();
    report.new_head = report.old_head;
    report.time = now_seconds();
    return report;
}

} // namespace carry::pipeline
