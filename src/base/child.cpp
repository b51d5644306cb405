#include "base/process.hpp"
#include "base/signal.hpp"
#include "base/spawn.hpp"
#include "base/text.hpp"
#include "carry/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace carry {
namespace {

using std::chrono::milliseconds;

/// How long a child may take to go by itself once its input has ended, where nobody waits for its result.
constexpr milliseconds patience{5000};

} // namespace

struct Child::Impl {
    std::string name;
    UniqueFd error; ///< a file in memory, so that nobody has to read it for the child to go on
    UniqueFd input;
    UniqueFd output;
    std::optional<RunningProgram> program;
    std::string buffer; ///< what it has said and nobody has taken
    std::size_t taken = 0;

    /// Waits for the child's output, or for room in its input where `rest` is not empty, and moves bytes.
    void serve(std::string_view& rest) {
        std::array<pollfd, 2> entries{pollfd{output.get(), POLLIN, 0}, pollfd{input.get(), POLLOUT, 0}};
        poll_briefly(entries.data(), rest.empty() ? 1 : 2, milliseconds(200));
        if (entries[0].revents != 0 && !read_available(output.get(), buffer))
            output.reset();
        if (entries[1].revents != 0 && !write_available(input.get(), rest))
            throw_gone();
    }

    /// False at end of file.
    bool receive() {
        if (!output)
            return false;
        stop_point();
        if (taken > 65536 && taken > buffer.size() / 2) {
            buffer.erase(0, taken);
            taken = 0;
        }
        std::string_view nothing;
        serve(nothing);
        return true;
    }

    std::string take(std::size_t size) {
        std::string bytes = buffer.substr(taken, size);
        taken += size;
        if (taken == buffer.size()) {
            buffer.clear();
            taken = 0;
        }
        return bytes;
    }

    [[nodiscard]] std::string error_text() const {
        std::string text;
        std::array<char, 4096> piece{};
        for (;;) {
            const ssize_t n = pread(error.get(), piece.data(), piece.size(), static_cast<off_t>(text.size()));
            if (n <= 0)
                return text;
            text.append(piece.data(), static_cast<std::size_t>(n));
        }
    }

    [[noreturn]] void throw_gone() {
        program->wait_for(milliseconds(200)); // its last words are complete once it has ended
        throw Error(ErrorKind::failed, fmt::format("{} has ended too early", quoted(name)))
            .because(std::string(trim(error_text())));
    }
};

Child::Child(const ProcessSpec& spec) : m_impl(std::make_unique<Impl>()) {
    if (!spec.argv.empty())
        m_impl->name = spec.argv.front() + (spec.argv.size() > 1 ? " " + spec.argv[1] : "");
    Pipe input = Pipe::make();
    Pipe output = Pipe::make();
    const UniqueFd memory(memfd_create("carry-stderr", MFD_CLOEXEC));
    m_impl->error = UniqueFd(fcntl(memory.get(), F_DUPFD_CLOEXEC, 3));
    if (!m_impl->error)
        throw_errno("make", "a file in memory");
    const int error_end = spec.merge_error_output ? output.write_end.get() : m_impl->error.get();
    // Never interactive, and a transaction that it takes part in must not be torn by the terminal's Ctrl-C.
    m_impl->program.emplace(spec, std::array<int, 3>{input.read_end.get(), output.write_end.get(), error_end}, true);
    m_impl->input = std::move(input.write_end);
    m_impl->output = std::move(output.read_end);
    set_nonblocking(m_impl->input.get());
    set_nonblocking(m_impl->output.get());
}

Child::Child(Child&&) noexcept = default;

Child& Child::operator=(Child&& other) noexcept {
    Child old(std::move(*this)); // ended here
    m_impl = std::move(other.m_impl);
    return *this;
}

Child::~Child() {
    if (!m_impl || !m_impl->program)
        return;
    m_impl->input.reset();
    m_impl->output.reset(); // or it could wait for ever for somebody to read
    m_impl->program->wait_for(patience);
}

void Child::write(std::string_view bytes) {
    if (!m_impl->input)
        m_impl->throw_gone();
    while (!bytes.empty()) {
        if (!write_available(m_impl->input.get(), bytes))
            m_impl->throw_gone();
        if (bytes.empty())
            return;
        stop_point();
        m_impl->serve(bytes); // reads as well: a child that nobody reads stops reading
    }
}

std::string Child::read_until(char terminator) {
    std::size_t seen = 0;
    for (;;) {
        const std::size_t end = m_impl->buffer.find(terminator, m_impl->taken + seen);
        if (end != std::string::npos) {
            std::string text = m_impl->take(end + 1 - m_impl->taken);
            text.pop_back();
            return text;
        }
        seen = m_impl->buffer.size() - m_impl->taken;
        if (!m_impl->receive())
            m_impl->throw_gone();
    }
}

std::string Child::read_exactly(std::size_t size) {
    while (m_impl->buffer.size() - m_impl->taken < size) {
        if (!m_impl->receive())
            m_impl->throw_gone();
    }
    return m_impl->take(size);
}

void Child::close_input() {
    m_impl->input.reset();
}

int Child::wait() {
    m_impl->input.reset();
    std::optional<int> code;
    while (!(code = m_impl->program->wait_for(milliseconds(m_impl->output ? 0 : 200)))) {
        stop_point();
        if (m_impl->receive())
            m_impl->take(m_impl->buffer.size() - m_impl->taken);
    }
    return *code;
}

std::string Child::error_output() {
    return m_impl->error_text();
}

} // namespace carry
