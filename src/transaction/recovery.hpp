/// After a crash: finish or reverse an open transaction.
#pragma once

#include "git/repository.hpp"
#include "transaction/transition.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::transaction {

enum class RecoveryResult { rolled_back, completed };

struct Recovery {
    RecoveryResult result;
    std::string run; ///< whose transaction it was
};

struct RecoverOptions {
    /// As in ApplyOptions, with steps of its own.
    std::function<void(std::string_view step)> at_step = {};
    bool plain_renames = false;
};

/// True where a journal is there (or an index.lock or temporary file of ours that a crash left before it).
bool needs_recovery(const std::filesystem::path& journal_dir);

/// Call with the run lock held. Nothing where there was nothing to do. Forward after the commit record, back before it
/// or where forward fails. Throws Error{needs_person} naming the foreign paths (their bytes are stored first); the
/// journal is kept then. `store` is that of the first checkout.
std::optional<Recovery> recover(const std::filesystem::path& journal_dir, git::Repository& repository,
                                const RecoverOptions& options = {});

} // namespace carry::transaction
