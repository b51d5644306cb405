/// The one table of exit codes. A report brings its own code along; these are their names, and what a thrown failure
/// becomes.
#pragma once

#include <carry/error.hpp>

namespace carry::cli {

enum class ExitCode : int {
    done = 0,          ///< or nothing to do
    failed = 1,        ///< nothing changed
    usage = 2,         ///< the command line or a configuration file is wrong
    conflicts = 3,     ///< the checkout is untouched, always
    incomplete = 4,    ///< landed, but with conflicts marked or patches parked
    verify_failed = 5, ///< rolled back
    refused = 6,       ///< by preflight
    locked = 7,        ///< another git-carry holds the lock
    interrupted = 8,   ///< ended by a signal, state safe
    needs_person = 9,  ///< recovery needs a person; nothing was overwritten, the journal is kept
};

/// The code of a failure that was thrown.
ExitCode exit_code_of(ErrorKind kind) noexcept;

constexpr int to_int(ExitCode code) noexcept {
    return static_cast<int>(code);
}

} // namespace carry::cli
