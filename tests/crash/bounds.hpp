/// How much of an enumeration is tried.
#pragma once

#include <cstddef>

namespace carry::crash {

/// CARRY_CRASH_FULL=1 in the environment: everything, or with CARRY_CRASH_STRIDE every so many.
bool is_full();
std::size_t full_stride();
/// Which part a bounded run tries: CARRY_SEED, printed with each result.
unsigned offset();

} // namespace carry::crash
