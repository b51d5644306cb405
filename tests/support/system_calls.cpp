// Takes the place of libc's functions in this program. libgit2 calls open(), our own code open64(): both are here.
#undef _FILE_OFFSET_BITS
#include "support/system_calls.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace carry::test {
namespace {

Before ask = nullptr;
After tell = nullptr;

/// O_TMPFILE has the bit of O_DIRECTORY in it.
bool may_make(int flags) {
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

bool is_there(int directory, const char* path) {
    return syscall(SYS_faccessat, directory, path, F_OK) == 0;
}

bool is_regular(int fd) {
    struct stat status {};
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace

void watch_system_calls(Before before, After after) noexcept {
    ask = before;
    tell = after;
}

namespace {

template <typename Real>
long go(SystemCall call, const Real& real) {
    if (const int error = ask != nullptr ? ask(call) : 0; error != 0) {
        errno = error;
        return -1;
    }
    const long result = real(call);
    if (result >= 0 && tell != nullptr) {
        const int error = errno;
        tell(call, result);
        errno = error;
    }
    return result;
}

int go_int(const SystemCall& call, long number, auto... arguments) {
    return static_cast<int>(go(call, [&](const SystemCall&) { return syscall(number, arguments...); }));
}

int opened(const char* name, int directory, const char* path, int flags, mode_t mode) {
    const bool makes = may_make(flags);
    SystemCall call{name, makes ? CallKind::make : CallKind::open, directory, path};
    call.flags = static_cast<unsigned>(flags);
    call.was_there = !makes || tell == nullptr || is_there(directory, path);
    return go_int(call, SYS_openat, directory, path, flags, mode);
}

mode_t mode_of(int flags, va_list arguments) {
    return may_make(flags) ? va_arg(arguments, mode_t) : 0;
}

ssize_t written(const char* name, int fd, const void* bytes, std::size_t size) {
    if (!is_regular(fd)) // a pipe is never full for long
        return syscall(SYS_write, fd, bytes, size);
    SystemCall asked{name, CallKind::write, fd, nullptr};
    asked.size = size;
    return go(asked, [&](const SystemCall& call) { return syscall(SYS_write, fd, bytes, call.size); });
}

/// The template's X's replaced.
void fill(char* text, std::size_t suffix) {
    static constexpr char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::array<unsigned char, 6> bytes{};
    if (syscall(SYS_getrandom, bytes.data(), bytes.size(), 0) < 0)
        bytes.fill(0);
    char* const end = text + std::strlen(text) - suffix;
    for (std::size_t n = 0; n < bytes.size(); ++n)
        end[static_cast<std::ptrdiff_t>(n) - 6] = letters[bytes[n] % (sizeof letters - 1)];
}

int opened_anew(const char* name, char* text, int suffix, int flags) {
    for (;;) {
        fill(text, static_cast<std::size_t>(suffix));
        const int fd = opened(name, AT_FDCWD, text, flags | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
}

/// libc's own, for what is more than one system call.
template <typename Function>
Function* original(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace
} // namespace carry::test

using namespace carry::test; // NOLINT(google-build-using-namespace)

// NOLINTBEGIN
extern "C" {

#define CARRY_OPEN(NAME)                                                                                               \
    int NAME(const char* path, int flags, ...) {                                                                       \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        const mode_t mode = mode_of(flags, arguments);                                                                 \
        va_end(arguments);                                                                                             \
        return opened("open", AT_FDCWD, path, flags, mode);                                                            \
    }
#define CARRY_OPENAT(NAME)                                                                                             \
    int NAME(int directory, const char* path, int flags, ...) {                                                        \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        const mode_t mode = mode_of(flags, arguments);                                                                 \
        va_end(arguments);                                                                                             \
        return opened("openat", directory, path, flags, mode);                                                         \
    }
CARRY_OPEN(open)
CARRY_OPEN(open64)
CARRY_OPENAT(openat)
CARRY_OPENAT(openat64)

int mkostemp(char* text, int flags) {
    return opened_anew("mkostemp", text, 0, flags);
}
int mkostemp64(char* text, int flags) {
    return opened_anew("mkostemp", text, 0, flags);
}
int mkstemp64(char* text) {
    return opened_anew("mkstemp", text, 0, 0);
}
char* mkdtemp(char* text) {
    for (;;) {
        fill(text, 0);
        if (mkdir(text, 0700) == 0)
            return text;
        if (errno != EEXIST)
            return nullptr;
    }
}

ssize_t write(int fd, const void* bytes, size_t size) {
    return written("write", fd, bytes, size);
}
ssize_t writev(int fd, const iovec* pieces, int count) {
    SystemCall call{"writev", CallKind::write, fd, nullptr};
    return is_regular(fd) ? go_int(call, SYS_writev, fd, pieces, count) : syscall(SYS_writev, fd, pieces, count);
}
ssize_t read(int fd, void* bytes, size_t size) {
    if (!is_regular(fd))
        return syscall(SYS_read, fd, bytes, size);
    return go({"read", CallKind::look, fd, nullptr},
              [&](const SystemCall&) { return syscall(SYS_read, fd, bytes, size); });
}
DIR* opendir(const char* path) {
    const int fd = opened("opendir", AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    return fd < 0 ? nullptr : fdopendir(fd);
}
struct dirent64* readdir64(DIR* directory) {
    static const auto real = original<struct dirent64*(DIR*)>("readdir64");
    SystemCall call{"readdir", CallKind::look, dirfd(directory), nullptr};
    if (const int error = ask != nullptr ? ask(call) : 0; error != 0) {
        errno = error;
        return nullptr;
    }
    return real(directory);
}

int fsync(int fd) {
    return go_int({"fsync", CallKind::sync, fd, nullptr}, SYS_fsync, fd);
}
int fdatasync(int fd) {
    return go_int({"fdatasync", CallKind::sync, fd, nullptr}, SYS_fdatasync, fd);
}
int syncfs(int fd) noexcept {
    return go_int({"syncfs", CallKind::sync, fd, nullptr}, SYS_syncfs, fd);
}
int ftruncate(int fd, off_t size) noexcept {
    return go_int({"ftruncate", CallKind::change, fd, nullptr}, SYS_ftruncate, fd, size);
}
int ftruncate64(int fd, off64_t size) noexcept {
    return go_int({"ftruncate", CallKind::change, fd, nullptr}, SYS_ftruncate, fd, size);
}

int fchmod(int fd, mode_t mode) noexcept {
    return go_int({"fchmod", CallKind::change, fd, nullptr}, SYS_fchmod, fd, mode);
}
int chmod(const char* path, mode_t mode) noexcept {
    return go_int({"chmod", CallKind::change, AT_FDCWD, path}, SYS_chmod, path, mode);
}
int fchown(int fd, uid_t user, gid_t group) noexcept {
    return go_int({"fchown", CallKind::change, fd, nullptr}, SYS_fchown, fd, user, group);
}
int fchownat(int directory, const char* path, uid_t user, gid_t group, int flags) noexcept {
    return go_int({"fchownat", CallKind::change, directory, path}, SYS_fchownat, directory, path, user, group, flags);
}
int fsetxattr(int fd, const char* name, const void* value, size_t size, int flags) noexcept {
    return go_int({"fsetxattr", CallKind::change, fd, nullptr}, SYS_fsetxattr, fd, name, value, size, flags);
}
int utimensat(int directory, const char* path, const timespec times[2], int flags) noexcept {
    return go_int({"utimensat", CallKind::change, directory, path}, SYS_utimensat, directory, path, times, flags);
}

int rename(const char* from, const char* to) noexcept {
    return go_int({"rename", CallKind::change, AT_FDCWD, from, AT_FDCWD, to}, SYS_rename, from, to);
}
int renameat(int a, const char* from, int b, const char* to) noexcept {
    return go_int({"renameat", CallKind::change, a, from, b, to}, SYS_renameat, a, from, b, to);
}
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) noexcept {
    return go_int({"renameat2", CallKind::change, a, from, b, to, flags}, SYS_renameat2, a, from, b, to, flags);
}
int unlink(const char* path) noexcept {
    return go_int({"unlink", CallKind::change, AT_FDCWD, path}, SYS_unlink, path);
}
int unlinkat(int directory, const char* path, int flags) noexcept {
    return go_int({(flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlinkat", CallKind::change, directory, path}, SYS_unlinkat,
                  directory, path, flags);
}
int rmdir(const char* path) noexcept {
    return go_int({"rmdir", CallKind::change, AT_FDCWD, path}, SYS_rmdir, path);
}
int mkdir(const char* path, mode_t mode) noexcept {
    return go_int({"mkdir", CallKind::make, AT_FDCWD, path}, SYS_mkdir, path, mode);
}
int mkdirat(int directory, const char* path, mode_t mode) noexcept {
    return go_int({"mkdir", CallKind::make, directory, path}, SYS_mkdirat, directory, path, mode);
}
int link(const char* from, const char* to) noexcept {
    return go_int({"link", CallKind::make, AT_FDCWD, from, AT_FDCWD, to}, SYS_link, from, to);
}
int symlink(const char* target, const char* path) noexcept {
    return go_int({"symlink", CallKind::make, AT_FDCWD, target, AT_FDCWD, path}, SYS_symlink, target, path);
}
int symlinkat(const char* target, int directory, const char* path) noexcept {
    return go_int({"symlink", CallKind::make, AT_FDCWD, target, directory, path}, SYS_symlinkat, target, directory,
                  path);
}

pid_t fork() noexcept {
    static const auto real = original<pid_t()>("fork");
    return static_cast<pid_t>(go({"fork", CallKind::start, -1, nullptr}, [](const SystemCall&) { return real(); }));
}
int pipe2(int ends[2], int flags) noexcept {
    return go_int({"pipe2", CallKind::start, -1, nullptr}, SYS_pipe2, ends, flags);
}
}
// NOLINTEND
