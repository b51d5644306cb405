#include "transaction/recovery.hpp"

#include "base/file.hpp"
#include "base/signal.hpp"
#include "transaction/work.hpp"

#include <carry/error.hpp>

#include <unistd.h>

#include <cerrno>
#include <memory>

namespace carry::transaction {
namespace {

/// A half-written next version of the journal. The journal itself is whole, or there never was one.
void remove_draft(const std::filesystem::path& journal_dir) {
    const auto draft = journal_draft_path(journal_dir);
    if (unlink(draft.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR)
        throw_errno("remove", draft);
}

/// The other checkouts of a transaction that covers several.
class OtherRepositories {
public:
    explicit OtherRepositories(git::Repository& first) : m_first(first) {}

    git::ObjectStore& store_of(const CheckoutMove& move) {
        if (move.paths.git_dir == m_first.paths().git_dir)
            return m_first.objects();
        m_others.push_back(std::make_unique<git::Repository>(git::Repository::open(move.paths.worktree)));
        return m_others.back()->objects();
    }

private:
    git::Repository& m_first;
    std::vector<std::unique_ptr<git::Repository>> m_others;
};

void remove_stale_ref_locks(Work& work) {
    std::optional<std::int64_t> since;
    if (work.journal.phase == Phase::preparing) {
        if (const auto status = lstat_if_exists(journal_path(work.journal_dir)))
            since = status->st_mtim.tv_sec;
    }
    for (auto& checkout : work.checkouts)
        checkout.refs().remove_stale_locks(checkout.layout().ref_locks, since);
}

/// Looks at everything before anything is touched. Throws where somebody's bytes are in the way.
void survey(Work& work) {
    std::vector<Foreign> foreign;
    for (auto& checkout : work.checkouts) {
        for (auto& thing : checkout.survey())
            foreign.push_back(std::move(thing));
    }
    if (!foreign.empty())
        throw foreign_error(foreign);
}

bool anything_changed(const Work& work) {
    for (const auto& checkout : work.checkouts) {
        if (checkout.anything_changed())
            return true;
    }
    return false;
}

RecoveryResult go_forward(Work& work) {
    try {
        bring_forward(work);
        return RecoveryResult::completed;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::needs_person)
            throw;
    }
    bring_back(work);
    return RecoveryResult::rolled_back;
}

RecoveryResult decide(Work& work) {
    switch (work.journal.phase) {
    case Phase::preparing:
    case Phase::rolled_back:
        return RecoveryResult::rolled_back;
    case Phase::completed:
        return RecoveryResult::completed;
    case Phase::committed:
    case Phase::reversing:
        break;
    }
    survey(work);
    if (work.journal.phase == Phase::committed && !anything_changed(work))
        return go_forward(work);
    bring_back(work);
    return RecoveryResult::rolled_back;
}

} // namespace

bool needs_recovery(const std::filesystem::path& journal_dir) {
    return lstat_if_exists(journal_path(journal_dir)) || lstat_if_exists(journal_draft_path(journal_dir));
}

std::optional<Recovery> recover(const std::filesystem::path& journal_dir, git::Repository& repository,
                                const RecoverOptions& options) {
    auto journal = read_journal(journal_dir);
    remove_draft(journal_dir);
    if (!journal)
        return std::nullopt;

    OtherRepositories repositories(repository);
    Work work(journal_dir, options.at_step);
    work.journal = std::move(*journal);
    for (std::size_t n = 0; n < work.journal.moves.size(); ++n) {
        const CheckoutMove& move = work.journal.moves[n];
        work.checkouts.emplace_back(move, work.journal.layouts[n], work.journal.token, repositories.store_of(move),
                                    options.plain_renames);
    }
    const CriticalSection critical;
    remove_stale_ref_locks(work);
    const RecoveryResult result = decide(work);
    clean_up(work);
    return Recovery{result, work.journal.run};
}

} // namespace carry::transaction
