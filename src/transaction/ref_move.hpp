/// The refs of one checkout and what HEAD names: moved last, all of them or none.
#pragma once

#include "git/refs.hpp"
#include "transaction/file_mover.hpp"
#include "transaction/journal.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carry::transaction {

class RefMove {
public:
    /// Both outlive it.
    RefMove(const CheckoutMove& move, git::ObjectFormat format);

    /// Locks the refs and compares them. Throws Error{failed}.
    void prepare();
    [[nodiscard]] std::vector<LockFile> locks() const;
    void commit();
    /// Gives up what prepare() holds.
    void abort() noexcept { m_transaction.reset(); }

    /// After a crash: removes lock files that our git left behind, once it has had time to end by itself. They are
    /// known by the inode that was recorded, or, where the crash came before that, by what they hold and by not being
    /// older than `prepared_since` (seconds).
    void remove_stale_locks(const std::vector<LockFile>& recorded, std::optional<std::int64_t> prepared_since);
    /// Refs that are neither before nor after.
    [[nodiscard]] std::vector<Foreign> foreign() const;
    /// To after, to before, from whatever a crash has left.
    void resume();
    void restore();

private:
    [[nodiscard]] std::string head_value() const;
    void set_head(const std::string& value, const std::string& message) const;
    [[nodiscard]] std::optional<git::ObjectId> read(const std::string& name) const;
    void update(const std::vector<git::RefUpdate>& updates, const std::string& message) const;
    [[nodiscard]] std::vector<LockFile> likely_locks(std::int64_t prepared_since) const;

    const CheckoutMove& m_move;
    git::ObjectFormat m_format;
    git::Program m_program;
    std::optional<git::RefTransaction> m_transaction;
};

} // namespace carry::transaction
