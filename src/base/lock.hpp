/// One run at a time: an advisory lock (flock) on a file. It goes with the process, so a crash leaves nothing stale.
#pragma once

#include "base/file.hpp"

#include <filesystem>
#include <functional>
#include <optional>

namespace carry {

class FileLock {
public:
    /// Nothing where another process holds it. The file is made (0600) and keeps the holder's process id as text.
    static std::optional<FileLock> try_acquire(const std::filesystem::path& path);
    /// The process id that the holder wrote, for messages.
    static std::optional<long> holder(const std::filesystem::path& path);

private:
    explicit FileLock(UniqueFd fd) : m_fd(std::move(fd)) {}
    UniqueFd m_fd;
};

/// Held by everybody who is at work in a directory, so that who is alone there can tell.
class PresenceLock {
public:
    /// Calls `alone` first where nobody else holds it; newcomers wait meanwhile. Throws Error{failed}.
    static PresenceLock enter(const std::filesystem::path& directory, const std::function<void()>& alone);

private:
    explicit PresenceLock(UniqueFd fd) : m_fd(std::move(fd)) {}
    UniqueFd m_fd;
};

} // namespace carry
