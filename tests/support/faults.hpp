/// System calls that fail, or kill the process, when their turn comes. Link faults.cpp and system_calls.cpp.
#pragma once

#include "support/system_calls.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace carry::test {

/// A set of CallKinds.
using Kinds = unsigned;
constexpr Kinds one_kind(CallKind kind) {
    return 1U << static_cast<unsigned>(kind);
}
/// Those that leave a trace on disk, of this process or of one that it starts: between two of them it does not matter
/// where it dies.
constexpr Kinds lasting = one_kind(CallKind::make) | one_kind(CallKind::write) | one_kind(CallKind::sync) |
                          one_kind(CallKind::change) | one_kind(CallKind::start);
constexpr Kinds on_disk = lasting | one_kind(CallKind::open);
constexpr Kinds reading = one_kind(CallKind::open) | one_kind(CallKind::look);

constexpr int short_write = -1;

/// What happens to one of the calls.
struct Fault {
    int at = -1;          ///< which call, counted from arming; -1: none
    int error = 0;        ///< errno of the failing call, or short_write; 0: the process dies before it
    bool forever = false; ///< every call from there on fails, but for those that need no room on the disk
    Kinds counted = on_disk & ~one_kind(CallKind::start);
};

/// Counts from zero, in this process and until disarm(). A child process made before has its own count.
void arm(const Fault& fault);
/// Returns how many calls there were.
int disarm();
/// The call that was hit: "renameat2". Known in the parent too, however the child ended.
std::string last_hit();

struct CountedCall {
    std::string name;
    CallKind kind;
};
/// The calls since arm(), in the parent too.
std::vector<CountedCall> counted_calls();

} // namespace carry::test
