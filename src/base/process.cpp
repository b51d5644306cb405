#include "base/process.hpp"

#include "base/signal.hpp"
#include "base/spawn.hpp"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <array>

namespace carry {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// One pipe from the program, with where its bytes go.
struct Stream {
    UniqueFd fd;
    std::string* collected;
    const std::function<void(std::string_view)>* listener;
    bool collect_all_the_same;

    /// Takes what is there. True where there was something.
    bool take() {
        std::string piece;
        if (!read_available(fd.get(), piece))
            fd.reset();
        if (piece.empty())
            return false;
        if (*listener)
            (*listener)(piece);
        if (!*listener || collect_all_the_same)
            *collected += piece;
        return true;
    }
};

/// The run of one program: its pipes served until it ends.
class Conversation {
public:
    explicit Conversation(const ProcessSpec& spec) : m_spec(spec), m_rest(spec.input) {
        Pipe output = Pipe::make();
        Pipe error = Pipe::make();
        Pipe input;
        if (spec.input.empty())
            input.read_end = open_null();
        else
            input = Pipe::make();
        const int error_end = spec.merge_error_output ? output.write_end.get() : error.write_end.get();
        m_program.emplace(spec, std::array<int, 3>{input.read_end.get(), output.write_end.get(), error_end},
                          in_critical_section());
        m_output = {std::move(output.read_end), &m_result.output, &spec.on_output, false};
        m_error = {std::move(error.read_end), &m_result.error_output, &spec.on_error_output, true};
        m_input = std::move(input.write_end);
        for (const UniqueFd* fd : {&m_output.fd, &m_error.fd, &m_input}) {
            if (*fd)
                set_nonblocking(fd->get());
        }
    }

    ProcessResult run() {
        m_last_word = m_start = Clock::now();
        std::optional<int> code;
        while (!(code = m_program->wait_for(milliseconds(0)))) {
            stop_point();
            if (is_stalled()) {
                m_result.stalled = true;
                m_program->end();
                continue;
            }
            serve();
        }
        // What it wrote last. Not to the end of file: something it left running may hold the pipes open.
        for (Stream* stream : {&m_output, &m_error}) {
            if (stream->fd)
                stream->take();
        }
        if (*code != 0 && !m_result.stalled)
            stop_point(); // the terminal's Ctrl-C went to it as well
        m_result.exit_code = *code;
        return std::move(m_result);
    }

private:
    static UniqueFd open_null() {
        UniqueFd fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
        if (!fd)
            throw_errno("open", "/dev/null");
        if (fd.get() > 2)
            return fd;
        return UniqueFd(fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
    }

    [[nodiscard]] bool is_stalled() const {
        const auto now = Clock::now();
        const auto passed = [now](Clock::time_point since, milliseconds limit) {
            return limit.count() > 0 && now - since >= limit;
        };
        return passed(m_last_word, m_spec.stall_timeout) || passed(m_start, m_spec.time_limit);
    }

    /// Waits until something can be read or written, or the program ends, and does it.
    void serve() {
        std::array<pollfd, 4> entries{};
        std::size_t count = 0;
        const auto add = [&](int fd, short events) {
            if (fd >= 0)
                entries[count++] = {fd, events, 0};
        };
        add(m_output.fd.get(), POLLIN);
        add(m_error.fd.get(), POLLIN);
        add(m_input.get(), POLLOUT);
        add(m_program->descriptor(), POLLIN);
        milliseconds patience{200};
        if (m_program->descriptor() < 0)
            patience = milliseconds(10);
        for (const auto limit : {m_spec.stall_timeout, m_spec.time_limit}) {
            if (limit.count() > 0)
                patience = std::min(patience, limit);
        }
        poll_briefly(entries.data(), count, patience);
        for (std::size_t i = 0; i < count; ++i) {
            if (entries[i].revents != 0)
                serve(entries[i].fd);
        }
    }

    void serve(int fd) {
        for (Stream* stream : {&m_output, &m_error}) {
            if (fd == stream->fd.get() && stream->take())
                m_last_word = Clock::now();
        }
        if (fd == m_input.get() && (!write_available(fd, m_rest) || m_rest.empty()))
            m_input.reset();
    }

    const ProcessSpec& m_spec;
    std::string_view m_rest;
    ProcessResult m_result;
    std::optional<RunningProgram> m_program;
    Stream m_output{};
    Stream m_error{};
    UniqueFd m_input;
    Clock::time_point m_last_word;
    Clock::time_point m_start;
};

} // namespace

ProcessResult run_process(const ProcessSpec& spec) {
    return Conversation(spec).run();
}

} // namespace carry
