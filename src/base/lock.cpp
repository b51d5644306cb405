#include "base/lock.hpp"

#include "base/text.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>

namespace carry {

std::optional<FileLock> FileLock::try_acquire(const std::filesystem::path& path) {
    UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd)
        throw_errno("open", path);
    while (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return std::nullopt;
        if (errno != EINTR)
            throw_errno("lock", path);
    }
    if (ftruncate(fd.get(), 0) != 0)
        throw_errno("write", path);
    write_all(fd.get(), std::to_string(getpid()) + "\n", path);
    return FileLock(std::move(fd));
}

PresenceLock PresenceLock::enter(const std::filesystem::path& directory, const std::function<void()>& alone) {
    UniqueFd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd)
        throw_errno("open", directory);
    if (flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
        alone();
    while (flock(fd.get(), LOCK_SH) != 0) {
        if (errno != EINTR)
            throw_errno("lock", directory);
    }
    return PresenceLock(std::move(fd));
}

std::optional<long> FileLock::holder(const std::filesystem::path& path) {
    const auto text = read_file_if_exists(path);
    if (!text)
        return std::nullopt;
    const std::string_view digits = trim(*text);
    long pid = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
    if (error != std::errc() || end != digits.data() + digits.size() || pid <= 0)
        return std::nullopt;
    return pid;
}

} // namespace carry
