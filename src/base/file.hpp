/// Files as bytes: descriptors, whole reads, atomic writes, directories reached without following links.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace carry {

/// Owns a file descriptor.
class UniqueFd {
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) noexcept : m_fd(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        if (this != &other) {
            reset();
            m_fd = std::exchange(other.m_fd, -1);
        }
        return *this;
    }
    UniqueFd(const UniqueFd&) = delete;
    UniqueFd& operator=(const UniqueFd&) = delete;
    ~UniqueFd() { reset(); }

    [[nodiscard]] int get() const noexcept { return m_fd; }
    [[nodiscard]] explicit operator bool() const noexcept { return m_fd >= 0; }
    void reset() noexcept;
    /// Gives the descriptor away; the caller closes it.
    [[nodiscard]] int release() noexcept { return std::exchange(m_fd, -1); }

private:
    int m_fd = -1;
};

/// Throws Error{failed} "cannot VERB 'PATH'" with strerror(errno) as its cause.
[[noreturn]] void throw_errno(std::string_view verb, const std::filesystem::path& path);

/// The whole file. Throws Error{failed} where it cannot be read.
std::string read_file(const std::filesystem::path& path);
/// The whole file, or nothing where there is none (ENOENT, ENOTDIR). Throws on other errors.
std::optional<std::string> read_file_if_exists(const std::filesystem::path& path);

/// From where `fd` stands to the end; `path` is for the message.
std::string read_open_file(int fd, const std::filesystem::path& path);

/// lstat; nothing where there is no such file (ENOENT, ENOTDIR).
std::optional<struct stat> lstat_if_exists(const std::filesystem::path& path);

/// Target of a symbolic link, as bytes.
std::string read_link(const std::filesystem::path& path);

/// All of `bytes`, through short writes and EINTR. Throws Error{failed} naming `path`.
void write_all(int fd, std::string_view bytes, const std::filesystem::path& path);
void fsync_file(int fd, const std::filesystem::path& path);
void fsync_directory(const std::filesystem::path& directory);

/// Writes a file by a synced temporary beside it and a rename; the file is wholly old or wholly new.
/// The destructor discards, commit() publishes.
class AtomicFile {
public:
    explicit AtomicFile(std::filesystem::path path, mode_t mode = 0600);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();
    void write(std::string_view bytes);
    void commit();

private:
    std::filesystem::path m_path;
    std::filesystem::path m_temporary;
    UniqueFd m_fd;
};

/// AtomicFile in one call.
void write_file_atomic(const std::filesystem::path& path, std::string_view bytes, mode_t mode = 0600);

/// mkdir -p with this mode for each directory made. Throws Error{failed}.
void make_directories(const std::filesystem::path& path, mode_t mode = 0700);

/// A fresh 0700 directory below `parent`, removed with all it holds by the destructor.
class TemporaryDirectory {
public:
    explicit TemporaryDirectory(const std::filesystem::path& parent, std::string_view prefix = "tmp-");
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory();
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return m_path; }

private:
    std::filesystem::path m_path;
};

} // namespace carry
