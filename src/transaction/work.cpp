#include "transaction/work.hpp"

#include "base/text.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace carry::transaction {
namespace {

/// Where the disk is full the journal cannot be rewritten, but the renames that bring everything back need no room.
/// A crash then is recovered from by going forward, which is as good.
void try_enter(Work& work, Phase phase) {
    try {
        work.enter(phase);
    } catch (const Error&) {
        work.journal.phase = phase;
    }
}

[[noreturn]] void throw_stuck(const std::string& message, const std::vector<std::string>& causes) {
    Error error(ErrorKind::needs_person, "the run could neither be finished nor reversed",
                {"git carry status   tries again when the cause is mended"});
    error.because(message);
    for (const auto& cause : causes)
        error.because(cause);
    throw error;
}

void restore_all(Work& work) {
    for (auto& checkout : work.checkouts)
        checkout.refs().restore();
    work.step("refs-restored");
    for (auto& checkout : work.checkouts)
        checkout.restore_index();
    work.step("index-restored");
    std::size_t left = 0;
    for (const auto& checkout : work.checkouts)
        left += checkout.step_count();
    for (auto checkout = work.checkouts.rbegin(); checkout != work.checkouts.rend(); ++checkout) {
        for (std::size_t n = checkout->step_count(); n > 0; --n) {
            checkout->restore_step(n - 1);
            work.step(fmt::format("restored:{}", --left));
        }
    }
}

/// Runs all of them and keeps the first failure.
class Attempts {
public:
    template <typename Action>
    void run(Action&& action) {
        try {
            action();
        } catch (...) {
            if (!m_first)
                m_first = std::current_exception();
        }
    }
    void rethrow() const {
        if (m_first)
            std::rethrow_exception(m_first);
    }

private:
    std::exception_ptr m_first;
};

} // namespace

void Work::enter(Phase phase) {
    const Phase old = std::exchange(journal.phase, phase);
    try {
        write_journal(journal_dir, journal);
    } catch (...) {
        journal.phase = old;
        throw;
    }
}

void settle(Work& work, Phase phase) {
    for (auto& checkout : work.checkouts)
        checkout.sync();
    try_enter(work, phase);
    work.step("settled");
}

void bring_back(Work& work) {
    try {
        for (auto& checkout : work.checkouts)
            checkout.refs().abort();
        try_enter(work, Phase::reversing);
        restore_all(work);
        settle(work, Phase::rolled_back);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::needs_person)
            throw;
        throw_stuck(error.message(), error.causes());
    } catch (const std::exception& error) {
        throw_stuck(error.what(), {});
    }
}

void bring_forward(Work& work) {
    std::size_t done = 0;
    for (auto& checkout : work.checkouts) {
        checkout.lock_index();
        for (std::size_t n = 0; n < checkout.step_count(); ++n) {
            checkout.resume_step(n);
            work.step(fmt::format("resumed:{}", done++));
        }
    }
    for (auto& checkout : work.checkouts)
        checkout.resume_index();
    work.step("index-resumed");
    for (auto& checkout : work.checkouts)
        checkout.refs().resume();
    work.step("refs-resumed");
    settle(work, Phase::completed);
}

void clean_up(Work& work) {
    Attempts attempts;
    for (auto& checkout : work.checkouts) {
        attempts.run([&] {
            checkout.remove_temporaries();
            work.step("temporaries-removed");
            checkout.remove_empty_directories(work.journal.phase == Phase::completed);
            checkout.sync();
        });
    }
    for (auto& checkout : work.checkouts) {
        attempts.run([&] {
            checkout.unlock_index();
            work.step("index-unlocked");
        });
    }
    attempts.rethrow();
    remove_journal(work.journal_dir);
    work.step("journal-removed");
}

} // namespace carry::transaction
