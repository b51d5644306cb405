/// A real repository that is moved between two states, each made by the real git program.
#pragma once

#include "git/repository.hpp"
#include "support/fingerprint.hpp"
#include "support/temp_repo.hpp"
#include "transaction/apply.hpp"
#include "transaction/recovery.hpp"
#include "transaction/transition.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace carry::transaction::lab {

/// All of a checkout, as a transaction can bring it back.
struct State {
    std::map<std::string, FileState> files;
    git::ObjectId index;
    git::ObjectId head;
    std::string head_name; ///< "refs/heads/main", or "HEAD" where detached
    test::Fingerprint fingerprint;
};

class Lab {
public:
    Lab();
    explicit Lab(test::TempRepo made);

    test::TempRepo repo;
    git::Repository repository;

    State capture();
    [[nodiscard]] CheckoutMove between(const State& before, const State& after) const;
    void apply(const CheckoutMove& move, ApplyOptions options = {});
    std::optional<Recovery> recover(RecoverOptions options = {});
    [[nodiscard]] std::filesystem::path journal_dir() const { return repository.paths().carry_dir(); }
    /// Files that a transaction makes and that must not be left: locks, temporaries, the journal.
    [[nodiscard]] std::vector<std::string> leftovers() const;
    /// git fsck and git status say nothing bad.
    [[nodiscard]] bool is_sound() const;
};

/// Both states of a checkout in which every kind of transition happens between them.
void make_old(const test::TempRepo& repo);
void make_new(const test::TempRepo& repo);

struct OldAndNew {
    Lab lab;
    State before;
    State after; ///< this is where the checkout is at first
    CheckoutMove there;
    CheckoutMove back;
};
/// The checkout is in its old state.
std::unique_ptr<OldAndNew> old_and_new();

/// Runs `action` in a child process; how it ended: its exit code, or 128 + signal.
int in_child(const std::function<void()>& action);

} // namespace carry::transaction::lab
