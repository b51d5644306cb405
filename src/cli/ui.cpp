#include "cli/ui.hpp"

#include "base/text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace carry::cli {
namespace {

std::string_view variable(const char* name) {
    // no thread is started before this is read
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? std::string_view() : std::string_view(value);
}

std::size_t width_of(int fd) {
    winsize size{};
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/// What fits into `width` columns. Only for progress: it is gone a moment later.
std::string shortened(std::string text, std::size_t width) {
    while (!text.empty() && display_width(text) > width) {
        do
            text.pop_back();
        while (!text.empty() && !is_utf8(text));
    }
    return text;
}

} // namespace

Terminal detect_terminal() {
    Terminal terminal;
    const std::string_view kind = variable("TERM");
    const bool able = !kind.empty() && kind != "dumb";
    terminal.output = able && isatty(STDOUT_FILENO) == 1;
    terminal.error = able && isatty(STDERR_FILENO) == 1;
    if (isatty(STDOUT_FILENO) == 1)
        terminal.output_width = width_of(STDOUT_FILENO);
    terminal.error_width = width_of(STDERR_FILENO);
    terminal.no_color = !variable("NO_COLOR").empty();
    return terminal;
}

Ui::Ui(Sink output, Sink error, Terminal terminal)
    : m_output(std::move(output)), m_error(std::move(error)), m_terminal(terminal) {}

Ui::~Ui() {
    clear_progress();
}

void Ui::result(std::string_view text) {
    clear_progress();
    m_output(text);
}

void Ui::progress(const Progress& progress) {
    if (m_quiet || !m_terminal.error)
        return;
    std::string line = escape_terminal(progress.stage);
    if (!progress.text.empty())
        line += ": " + escape_terminal(progress.text);
    line = shortened(std::move(line), m_terminal.error_width - 1);
    if (line == m_shown)
        return;
    m_shown = line;
    say("\r\x1b[K" + line);
}

void Ui::failure(std::string_view message, const std::vector<std::string>& causes,
                 const std::vector<std::string>& hints) {
    clear_progress();
    std::string text = "git-carry: " + escape_terminal(message) + '\n';
    for (const auto& cause : causes) {
        for (const auto line : split_terminated(cause, '\n'))
            text += "  " + escape_terminal(line) + '\n';
    }
    for (const auto& hint : hints)
        text += "hint: " + escape_terminal(hint) + '\n';
    say(text);
}

void Ui::note(std::string_view text) {
    if (m_quiet)
        return;
    clear_progress();
    say("note: " + escape_terminal(text) + '\n');
}

void Ui::clear_progress() {
    if (m_shown.empty())
        return;
    m_shown.clear();
    say("\r\x1b[K");
}

void Ui::say(std::string_view text) noexcept {
    try {
        m_error(text);
    } catch (...) { // NOLINT(bugprone-empty-catch)
        // nobody is there to be told
    }
}

} // namespace carry::cli
