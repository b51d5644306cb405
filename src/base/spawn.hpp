/// What run_process() and Child share: starting a program and waiting for it.
#pragma once

#include "base/file.hpp"
#include "base/process.hpp"

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <optional>

namespace carry {

/// Both ends close-on-exec and above the standard descriptors. Throws Error{failed}.
struct Pipe {
    UniqueFd read_end;
    UniqueFd write_end;
    static Pipe make();
};

void set_nonblocking(int fd);

/// Reads what is there without waiting and appends it. False at end of file.
bool read_available(int fd, std::string& bytes);

/// Writes as much as goes without waiting and takes it off `bytes`. False where nobody reads any more; never
/// raises SIGPIPE.
bool write_available(int fd, std::string_view& bytes);

/// A running child. Ended (SIGTERM, later SIGKILL) and waited for by the destructor unless it has been reaped.
class RunningProgram {
public:
    /// Starts spec.argv with these standard descriptors; they stay the caller's. Throws Error{failed}.
    /// `own_group`: out of reach of the terminal's Ctrl-C.
    RunningProgram(const ProcessSpec& spec, const std::array<int, 3>& standard, bool own_group);
    RunningProgram(RunningProgram&& other) noexcept;
    RunningProgram& operator=(RunningProgram&&) = delete;
    ~RunningProgram();

    /// Readable once the child has ended; -1 on a kernel without pidfd.
    [[nodiscard]] int descriptor() const noexcept { return m_pidfd.get(); }
    /// Its exit code (128 + signal) if it has ended within `patience`. Stays known afterwards.
    std::optional<int> wait_for(std::chrono::milliseconds patience);
    /// SIGTERM, and SIGKILL where that does not help.
    void end() noexcept;

private:
    void signal(int number) const noexcept;

    pid_t m_pid = -1;
    bool m_own_group = false;
    UniqueFd m_pidfd;
    std::optional<int> m_exit_code;
};

/// poll() for at most `timeout`, short enough to notice a request to stop that came just before it.
void poll_briefly(pollfd* entries, std::size_t count, std::chrono::milliseconds timeout);

} // namespace carry
