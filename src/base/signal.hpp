/// Ctrl-C and SIGTERM: the first asks for a stop at the next safe point, the second ends the program at once.
#pragma once

namespace carry {

/// Installs handlers for SIGINT, SIGTERM and SIGHUP (once, by the command line); SIGPIPE and SIGXFSZ are ignored.
void install_signal_handlers();
/// The signal that asked us to stop, or 0.
int stop_requested() noexcept;
/// Throws Error{interrupted} where a stop was asked for and no CriticalSection is open.
void stop_point();
/// True while a CriticalSection is open. Programs started then are kept out of the terminal's Ctrl-C.
bool in_critical_section() noexcept;

/// While one exists, stop_point() does nothing and a second signal waits as well: for the transaction's move phase.
class CriticalSection {
public:
    CriticalSection() noexcept;
    CriticalSection(const CriticalSection&) = delete;
    CriticalSection& operator=(const CriticalSection&) = delete;
    ~CriticalSection();
};

} // namespace carry
