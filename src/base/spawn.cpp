#include "base/spawn.hpp"

#include "base/text.hpp"
#include "carry/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <system_error>

namespace carry {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// How long a program gets between SIGTERM and SIGKILL: git removes its lock files and temporaries in it.
constexpr milliseconds grace{5000};

UniqueFd above_standard(int fd) {
    UniqueFd owner(fd);
    if (fd > STDERR_FILENO)
        return owner;
    UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!copy)
        throw_errno("copy", "a pipe");
    return copy;
}

std::vector<std::string> environment_of(const ProcessSpec& spec) {
    std::map<std::string, std::string, std::less<>> values;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos)
            values.insert_or_assign(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
    }
    for (const auto& [name, value] : spec.environment) {
        if (value)
            values.insert_or_assign(name, *value);
        else
            values.erase(name);
    }
    std::vector<std::string> entries;
    entries.reserve(values.size());
    for (const auto& [name, value] : values)
        entries.push_back(fmt::format("{}={}", name, value));
    return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (auto& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// What the new process tells the old one where it cannot become the program.
struct StartFailure {
    enum Step { enter_directory, execute } step;
    int error;
};

/// Everything the new process needs, made before the fork: after it only async-signal-safe calls are allowed.
struct Start {
    std::vector<std::string> argv;
    std::vector<std::string> environment;
    std::string directory;
    std::array<int, 3> standard;
    bool own_group;
    pid_t parent;
    sigset_t signal_mask;
    int report;
};

[[noreturn]] void give_up(const Start& start, StartFailure::Step step) {
    const StartFailure failure{step, errno};
    const ssize_t written = write(start.report, &failure, sizeof failure);
    _exit(written < 0 ? 126 : 127);
}

/// Our handlers and the ignored SIGPIPE are not for the program; what our own parent ignores stays ignored.
void reset_signals(const sigset_t& mask) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        struct sigaction action {};
        sigaction(number, nullptr, &action);
        if (number == SIGPIPE || action.sa_handler != SIG_IGN)
            std::signal(number, SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &mask, nullptr);
}

[[noreturn]] void become_program(const Start& start, char* const* argv, char* const* environment) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != start.parent)
        _exit(126); // it died before it could be noticed
    if (start.own_group)
        setpgid(0, 0);
    for (int i = 0; i < 3; ++i)
        dup2(start.standard[static_cast<std::size_t>(i)], i);
    if (!start.directory.empty() && chdir(start.directory.c_str()) != 0)
        give_up(start, StartFailure::enter_directory);
    reset_signals(start.signal_mask);
    execvpe(argv[0], argv, environment);
    give_up(start, StartFailure::execute);
}

pid_t fork_program(Start& start) {
    const auto argv = pointers_to(start.argv);
    const auto environment = pointers_to(start.environment);
    // no handler of ours may run in the new process: a signal would be lost there
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &start.signal_mask);
    const pid_t pid = fork();
    if (pid == 0)
        become_program(start, argv.data(), environment.data());
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &start.signal_mask, nullptr);
    errno = error;
    return pid;
}

std::optional<StartFailure> read_failure(int fd) {
    StartFailure failure{};
    ssize_t n = 0;
    do {
        n = read(fd, &failure, sizeof failure);
    } while (n < 0 && errno == EINTR);
    if (n == static_cast<ssize_t>(sizeof failure))
        return failure;
    return std::nullopt; // closed by the exec
}

[[noreturn]] void throw_not_started(const ProcessSpec& spec, const StartFailure& failure) {
    const std::string message =
        failure.step == StartFailure::execute
            ? fmt::format("cannot run {}", quoted(spec.argv.front()))
            : fmt::format("cannot run {} in {}", quoted(spec.argv.front()), quoted(spec.directory.native()));
    throw Error(ErrorKind::failed, message).because(std::generic_category().message(failure.error));
}

} // namespace

Pipe Pipe::make() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        throw_errno("make", "a pipe");
    UniqueFd second(ends[1]);
    Pipe made;
    made.read_end = above_standard(ends[0]);
    made.write_end = above_standard(second.release());
    return made;
}

void set_nonblocking(int fd) {
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
        throw_errno("prepare", "a pipe");
}

bool read_available(int fd, std::string& bytes) {
    std::array<char, 65536> piece; // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
    for (;;) {
        const ssize_t n = read(fd, piece.data(), piece.size());
        if (n > 0)
            bytes.append(piece.data(), static_cast<std::size_t>(n));
        else if (n == 0)
            return false;
        else if (errno == EAGAIN)
            return true;
        else if (errno != EINTR)
            throw_errno("read", "a pipe");
    }
}

bool write_available(int fd, std::string_view& bytes) {
    sigset_t pipe_signal;
    sigset_t before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    int error = 0;
    while (!bytes.empty() && error == 0) {
        const ssize_t n = write(fd, bytes.data(), bytes.size());
        if (n >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EINTR)
            error = errno;
    }
    if (error == EPIPE && sigismember(&before, SIGPIPE) == 0) {
        const timespec none{};
        sigtimedwait(&pipe_signal, nullptr, &none); // take back what the write raised
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error == 0 || error == EAGAIN)
        return true;
    if (error == EPIPE)
        return false;
    errno = error;
    throw_errno("write", "a pipe");
}

RunningProgram::RunningProgram(const ProcessSpec& spec, const std::array<int, 3>& standard, bool own_group)
    : m_own_group(own_group) {
    if (spec.argv.empty())
        throw Error(ErrorKind::failed, "cannot run a program without a name");
    Pipe report = Pipe::make();
    Start start{spec.argv, environment_of(spec),  spec.directory.native(), standard, own_group, getpid(),
                {},        report.write_end.get()};
    m_pid = fork_program(start);
    if (m_pid < 0)
        throw_not_started(spec, {StartFailure::execute, errno});
    report.write_end.reset();
    m_pidfd = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, m_pid, 0)));
    if (const auto failure = read_failure(report.read_end.get())) {
        wait_for(grace);
        throw_not_started(spec, *failure);
    }
}

RunningProgram::RunningProgram(RunningProgram&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)), m_own_group(other.m_own_group), m_pidfd(std::move(other.m_pidfd)),
      m_exit_code(other.m_exit_code) {}

RunningProgram::~RunningProgram() {
    end();
}

std::optional<int> RunningProgram::wait_for(milliseconds patience) {
    const auto deadline = Clock::now() + patience;
    while (!m_exit_code && m_pid > 0) {
        int status = 0;
        const pid_t pid = waitpid(m_pid, &status, WNOHANG);
        if (pid == m_pid)
            m_exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        else if (pid < 0 && errno != EINTR)
            m_exit_code = 255; // reaped by somebody else: how it ended is unknown, so it is no success
        if (m_exit_code)
            break;
        const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
        if (left.count() <= 0)
            break;
        pollfd entry{m_pidfd.get(), POLLIN, 0};
        poll_briefly(&entry, m_pidfd ? 1 : 0, m_pidfd ? left : std::min(left, milliseconds(10)));
    }
    return m_exit_code;
}

void RunningProgram::signal(int number) const noexcept {
    kill(m_own_group ? -m_pid : m_pid, number);
}

void RunningProgram::end() noexcept {
    if (m_pid <= 0 || wait_for(milliseconds(0)))
        return;
    signal(SIGTERM);
    signal(SIGCONT); // a stopped program does not see the first
    if (wait_for(grace))
        return;
    signal(SIGKILL);
    wait_for(grace);
}

void poll_briefly(pollfd* entries, std::size_t count, milliseconds timeout) {
    constexpr milliseconds longest{200};
    const auto wait = std::clamp(timeout, milliseconds(0), longest);
    if (poll(entries, count, static_cast<int>(wait.count())) < 0) {
        if (errno != EINTR)
            throw_errno("wait for", "a program");
        for (std::size_t i = 0; i < count; ++i)
            entries[i].revents = 0;
    }
}

} // namespace carry
