/// libc's functions that change or open something on disk, replaced by ones that ask first and tell afterwards. Link
/// system_calls.cpp into a program (or preload it): the calls themselves are made through syscall().
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace carry::test {

enum class CallKind {
    look,   ///< reads a file or a directory
    open,   ///< opens what is there
    make,   ///< a new file, link or directory: needs room
    write,  ///< bytes into a file: needs room
    sync,   ///< fsync and its kin
    change, ///< names, modes, owners, times; what is removed
    start,  ///< a process or a pipe
};

struct SystemCall {
    const char* name; ///< "renameat2"
    CallKind kind;
    int directory;            ///< that `path` starts from, or the descriptor itself where there is no path
    const char* path;         ///< may be null
    int to_directory = -1;    ///< of renames and links
    const char* to = nullptr; ///< the new name; of symlinks `path` is the target
    unsigned flags = 0;       ///< of renames and openings
    std::size_t size = 0;     ///< of writes; a smaller one makes it a short write
    bool was_there = false;   ///< before an opening that may make the file
};

/// Before the call: 0 lets it go on, an errno makes it fail.
using Before = int (*)(SystemCall&);
/// After a call that succeeded; `result` is what it returned.
using After = void (*)(const SystemCall&, long result);
void watch_system_calls(Before before, After after) noexcept;

} // namespace carry::test
