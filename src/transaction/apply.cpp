#include "transaction/apply.hpp"

#include "base/signal.hpp"
#include "transaction/prepare.hpp"
#include "transaction/work.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

namespace carry::transaction {
namespace {

void move_files(Work& work) {
    std::size_t moved = 0;
    for (auto& checkout : work.checkouts) {
        for (std::size_t n = 0; n < checkout.step_count(); ++n) {
            checkout.do_step(n);
            work.step(fmt::format("moved:{}", moved++));
        }
    }
    for (auto& checkout : work.checkouts)
        checkout.check_displaced();
}

void move_all(Work& work) {
    move_files(work);
    for (auto& checkout : work.checkouts)
        checkout.move_index();
    work.step("index-moved");
    for (auto& checkout : work.checkouts)
        checkout.refs().commit();
    work.step("refs-moved");
}

/// Everything is where it should be, and whatever fails now is left to the next command, which finds the journal.
void finish(Work& work) noexcept {
    try {
        settle(work, Phase::completed);
        clean_up(work);
    } catch (...) {
        return;
    }
}

void reverse(Work& work) {
    bring_back(work);
    try {
        clean_up(work);
    } catch (const std::exception&) {
        return; // as above
    }
}

} // namespace

void apply(const std::vector<Participant>& participants, const std::filesystem::path& journal_dir,
           const ApplyOptions& options) {
    Work work(journal_dir, options.at_step);
    plan(work, participants, options);
    if (work.checkouts.empty())
        return;

    // 1. Prepare: nothing of the checkout changes, and a failure takes back what was made.
    Preparation preparation(work);
    preparation.make(options.progress);
    const CriticalSection critical; // a git that holds the refs' locks must not get the terminal's Ctrl-C
    preparation.lock_refs();

    // 2. Commit: from here on a crash is recovered from by going forward.
    preparation.commit();

    // 3. Move, or bring everything back.
    try {
        work.step("committed");
        move_all(work);
    } catch (...) {
        reverse(work);
        throw;
    }

    // 4. Clean up.
    finish(work);
}

} // namespace carry::transaction
