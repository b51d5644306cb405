/// What a person or a script sees: results on standard output, everything else on standard error.
#pragma once

#include <carry/error.hpp>
#include <carry/progress.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::cli {

/// What the program was started on.
struct Terminal {
    bool output = false;          ///< standard output is a terminal that takes colours and control sequences
    bool error = false;           ///< the same of standard error
    std::size_t output_width = 0; ///< columns; 0: no terminal, nothing is wrapped
    std::size_t error_width = 80;
    bool no_color = false; ///< NO_COLOR is set
};

/// Asks the system and the environment (TERM, NO_COLOR).
Terminal detect_terminal();

/// Takes all of the bytes or throws Error{failed}.
using Sink = std::function<void(std::string_view)>;

class Ui {
public:
    Ui(Sink output, Sink error, Terminal terminal);
    Ui(const Ui&) = delete;
    Ui& operator=(const Ui&) = delete;
    ~Ui();

    /// The command's answer. Throws Error{failed} where it cannot be written.
    void result(std::string_view text);
    /// One line that the next takes the place of; only where standard error is a terminal.
    void progress(const Progress& progress);
    /// "git-carry: MESSAGE", its causes and hints. Never throws: where standard error is gone there is nobody to tell.
    void failure(std::string_view message, const std::vector<std::string>& causes,
                 const std::vector<std::string>& hints);
    void note(std::string_view text);
    /// Help that nobody asked for.
    void usage(std::string_view text) { say(text); }

    /// No progress and no notes from here on.
    void set_quiet(bool quiet) noexcept { m_quiet = quiet; }

    [[nodiscard]] const Terminal& terminal() const noexcept { return m_terminal; }

private:
    void clear_progress();
    void say(std::string_view text) noexcept;

    Sink m_output;
    Sink m_error;
    Terminal m_terminal;
    bool m_quiet = false;
    std::string m_shown; ///< the progress line that stands on the terminal
};

} // namespace carry::cli
