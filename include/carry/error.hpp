/// The one error type. Failures are exceptions; foreseen outcomes (a conflict, nothing to do) are values.
#pragma once

#include <exception>
#include <string>
#include <vector>

namespace carry {

/// Why something failed; the command line maps each kind to one exit code (src/cli/exit_code.hpp).
enum class ErrorKind {
    failed,       ///< an operation failed and nothing was changed
    usage,        ///< the command line or a configuration file is wrong
    refused,      ///< the checkout is not fit for it (preflight); nothing was changed
    locked,       ///< another git-carry is at work in this checkout
    interrupted,  ///< a signal asked to stop; the state is safe
    needs_person, ///< a crashed run cannot be finished or reversed without overwriting somebody's bytes
};

/// A failure: what happened, why, and what to type next.
/// Messages start lower-case, have no full stop, quote their subject; hints name the next command.
class Error : public std::exception {
public:
    Error(ErrorKind kind, std::string message, std::vector<std::string> hints = {})
        : m_kind(kind), m_message(std::move(message)), m_hints(std::move(hints)) {}

    [[nodiscard]] ErrorKind kind() const noexcept { return m_kind; }
    [[nodiscard]] const std::string& message() const noexcept { return m_message; }
    /// What lay beneath it, outermost first: the words of git, libgit2 or the system. May be empty.
    [[nodiscard]] const std::vector<std::string>& causes() const noexcept { return m_causes; }
    [[nodiscard]] const std::vector<std::string>& hints() const noexcept { return m_hints; }

    /// Adds a cause below those that are there; returns itself so that a throw stays one expression.
    Error& because(std::string cause) {
        if (!cause.empty())
            m_causes.push_back(std::move(cause));
        return *this;
    }
    Error& hint(std::string text) {
        m_hints.push_back(std::move(text));
        return *this;
    }

    [[nodiscard]] const char* what() const noexcept override { return m_message.c_str(); }

private:
    ErrorKind m_kind;
    std::string m_message;
    std::vector<std::string> m_causes;
    std::vector<std::string> m_hints;
};

} // namespace carry
