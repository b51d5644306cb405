/// Signing commits as the user has configured git to: by the git program, which knows openpgp, x509 and ssh.
#pragma once

#include "git/commit.hpp"
#include "git/program.hpp"

#include <optional>
#include <string>

namespace carry::git {

/// Signs commits by `git commit-tree -S`, each within a time limit and without asking anybody for a passphrase. After a
/// failure it tries no more. The repository's private object directory has to be there; both outlive it.
class Signer {
public:
    Signer(const Program& program, ObjectStore& store) : m_program(program), m_store(store) {}

    /// The id of `commit` with a signature and no other difference, its object written to the private directory.
    /// Nothing where git does not sign it, or cannot without changing it (an odd author, headers of other programs).
    std::optional<ObjectId> sign(const Commit& commit);
    /// Why the last commit was not signed, in git's words.
    [[nodiscard]] const std::string& reason() const noexcept { return m_reason; }

private:
    std::optional<ObjectId> give_up(std::string reason);
    const Program& m_program;
    ObjectStore& m_store;
    std::string m_reason;
    bool m_failed = false;
};

} // namespace carry::git
