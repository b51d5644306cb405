// Linked into the test program, and built as a library that is preloaded into git.
#include "recorder.hpp"

#include "support/system_calls.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace carry::crash {
namespace {

using test::CallKind;
using test::SystemCall;

int log_fd = -1;
std::string* root = nullptr; // never destroyed: git calls us to its very end

std::string link_target(const std::string& path) {
    std::array<char, PATH_MAX> target{};
    const ssize_t n = readlink(path.c_str(), target.data(), target.size());
    return n < 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(n));
}

std::string path_of(int fd) {
    return link_target(fd == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(fd));
}

/// Absolute, without "." and empty components.
std::string full_path(int directory, const char* path) {
    std::string text(path);
    if (!text.starts_with('/'))
        text = path_of(directory) + '/' + text;
    std::string clean;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('/', at), text.size());
        const auto part = std::string_view(text).substr(at, end - at);
        if (part == "..")
            clean.resize(std::min(clean.rfind('/'), clean.size()));
        else if (!part.empty() && part != ".")
            clean.append("/").append(part);
        at = end + 1;
    }
    return clean;
}

bool is_below_root(const std::string& path) {
    return path == *root || path.starts_with(*root + '/');
}

std::string contents(int fd) {
    const std::string name = "/proc/self/fd/" + std::to_string(fd);
    const auto copy = static_cast<int>(syscall(SYS_openat, AT_FDCWD, name.c_str(), O_RDONLY | O_CLOEXEC, 0));
    std::string bytes;
    std::array<char, 65536> piece{};
    for (;;) {
        const long n = syscall(SYS_read, copy, piece.data(), piece.size());
        if (n <= 0)
            break;
        bytes.append(piece.data(), static_cast<std::size_t>(n));
    }
    close(copy);
    return bytes;
}

struct Entry {
    std::string_view action;
    std::string path, to;
    ino_t inode = 0;
    mode_t mode = 0;
    std::string bytes;
};

/// Each field with its length before it; one write, so that several processes do not mix.
void append(const Entry& entry) {
    std::string line;
    for (const std::string& field : {std::string(entry.action), entry.path, entry.to, std::to_string(entry.inode),
                                     std::to_string(entry.mode), entry.bytes})
        line += std::to_string(field.size()) + ':' + field;
    syscall(SYS_write, log_fd, line.data(), line.size());
}

void note_data(std::string_view action, int fd, const std::string& path) {
    struct stat status {};
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        append({action, path, {}, status.st_ino, status.st_mode & 07777U, contents(fd)});
}

void note_opened(const SystemCall& call, int fd) {
    const auto path = full_path(call.directory, call.path);
    if (!is_below_root(path))
        return;
    if (!call.was_there)
        note_data("make", fd, path);
    else if ((call.flags & O_TRUNC) != 0)
        note_data("data", fd, path);
}

void note_sync(const SystemCall& call) {
    const auto path = path_of(call.directory);
    struct stat status {};
    if (!is_below_root(path) || fstat(call.directory, &status) != 0)
        return;
    const std::string_view name(call.name);
    if (name == "syncfs")
        append({"syncfs", path, {}});
    else if (S_ISDIR(status.st_mode))
        append({"dirsync", path, {}});
    else {
        note_data("data", call.directory, path); // what stdio wrote is seen only here
        append({"sync", path, {}, status.st_ino});
    }
}

void note_renamed(const SystemCall& call) {
    const auto from = full_path(call.directory, call.path);
    const auto to = full_path(call.to_directory, call.to);
    if (!is_below_root(from) && !is_below_root(to))
        return;
    const auto fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, to.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0));
    const bool exchanged = (call.flags & RENAME_EXCHANGE) != 0;
    if (fd >= 0 && !exchanged)
        note_data("data", fd, to);
    close(fd);
    append({exchanged ? "exchange" : "rename", from, to});
}

void note_made(const SystemCall& call) {
    const std::string_view name(call.name);
    const bool two = call.to != nullptr;
    const auto path = full_path(two ? call.to_directory : call.directory, two ? call.to : call.path);
    if (!is_below_root(path))
        return;
    if (name == "mkdir") {
        struct stat status {};
        lstat(path.c_str(), &status);
        append({"mkdir", path, {}, 0, status.st_mode & 07777U});
    } else if (name == "symlink") {
        append({"symlink", path, {}, 0, 0777, call.path});
    } else if (name == "link") {
        append({"link", full_path(call.directory, call.path), path});
    }
}

void note_changed(const SystemCall& call) {
    const std::string_view name(call.name);
    if (name.starts_with("rename"))
        return note_renamed(call);
    if (name == "fchmod" || name == "ftruncate") {
        const auto path = path_of(call.directory);
        if (is_below_root(path))
            note_data("data", call.directory, path);
        return;
    }
    if (name != "unlink" && name != "unlinkat" && name != "rmdir")
        return;
    const auto path = full_path(call.directory, call.path);
    if (is_below_root(path))
        append({name == "rmdir" ? "rmdir" : "unlink", path, {}});
}

void note(const SystemCall& call, long result) {
    if (call.kind == CallKind::make && std::string_view(call.name).find("open") == std::string_view::npos &&
        std::string_view(call.name).find("mk") != 0)
        return note_made(call);
    switch (call.kind) {
    case CallKind::make:
        return std::string_view(call.name) == "mkdir" ? note_made(call) : note_opened(call, static_cast<int>(result));
    case CallKind::write:
        if (const auto path = path_of(call.directory); is_below_root(path))
            note_data("data", call.directory, path);
        return;
    case CallKind::sync:
        return note_sync(call);
    case CallKind::change:
        return note_changed(call);
    case CallKind::open:
        if ((call.flags & O_TRUNC) != 0)
            note_opened(call, static_cast<int>(result));
        return;
    default:
        return;
    }
}

void record_into(const char* log, const char* below) {
    root = new std::string(below); // NOLINT: see above
    const auto opened =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    log_fd = fcntl(opened, F_DUPFD_CLOEXEC, 200); // out of the way of a program that counts on low numbers
    close(opened);
    test::watch_system_calls(nullptr, note);
}

/// In a git that was started with the library.
[[maybe_unused]] const bool preloaded = [] {
    const char* const log = getenv("CARRY_RECORD_LOG");
    if (log == nullptr)
        return false;
    record_into(log, getenv("CARRY_RECORD_ROOT"));
    return true;
}();

} // namespace

void start_recording(const char* log, const char* below, const char* library) {
    setenv("CARRY_RECORD_LOG", log, 1);
    setenv("CARRY_RECORD_ROOT", below, 1);
    setenv("LD_PRELOAD", library, 1);
    record_into(log, below);
}

} // namespace carry::crash
