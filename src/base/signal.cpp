#include "base/signal.hpp"

#include "carry/error.hpp"

#include <atomic>
#include <csignal>
#include <string>

namespace carry {
namespace {

std::atomic<int> requested{0};
std::atomic<int> critical_sections{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");

extern "C" void on_signal(int number) {
    int none = 0;
    if (requested.compare_exchange_strong(none, number) || critical_sections.load() > 0)
        return;
    std::signal(number, SIG_DFL);
    std::raise(number); // delivered as soon as this handler returns
}

void handle(int number) {
    struct sigaction action {};
    // a parent that ignores it (nohup, a job in the background) means it
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    action = {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
}

std::string name_of(int number) {
    switch (number) {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    case SIGHUP:
        return "SIGHUP";
    default:
        return "signal " + std::to_string(number);
    }
}

} // namespace

void install_signal_handlers() {
    handle(SIGINT);
    handle(SIGTERM);
    handle(SIGHUP);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN); // a write beyond the limit fails with EFBIG instead
}

int stop_requested() noexcept {
    return requested.load();
}

void stop_point() {
    const int number = requested.load();
    if (number != 0 && !in_critical_section())
        throw Error(ErrorKind::interrupted, "stopped by " + name_of(number));
}

bool in_critical_section() noexcept {
    return critical_sections.load() > 0;
}

CriticalSection::CriticalSection() noexcept {
    ++critical_sections;
}

CriticalSection::~CriticalSection() {
    --critical_sections;
}

} // namespace carry
