#include "pipeline/workspace.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "config/settings.hpp"
#include "pipeline/settle.hpp"
#include "transaction/recovery.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

namespace carry::pipeline {

Workspace Workspace::open(const Request& request, Access access) {
    Workspace workspace;
    workspace.m_request = &request;
    workspace.m_repository = std::make_unique<git::Repository>(git::Repository::open(request.directory));
    const auto& paths = workspace.m_repository->paths();
    workspace.m_settings = config::load_settings(paths.worktree, workspace.m_repository->config(), request.config_file);
    if (request.command_line)
        request.command_line(workspace.m_settings);
    workspace.m_repository->use_program_store(workspace.m_settings.program_objects);
    workspace.m_runs = std::make_unique<RunStore>(paths);
    if (access == Access::change) {
        make_directories(paths.carry_dir(), 0700);
        workspace.lock();
    }
    workspace.recover();
    if (access == Access::change)
        workspace.refuse_while_verifying();
    return workspace;
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
