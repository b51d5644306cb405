/// A transaction at work: its journal and its checkouts, and what apply and recovery do with all of them together.
#pragma once

#include "transaction/apply.hpp"
#include "transaction/checkout.hpp"
#include "transaction/journal.hpp"

#include <deque>
#include <filesystem>
#include <functional>
#include <string_view>

namespace carry::transaction {

struct Work {
    std::filesystem::path journal_dir;
    Journal journal;
    std::deque<Checkout> checkouts; ///< refer into the journal, so a Work is never moved
    std::function<void(std::string_view)> at_step;

    Work(std::filesystem::path directory, std::function<void(std::string_view)> hook)
        : journal_dir(std::move(directory)), at_step(std::move(hook)) {}
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    void step(std::string_view name) const {
        if (at_step)
            at_step(name);
    }
    /// On disk when it returns.
    void enter(Phase phase);
};

/// Everything to its state before, from wherever it is; what somebody changed stays as they left it. Everything is on
/// disk afterwards and the phase rolled_back. Throws Error{needs_person} where it cannot be done; the journal is kept.
void bring_back(Work& work);

/// Everything to its state after, from wherever it is. On disk afterwards, phase completed. Throws.
void bring_forward(Work& work);

/// Everything is in place: on disk with it, and then the phase, completed or rolled_back, as far as it can be written.
void settle(Work& work, Phase phase);

/// Removes whatever the transaction made on the way, the journal at last. Goes on after a failure, and throws the
/// first at the end; the journal is kept then.
void clean_up(Work& work);

} // namespace carry::transaction
