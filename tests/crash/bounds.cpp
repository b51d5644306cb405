#include "bounds.hpp"

#include <algorithm>
#include <cstdlib>

namespace carry::crash {
namespace {

unsigned number_from(const char* name, unsigned otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

} // namespace

bool is_full() {
    return number_from("CARRY_CRASH_FULL", 0) != 0;
}

std::size_t full_stride() {
    return std::max(1U, number_from("CARRY_CRASH_STRIDE", 1));
}

unsigned offset() {
    static const unsigned chosen = number_from("CARRY_SEED", 1);
    return chosen;
}

} // namespace carry::crash
