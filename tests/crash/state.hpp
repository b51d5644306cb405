/// A checkout's state, compared without a process where it can be, and what must not be left in it.
#pragma once

#include "support/fingerprint.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace carry::crash {

class State {
public:
    State() = default;
    /// `checkouts` are below `root`: the checkout itself (".") and its submodules.
    State(const std::filesystem::path& root, std::vector<std::string> checkouts);

    /// Every name that differs on disk now; nothing where it is the same state.
    [[nodiscard]] std::vector<std::string> differences_now() const;
    /// Certainly this state, to the byte; where it is false it may be all the same.
    [[nodiscard]] bool is_surely_now() const;

private:
    std::filesystem::path m_root;
    std::vector<std::string> m_checkouts;
    test::Fingerprint m_quick; ///< files, directories, and git's own files byte for byte
    test::Fingerprint m_exact;
};

/// Locks, temporaries, journals, records of runs that are still open: whatever a crash must not leave for good.
std::vector<std::string> leftovers(const std::filesystem::path& root);

/// git fsck finds no object missing or broken, in the checkout and its submodules.
bool is_sound(const std::filesystem::path& root, const std::vector<std::string>& checkouts);

} // namespace carry::crash
