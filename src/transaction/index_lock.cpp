#include "transaction/index_lock.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <carry/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

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
    if (link(m_proof.c_str(), m_lock.c_str()) == 0)
        return;
    if (errno == EEXIST)
        throw_held(m_lock);
    if (!has_no_links(errno))
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
