#include "transaction/index_lock.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <carry/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace carry::transaction {
namespace {

void write_new(const std::filesystem::path& path, std::string_view content) {
    const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!fd)
        throw_errno("write", path);
    write_all(fd.get(), content, path);
}

void unlink_file(const std::filesystem::path& path) {
    if (unlink(path.c_str()) != 0 && errno != ENOENT)
        throw_errno("remove", path);
}

/// Left behind, or held by something that takes its time.
bool is_old(const std::filesystem::path& lock) {
    const auto status = lstat_if_exists(lock);
    return status && now_seconds() - status->st_mtim.tv_sec >= 5;
}

bool has_no_links(int error) {
    return error == EPERM || error == ENOTSUP || error == EMLINK || error == EXDEV || error == ENOSYS;
}

[[noreturn]] void throw_held(const std::filesystem::path& lock) {
    const auto status = lstat_if_exists(lock);
    const std::string age =
        status ? fmt::format(", made {}", relative_time(status->st_mtim.tv_sec, now_seconds())) : "";
    throw Error(ErrorKind::failed, fmt::format("another process holds {}{}", quoted(lock.native()), age))
        .hint(fmt::format("rm {}   where no git is at work there", shell_quote(lock.native())));
}

} // namespace

IndexLock::IndexLock(const git::RepositoryPaths& paths, const std::string& token)
    : m_lock(paths.git_dir / "index.lock"), m_proof(paths.carry_dir() / ("index-lock-" + token)),
      m_content(fmt::format("git-carry {}\n", token)) {}

void IndexLock::take() {
    if (is_ours())
        return;
    unlink_file(m_proof);
    write_new(m_proof, m_content);
    int error = 0;
    for (int tries = 0; tries < 20; ++tries) { // a git status in an editor or a prompt holds it for a moment
        if (link(m_proof.c_str(), m_lock.c_str()) == 0)
            return;
        error = errno;
        if (error != EEXIST || is_old(m_lock))
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    if (error == EEXIST)
        throw_held(m_lock);
    errno = error;
    if (!has_no_links(error))
        throw_errno("make", m_lock);
    const UniqueFd fd(open(m_lock.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!fd && errno == EEXIST)
        throw_held(m_lock);
    if (!fd)
        throw_errno("make", m_lock);
    write_all(fd.get(), m_content, m_lock);
}

bool IndexLock::is_ours() const {
    const auto lock = lstat_if_exists(m_lock);
    if (!lock || !S_ISREG(lock->st_mode))
        return false;
    const auto proof = lstat_if_exists(m_proof);
    if (proof && proof->st_dev == lock->st_dev && proof->st_ino == lock->st_ino)
        return true;
    return lock->st_size == static_cast<off_t>(m_content.size()) && read_file(m_lock) == m_content;
}

void IndexLock::release() {
    if (is_ours())
        unlink_file(m_lock);
    unlink_file(m_proof);
}

} // namespace carry::transaction
