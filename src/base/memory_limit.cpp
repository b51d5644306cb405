#include "base/memory_limit.hpp"

#include "base/file.hpp"

#include <unistd.h>

#include <cstdlib>

namespace carry {
namespace {

/// Address space of this process; 0 where the system does not tell.
std::uint64_t own_size() {
    const auto statm = read_file_if_exists("/proc/self/statm");
    const long page = sysconf(_SC_PAGESIZE);
    return statm && page > 0 ? std::strtoull(statm->c_str(), nullptr, 10) * static_cast<std::uint64_t>(page) : 0;
}

} // namespace

MemoryLimit::MemoryLimit(std::uint64_t bytes) {
    const auto own = own_size();
    if (own == 0 || getrlimit(RLIMIT_AS, &m_before) != 0)
        return;
    rlimit lower = m_before;
    if (lower.rlim_cur != RLIM_INFINITY && lower.rlim_cur <= own + bytes)
        return;
    lower.rlim_cur = own + bytes;
    m_set = setrlimit(RLIMIT_AS, &lower) == 0;
}

MemoryLimit::~MemoryLimit() {
    if (m_set)
        setrlimit(RLIMIT_AS, &m_before);
}

} // namespace carry
