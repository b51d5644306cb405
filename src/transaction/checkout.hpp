/// One checkout of a transaction at work: its files, its index and its refs.
#pragma once

#include "transaction/file_mover.hpp"
#include "transaction/index_lock.hpp"
#include "transaction/journal.hpp"
#include "transaction/layout.hpp"
#include "transaction/ref_move.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace carry::transaction {

class Checkout {
public:
    /// All of them outlive it. `layout` gets to know what somebody changed while it moved.
    Checkout(const CheckoutMove& move, CheckoutLayout& layout, const std::string& token, git::ObjectStore& store,
             bool plain_renames);

    [[nodiscard]] const CheckoutMove& move() const noexcept { return m_move; }
    RefMove& refs() noexcept { return m_refs; }
    CheckoutLayout& layout() noexcept { return m_layout; }

    // Prepare
    void lock_index();
    /// New files and the new index, on disk when it returns. `tick` is called before each.
    void write_temporaries(const std::function<void()>& tick);
    /// Throws Error{failed} where something is not in its state before, or could not be moved.
    void check(const std::function<void()>& tick);

    // Move
    [[nodiscard]] std::size_t step_count() const noexcept { return m_steps.size(); }
    /// Throws Changed, and notes it in the layout.
    void do_step(std::size_t n);
    /// A last look at what was displaced.
    void check_displaced();
    void move_index();

    // Recover, whatever has been done of it
    /// What stands in the way of going on either way; its bytes are stored. What the move had displaced and should not
    /// have is noted in the layout as changed instead, for it can be brought back.
    std::vector<Foreign> survey();
    [[nodiscard]] bool anything_changed() const;
    void resume_step(std::size_t n);
    void resume_index();
    void restore_step(std::size_t n);
    void restore_index();

    // Clean up
    /// All directories that were written to, on disk.
    void sync();
    void remove_temporaries();
    void remove_empty_directories(bool moved);
    void unlock_index();

private:
    void write_index();
    [[nodiscard]] bool is_changed(const std::string& path) const;
    void note_changed(const std::string& path);
    void make_directory(const std::string& path);
    void make_cleared_directory(const ClearedDirectory& directory);
    void remove_directory(const std::string& path);
    void try_remove_directory(const std::string& path);
    void check_writable(const std::string& directory);
    [[nodiscard]] std::filesystem::path full(const std::string& path) const;

    const CheckoutMove& m_move;
    CheckoutLayout& m_layout;
    FileMover m_files;
    FileMover m_git_files; ///< of the git directory: the index
    std::vector<Slot> m_slots;
    std::optional<Slot> m_index;
    std::vector<Step> m_steps;
    IndexLock m_lock;
    RefMove m_refs;
};

} // namespace carry::transaction
