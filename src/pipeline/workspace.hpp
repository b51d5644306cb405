/// What every command starts with: the checkout opened, the settings in force, one run at a time, and a crashed run
/// finished or reversed first.
#pragma once

#include "base/lock.hpp"
#include "git/repository.hpp"
#include "merge/resolution.hpp"
#include "pipeline/run_store.hpp"

#include <carry/commands.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace carry::pipeline {

/// Does the command change something (it then holds the lock), or only look?
enum class Access { look, change };

class Workspace {
public:
    /// Throws Error: refused (no repository), usage (settings), locked, needs_person. A command that only looks goes on
    /// without the lock where another git-carry holds it.
    static Workspace open(const Request& request, Access access);

    /// The submodule that is checked out at `path`, as part of a run of this checkout: its own repository, lock and
    /// parked patches, this one's settings and run records. Throws Error{refused} naming the submodule.
    Workspace nested(const std::string& path);
    /// From the top checkout to this one: "libs/sub/"; empty for the top itself.
    [[nodiscard]] const std::string& prefix() const noexcept { return m_prefix; }
    /// A path of this checkout as the report names it.
    [[nodiscard]] std::string shown(const std::string& path) const;

    git::Repository& repository() noexcept { return *m_repository; }
    [[nodiscard]] const Settings& settings() const noexcept { return m_settings; }
    RunStore& runs() noexcept { return *m_runs; }
    /// What is remembered of former conflicts, opened on first use; null where settings.resolutions is off.
    merge::ResolutionMemory* resolutions();
    [[nodiscard]] const Request& request() const noexcept { return *m_request; }

    void progress(std::string_view stage, std::string_view text = {}) const;
    /// Lets go of the run lock while the user's verify commands run, and takes it again.
    void unlock() { m_lock.reset(); }
    void lock();

    /// A report with the checkout's names filled in.
    [[nodiscard]] Report report(std::string command);

private:
    Workspace() = default;
    void recover();
    /// Says that we are here, and clears away what the dead have left.
    void enter(bool crashed);
    /// No lock is held while verify commands run; the state says that they do.
    void refuse_while_verifying() const;
    std::unique_ptr<git::Repository> m_repository;
    std::unique_ptr<RunStore> m_runs;
    std::unique_ptr<merge::ResolutionMemory> m_resolutions;
    Settings m_settings;
    const Request* m_request = nullptr;
    std::string m_prefix;
    std::optional<FileLock> m_lock;
    std::optional<PresenceLock> m_presence;
};

} // namespace carry::pipeline
