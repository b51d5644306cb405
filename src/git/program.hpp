/// Running the git program on one repository: the only place that builds its command lines and environment.
#pragma once

#include "base/process.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carry::git {

/// Where a repository is, as `git rev-parse` says it; all absolute.
struct RepositoryPaths {
    std::filesystem::path worktree;   ///< top of the working tree
    std::filesystem::path git_dir;    ///< of this worktree (.git/worktrees/x for a linked one)
    std::filesystem::path common_dir; ///< objects, refs and config live here
    [[nodiscard]] std::filesystem::path carry_dir() const { return git_dir / "carry"; }
    [[nodiscard]] std::filesystem::path carry_objects() const { return carry_dir() / "objects"; }
};

struct RunOptions {
    std::string input = {};
    std::vector<std::pair<std::string, std::optional<std::string>>> environment = {};
    std::filesystem::path directory = {}; ///< empty: the worktree
    std::function<void(std::string_view)> on_error_output = {};
    /// Each piece of standard output; where set, it is not collected.
    std::function<void(std::string_view)> on_output = {};
    std::chrono::milliseconds stall_timeout{0};
    std::chrono::milliseconds time_limit{0};
    /// Reads and writes objects in git-carry's own object directory (the repository's as its alternate).
    bool private_objects = false;
};

/// The names, each ended by NUL: what `-z --stdin` reads.
std::string nul_terminated(const std::vector<std::string>& names);

/// Value type; cheap to copy. Every command runs in the worktree with LC_ALL=C, GIT_TERMINAL_PROMPT=0,
/// GIT_OPTIONAL_LOCKS=0, no pager, no editor. GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_OBJECT_DIRECTORY and the
/// other repository-local variables (`git rev-parse --local-env-vars`) are removed, but for those that carry
/// configuration
/// (`git -c`); GIT_DIR and GIT_WORK_TREE are set where git would not find the repository from the worktree.
/// Names are exchanged through -z forms only.
class Program {
public:
    explicit Program(RepositoryPaths paths);

    [[nodiscard]] const RepositoryPaths& paths() const noexcept { return m_paths; }

    /// Output of `git ARGS…`. Throws Error{failed} "git ARGS[0] failed" with git's words as cause on any other exit
    /// than 0.
    std::string output(const std::vector<std::string>& args, const RunOptions& options = {}) const;
    /// output() without its last newline.
    std::string line(const std::vector<std::string>& args, const RunOptions& options = {}) const;
    /// Any exit code is an answer.
    ProcessResult run(const std::vector<std::string>& args, const RunOptions& options = {}) const;
    /// A hook: `file` with `args`, in the environment that git would give it; standard error goes where standard output
    /// goes. Throws Error{failed} where it cannot be started.
    ProcessResult run_hook(const std::filesystem::path& file, const std::vector<std::string>& args,
                           const RunOptions& options = {}) const;
    /// A git that is talked to (cat-file --batch, update-ref --stdin).
    Child start(const std::vector<std::string>& args, const RunOptions& options = {}) const;

private:
    [[nodiscard]] ProcessSpec spec(const std::vector<std::string>& args, const RunOptions& options) const;
    RepositoryPaths m_paths;
    bool m_discovered; ///< git finds the repository from the worktree by itself; otherwise GIT_DIR names it
};

/// What git said on standard error, without "fatal: "; its exit code where it said nothing. For Error::because().
std::string words_of(const ProcessResult& result);

/// "git version 2.39.5" -> {2,39,5}. Throws Error{failed} where there is no git or it is older than 2.30.
std::vector<int> require_git_version();

} // namespace carry::git
