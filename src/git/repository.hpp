/// One checkout: where it is, what HEAD is, which upstream it follows, and the handles that work on it.
#pragma once

#include "git/capabilities.hpp"
#include "git/config.hpp"
#include "git/object_store.hpp"
#include "git/program.hpp"
#include "git/tree.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carry::git {

struct Head {
    std::optional<std::string> branch; ///< "refs/heads/main"; nothing when detached
    ObjectId commit;                   ///< null on an unborn branch
    /// "main", or "detached HEAD".
    [[nodiscard]] std::string display() const;
};

/// What a branch follows.
struct Upstream {
    std::string remote;                        ///< "origin"; "." where it follows a local branch
    std::string merge_ref;                     ///< on the remote: "refs/heads/main"
    std::string tracking_ref;                  ///< here: "refs/remotes/origin/main"
    [[nodiscard]] std::string display() const; ///< "origin/main"
};

/// An operation of git's that waits for its end.
enum class Operation { none, merge, rebase, cherry_pick, revert, bisect, am, sequencer };
std::string_view to_string(Operation operation);

class Repository {
public:
    /// Finds the repository of `directory` through `git rev-parse` (so safe.directory, GIT_CEILING… are git's
    /// decision). Throws Error{refused}: not a repository, a bare one, inside .git, owned by somebody else (names the
    /// owner and says what to type: sudo -u OWNER, or the safe.directory command); also to root in another user's tree.
    /// Error{usage} where there is no such directory.
    static Repository open(const std::filesystem::path& directory);

    [[nodiscard]] const RepositoryPaths& paths() const noexcept { return m_program.paths(); }
    [[nodiscard]] const Program& program() const noexcept { return m_program; }
    [[nodiscard]] const Config& config() const noexcept { return m_config; }
    [[nodiscard]] const Capabilities& capabilities() const noexcept { return m_capabilities; }

    /// Opened on first use; libgit2's where capabilities allow it, else git's.
    ObjectStore& objects();
    TreeReader& trees();
    /// For tests and --object-store: which one to use; before the first objects().
    void use_program_store(bool yes) noexcept { m_force_program_store = yes; }

    [[nodiscard]] Head head() const;
    [[nodiscard]] Operation operation() const;
    /// Of the current branch (branch.*.remote/merge). Nothing where none is configured, or where the remote's refspecs
    /// keep no remote-tracking branch for it; the remote-tracking branch need not exist yet.
    [[nodiscard]] std::optional<Upstream> upstream() const;
    [[nodiscard]] std::optional<Upstream> upstream_of(const std::string& branch) const; ///< "refs/heads/main"
    [[nodiscard]] std::vector<std::string> remotes() const;
    /// refs/remotes/<remote>/HEAD's target.
    [[nodiscard]] std::optional<std::string> remote_head(const std::string& remote) const;

    /// `git rev-parse --verify REV^{commit}`; nothing where it does not resolve.
    [[nodiscard]] std::optional<ObjectId> resolve_commit(const std::string& revision) const;
    /// A full ref name for what the user typed ("origin/main" -> "refs/remotes/origin/main"); nothing where it is no
    /// ref.
    [[nodiscard]] std::optional<std::string> full_ref_name(const std::string& name) const;
    [[nodiscard]] std::optional<ObjectId> read_ref(const std::string& full_name) const;

private:
    explicit Repository(Program program);
    Program m_program;
    Config m_config;
    Capabilities m_capabilities;
    bool m_force_program_store = false;
    std::unique_ptr<ObjectStore> m_store;
    std::unique_ptr<TreeReader> m_trees;
};

} // namespace carry::git
