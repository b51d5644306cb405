// Takes the place of libc's functions in this program; the calls themselves are made through syscall().
#include "faults.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>

namespace carry::transaction::lab {
namespace {

bool armed = false;
int calls = 0;
Fault current;
const char* hit = "";

/// True where this call is to fail; errno is set.
bool fails(const char* name, bool needs_room) {
    if (!armed)
        return false;
    const int call = calls++;
    const bool is_it = call == current.at || (current.forever && current.at >= 0 && call > current.at && needs_room);
    if (!is_it)
        return false;
    hit = name;
    if (current.error == 0)
        kill(getpid(), SIGKILL);
    errno = current.error;
    return true;
}

int result(long value) {
    return static_cast<int>(value);
}

} // namespace

void arm(const Fault& fault) {
    current = fault;
    calls = 0;
    hit = "";
    armed = true;
}

int disarm() {
    armed = false;
    return calls;
}

std::string last_hit() {
    return hit;
}

} // namespace carry::transaction::lab

using carry::transaction::lab::fails;
using carry::transaction::lab::result;

// NOLINTBEGIN
extern "C" {

int openat(int directory, const char* path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails("openat", (flags & O_CREAT) != 0) ? -1 : result(syscall(SYS_openat, directory, path, flags, mode));
}
int open(const char* path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails("open", (flags & O_CREAT) != 0) ? -1 : result(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
ssize_t write(int fd, const void* bytes, size_t size) {
    struct stat status {};
    const bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode); // a pipe is never full for long
    return is_file && fails("write", true) ? -1 : syscall(SYS_write, fd, bytes, size);
}
int fsync(int fd) {
    return fails("fsync", false) ? -1 : result(syscall(SYS_fsync, fd));
}
int fchmod(int fd, mode_t mode) {
    return fails("fchmod", false) ? -1 : result(syscall(SYS_fchmod, fd, mode));
}
int rename(const char* from, const char* to) noexcept {
    return fails("rename", false) ? -1 : result(syscall(SYS_rename, from, to));
}
int renameat(int a, const char* from, int b, const char* to) noexcept {
    return fails("renameat", false) ? -1 : result(syscall(SYS_renameat, a, from, b, to));
}
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) noexcept {
    return fails("renameat2", false) ? -1 : result(syscall(SYS_renameat2, a, from, b, to, flags));
}
int unlink(const char* path) noexcept {
    return fails("unlink", false) ? -1 : result(syscall(SYS_unlink, path));
}
int unlinkat(int directory, const char* path, int flags) noexcept {
    return fails("unlinkat", false) ? -1 : result(syscall(SYS_unlinkat, directory, path, flags));
}
int mkdirat(int directory, const char* path, mode_t mode) noexcept {
    return fails("mkdirat", true) ? -1 : result(syscall(SYS_mkdirat, directory, path, mode));
}
int link(const char* from, const char* to) noexcept {
    return fails("link", true) ? -1 : result(syscall(SYS_link, from, to));
}
int symlinkat(const char* target, int directory, const char* path) noexcept {
    return fails("symlinkat", true) ? -1 : result(syscall(SYS_symlinkat, target, directory, path));
}
}
// NOLINTEND
