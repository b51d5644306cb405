#include "transaction/prepare.hpp"

#include "base/file.hpp"
#include "base/signal.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace carry::transaction {
namespace {

/// The run's id as part of a file name.
std::string token_for(const std::string& run) {
    std::string token = run.empty() ? random_suffix(8) : run;
    const auto is_plain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    };
    std::replace_if(
        token.begin(), token.end(), [&](char c) { return !is_plain(c); }, '_');
    return token.substr(0, 100);
}

} // namespace

void plan(Work& work, const std::vector<Participant>& participants, const ApplyOptions& options) {
    if (lstat_if_exists(journal_path(work.journal_dir)))
        throw Error(ErrorKind::failed, "an unfinished run has to be recovered first").hint("git carry status");
    Journal& journal = work.journal;
    journal.run = options.run;
    journal.token = token_for(options.run);
    std::vector<git::ObjectStore*> stores;
    for (const auto& participant : participants) {
        CheckoutMove move = effective(participant.move);
        if (is_empty(move))
            continue;
        DirectoryTree tree(move.paths.worktree);
        journal.layouts.push_back(lay_out(move, tree, journal.token));
        journal.moves.push_back(std::move(move));
        stores.push_back(participant.store);
    }
    for (std::size_t n = 0; n < stores.size(); ++n)
        work.checkouts.emplace_back(journal.moves[n], journal.layouts[n], journal.token, *stores[n],
                                    options.plain_renames);
}

void Preparation::make(const ProgressCallback& progress) {
    const auto tell = [&](std::string text) {
        if (progress)
            progress({"apply", std::move(text)});
    };
    make_directories(m_work.journal_dir);
    // what recovery reads must be there after a power cut
    for (auto& checkout : m_work.checkouts) {
        make_directories(checkout.move().paths.carry_dir());
        git::sync_private_objects(checkout.move().paths);
    }
    m_work.enter(Phase::preparing);
    m_work.step("journal-written");
    for (auto& checkout : m_work.checkouts)
        checkout.lock_index();
    m_work.step("index-locked");
    std::size_t written = 0;
    for (auto& checkout : m_work.checkouts) {
        tell(fmt::format("writing {}", count_of(checkout.move().transitions.size(), "file")));
        checkout.write_temporaries([&] {
            stop_point();
            m_work.step(fmt::format("temporary:{}", written++));
        });
    }
    m_work.step("temporaries-written");
    for (auto& checkout : m_work.checkouts)
        checkout.check(stop_point);
    m_work.step("checked");
    stop_point();
}

void Preparation::lock_refs() {
    for (auto& checkout : m_work.checkouts) {
        checkout.refs().prepare();
        checkout.layout().ref_locks = checkout.refs().locks();
    }
    m_work.step("refs-prepared");
}

void Preparation::commit() {
    try {
        m_work.enter(Phase::committed);
    } catch (...) {
        // It may be there all the same, where only the directory could not be synced.
        m_work.enter(Phase::preparing);
        throw;
    }
    m_committed = true;
}

Preparation::~Preparation() {
    if (m_committed)
        return;
    try {
        for (auto& checkout : m_work.checkouts)
            checkout.refs().abort();
        if (lstat_if_exists(journal_path(m_work.journal_dir)))
            clean_up(m_work);
    } catch (const std::exception&) {
        return; // the journal is still there: the next command goes on with it
    }
}

} // namespace carry::transaction
