/// A bound for programs that unfold somebody's input.
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace carry {

/// While it lives, programs that are started get at most `bytes` of address space (and what we have ourselves: we keep
/// as much room as they get). The destructor takes it back.
class MemoryLimit {
public:
    explicit MemoryLimit(std::uint64_t bytes);
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;
    ~MemoryLimit();

private:
    rlimit m_before{};
    bool m_set = false;
};

} // namespace carry
