#include "cli/exit_code.hpp"

namespace carry::cli {

ExitCode exit_code_of(ErrorKind kind) noexcept {
    switch (kind) {
    case ErrorKind::failed:
        return ExitCode::failed;
    case ErrorKind::usage:
        return ExitCode::usage;
    case ErrorKind::refused:
        return ExitCode::refused;
    case ErrorKind::locked:
        return ExitCode::locked;
    case ErrorKind::interrupted:
        return ExitCode::interrupted;
    case ErrorKind::needs_person:
        return ExitCode::needs_person;
    }
    return ExitCode::failed;
}

} // namespace carry::cli
