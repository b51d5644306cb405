/// Refs: reading, and one compare-and-swap transaction over `git update-ref --stdin`.
#pragma once

#include "git/object_id.hpp"
#include "git/program.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace carry::git {

struct RefUpdate {
    std::string name; ///< full: "refs/heads/main", or "HEAD" for a detached one (never followed: --no-deref)
    ObjectId before;  ///< null: must not exist
    ObjectId after;   ///< null: delete
    friend bool operator==(const RefUpdate&, const RefUpdate&) = default;
};

/// prepare() locks and checks, commit() moves; the destructor aborts what is not committed.
class RefTransaction {
public:
    RefTransaction(const Program& program, std::vector<RefUpdate> updates, std::string reflog_message,
                   ObjectFormat format);
    RefTransaction(RefTransaction&&) noexcept = default;
    ~RefTransaction();
    /// Throws Error{failed} where a ref is not what `before` says or is locked by somebody ("cannot lock
    /// 'refs/heads/main'").
    void prepare();
    void commit();
    /// Lock files that prepare() holds, for the journal (files backend: <gitdir or commondir>/<ref>.lock, and
    /// HEAD.lock).
    [[nodiscard]] std::vector<std::filesystem::path> lock_paths() const;

private:
    void converse(std::string_view commands, std::string_view last_answer);
    Program m_program;
    std::vector<RefUpdate> m_updates;
    std::string m_message;
    ObjectFormat m_format;
    std::optional<Child> m_child;
};

/// prepare and commit in one; for refs/carry/*.
void update_refs(const Program& program, const std::vector<RefUpdate>& updates, std::string_view reflog_message,
                 ObjectFormat format);

} // namespace carry::git
