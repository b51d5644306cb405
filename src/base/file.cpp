#include "base/file.hpp"

#include "base/text.hpp"
#include "carry/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <vector>

namespace carry {
namespace {

namespace fs = std::filesystem;

bool is_missing(int error) {
    return error == ENOENT || error == ENOTDIR;
}

/// Where a temporary file or directory goes that is to stand beside `path`.
fs::path directory_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Removing needs write and search permission in every directory on the way, which tests and tools take away.
void open_up(const fs::path& directory) {
    std::error_code ignored;
    fs::permissions(directory, fs::perms::owner_all, fs::perm_options::add, ignored);
    for (const auto& entry : fs::directory_iterator(directory, ignored)) {
        if (entry.is_directory(ignored) && !entry.is_symlink(ignored))
            open_up(entry.path());
    }
}

/// What the umask takes from group and others. It can only be read by setting it; nothing here uses threads.
mode_t others_umask() {
    const mode_t mask = umask(S_IRWXG | S_IRWXO);
    umask(mask);
    return mask & (S_IRWXG | S_IRWXO);
}

} // namespace

void UniqueFd::reset() noexcept {
    if (m_fd >= 0)
        close(m_fd);
    m_fd = -1;
}

void throw_errno(std::string_view verb, const fs::path& path) {
    const int error = errno;
    throw Error(ErrorKind::failed, fmt::format("cannot {} {}", verb, quoted(path.native())))
        .because(std::generic_category().message(error));
}

std::string read_open_file(int fd, const fs::path& path) {
    std::string bytes;
    struct stat status {};
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        bytes.reserve(static_cast<std::size_t>(status.st_size) + 1);
    std::array<char, 65536> piece{};
    for (;;) {
        const ssize_t n = read(fd, piece.data(), piece.size());
        if (n > 0)
            bytes.append(piece.data(), static_cast<std::size_t>(n));
        else if (n == 0)
            return bytes;
        else if (errno != EINTR)
            throw_errno("read", path);
    }
}

std::string read_file(const fs::path& path) {
    const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        throw_errno("read", path);
    return read_open_file(fd.get(), path);
}

std::optional<std::string> read_file_if_exists(const fs::path& path) {
    const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd)
        return read_open_file(fd.get(), path);
    if (is_missing(errno))
        return std::nullopt;
    throw_errno("read", path);
}

std::optional<struct stat> lstat_if_exists(const fs::path& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) == 0)
        return status;
    if (is_missing(errno))
        return std::nullopt;
    throw_errno("look at", path);
}

std::string read_link(const fs::path& path) {
    std::string target(256, '\0');
    for (;;) {
        const ssize_t n = readlink(path.c_str(), target.data(), target.size());
        if (n < 0)
            throw_errno("read the link", path);
        if (static_cast<std::size_t>(n) < target.size()) {
            target.resize(static_cast<std::size_t>(n));
            return target;
        }
        target.resize(target.size() * 2); // it may have been cut short
    }
}

void write_all(int fd, std::string_view bytes, const fs::path& path) {
    while (!bytes.empty()) {
        const ssize_t n = write(fd, bytes.data(), bytes.size());
        if (n >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EINTR)
            throw_errno("write", path);
    }
}

void fsync_file(int fd, const fs::path& path) {
    while (fsync(fd) != 0) {
        if (errno != EINTR)
            throw_errno("sync", path);
    }
}

void fsync_directory(const fs::path& directory) {
    const UniqueFd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd)
        throw_errno("open", directory);
    while (fsync(fd.get()) != 0) {
        if (errno == EINVAL || errno == ENOTSUP)
            return; // some network file systems cannot sync a directory
        if (errno != EINTR)
            throw_errno("sync", directory);
    }
}

AtomicFile::AtomicFile(fs::path path, mode_t mode) : m_path(std::move(path)) {
    std::string name = (directory_of(m_path) / ".carry-XXXXXX").native();
    m_fd = UniqueFd(mkostemp(name.data(), O_CLOEXEC));
    if (!m_fd)
        throw_errno("write", m_path);
    m_temporary = std::move(name);
    if (fchmod(m_fd.get(), mode & ~others_umask()) != 0) {
        const int error = errno;
        unlink(m_temporary.c_str());
        errno = error;
        throw_errno("set the mode of", m_path);
    }
}

AtomicFile::~AtomicFile() {
    if (!m_temporary.empty())
        unlink(m_temporary.c_str());
}

void AtomicFile::write(std::string_view bytes) {
    write_all(m_fd.get(), bytes, m_path);
}

void AtomicFile::commit() {
    fsync_file(m_fd.get(), m_path);
    if (rename(m_temporary.c_str(), m_path.c_str()) != 0)
        throw_errno("write", m_path);
    m_temporary.clear();
    m_fd.reset();
    fsync_directory(directory_of(m_path));
}

void write_file_atomic(const fs::path& path, std::string_view bytes, mode_t mode) {
    AtomicFile file(path, mode);
    file.write(bytes);
    file.commit();
}

void make_directories(const fs::path& path, mode_t mode) {
    if (path.empty() || mkdir(path.c_str(), mode) == 0)
        return;
    if (errno == ENOENT && path.has_parent_path() && path.parent_path() != path) {
        make_directories(path.parent_path(), mode);
        if (mkdir(path.c_str(), mode) == 0)
            return;
    }
    const int error = errno;
    struct stat status {};
    if (error == EEXIST && stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
        return;
    errno = error;
    throw_errno("make the directory", path);
}

TemporaryDirectory::TemporaryDirectory(const fs::path& parent, std::string_view prefix) {
    std::string name = (parent / fmt::format("{}XXXXXX", prefix)).native();
    if (mkdtemp(name.data()) == nullptr)
        throw_errno("make a directory in", parent);
    m_path = std::move(name);
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code error;
    fs::remove_all(m_path, error);
    if (!error)
        return;
    open_up(m_path);
    fs::remove_all(m_path, error);
}

} // namespace carry
