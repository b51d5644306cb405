#include "support/faults.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace carry::test {
namespace {

struct Entry {
    const char* name; ///< a literal: at the same place in each process made by fork()
    CallKind kind;
};

/// In memory that a child process shares, so that what a killed one did is known.
struct Shared {
    std::atomic<std::size_t> count;
    const char* hit;
    std::array<Entry, 32768> calls;
};

Shared& shared() {
    static auto* const memory =
        static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    return *memory;
}

[[maybe_unused]] const Shared& made_before_any_child = shared();

bool armed = false;
pid_t armed_in = 0;
Fault current;

bool needs_room(const SystemCall& call) {
    return call.kind == CallKind::make || call.kind == CallKind::write;
}

int decide(SystemCall& call) {
    if (!armed || (one_kind(call.kind) & current.counted) == 0 || getpid() != armed_in)
        return 0;
    auto& log = shared();
    const auto number = log.count.fetch_add(1);
    if (number < log.calls.size())
        log.calls[number] = {call.name, call.kind};
    const int n = static_cast<int>(number);
    if (n != current.at && !(current.forever && current.at >= 0 && n > current.at && needs_room(call)))
        return 0;
    if (current.error == short_write) {
        if (call.kind == CallKind::write && call.size > 1)
            call.size /= 2;
        log.hit = call.name;
        return 0;
    }
    log.hit = call.name;
    if (current.error == 0)
        kill(getpid(), SIGKILL);
    return current.error;
}

} // namespace

void arm(const Fault& fault) {
    current = fault;
    shared().count = 0;
    shared().hit = "";
    armed_in = getpid();
    armed = true;
    watch_system_calls(decide, nullptr);
}

int disarm() {
    armed = false;
    return static_cast<int>(shared().count);
}

std::string last_hit() {
    return shared().hit;
}

std::vector<CountedCall> counted_calls() {
    const auto& log = shared();
    std::vector<CountedCall> calls;
    for (std::size_t n = 0; n < std::min<std::size_t>(log.count, log.calls.size()); ++n)
        calls.push_back({log.calls[n].name, log.calls[n].kind});
    return calls;
}

} // namespace carry::test
