#include "transaction/metadata.hpp"

#include "base/text.hpp"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace carry::transaction {
namespace {

constexpr std::string_view access_acl = "system.posix_acl_access";

/// Labels and measurements that the system makes itself for every new file are not ours to carry along.
bool is_carried(std::string_view name) {
    if (name == access_acl)
        return true;
    if (name == "security.ima" || name == "security.evm" || name == "security.selinux")
        return false;
    return name.starts_with("user.") || name.starts_with("security.");
}

bool is_refusal(int error) {
    return error == ENOTSUP || error == EPERM || error == EACCES || error == ENODATA;
}

std::string list_xattrs(int fd, const std::filesystem::path& path) {
    std::string names(1024, '\0');
    for (;;) {
        const ssize_t size = flistxattr(fd, names.data(), names.size());
        if (size >= 0) {
            names.resize(static_cast<std::size_t>(size));
            return names;
        }
        if (errno == ENOTSUP)
            return {};
        if (errno != ERANGE || names.size() > 1U << 20U)
            throw_errno("read the extended attributes of", path);
        names.resize(names.size() * 2);
    }
}

std::optional<std::string> read_xattr(int fd, const std::string& name, const std::filesystem::path& path) {
    std::string value(1024, '\0');
    for (;;) {
        const ssize_t size = fgetxattr(fd, name.c_str(), value.data(), value.size());
        if (size >= 0) {
            value.resize(static_cast<std::size_t>(size));
            return value;
        }
        if (is_refusal(errno))
            return std::nullopt;
        if (errno != ERANGE || value.size() > 1U << 20U)
            throw_errno("read the extended attributes of", path);
        value.resize(value.size() * 2);
    }
}

std::vector<std::pair<std::string, std::string>> read_xattrs(int fd, const std::filesystem::path& path) {
    std::vector<std::pair<std::string, std::string>> xattrs;
    const std::string names = list_xattrs(fd, path);
    for (const auto name : split_terminated(names, '\0')) {
        if (!is_carried(name))
            continue;
        if (auto value = read_xattr(fd, std::string(name), path))
            xattrs.emplace_back(name, std::move(*value));
    }
    std::sort(xattrs.begin(), xattrs.end());
    return xattrs;
}

void set_xattrs(int fd, const Metadata& wanted, const std::filesystem::path& path) {
    for (const auto& [name, value] : read_xattrs(fd, path)) {
        // a default ACL of the directory, say
        const bool is_wanted = std::any_of(wanted.xattrs.begin(), wanted.xattrs.end(),
                                           [&, &have = name](const auto& xattr) { return xattr.first == have; });
        if (!is_wanted && fremovexattr(fd, name.c_str()) != 0 && !is_refusal(errno))
            throw_errno("set the extended attributes of", path);
    }
    for (const auto& [name, value] : wanted.xattrs) {
        if (fsetxattr(fd, name.c_str(), value.data(), value.size(), 0) != 0 && !is_refusal(errno))
            throw_errno("set the extended attributes of", path);
    }
}

} // namespace

std::optional<Metadata> read_metadata(DirectoryTree& tree, const std::string& path) {
    const auto status = tree.status(path);
    if (!status || (!S_ISREG(status->st_mode) && !S_ISLNK(status->st_mode)))
        return std::nullopt;
    Metadata metadata{status->st_mode & 07777U, status->st_uid, status->st_gid, {}};
    if (S_ISLNK(status->st_mode))
        return metadata;
    const auto directory = tree.open(parent_of(path));
    if (!directory)
        return std::nullopt;
    const std::string name(name_of(path));
    const auto full = tree.root() / std::filesystem::path(path);
    // O_NONBLOCK: what was a file a moment ago may be a pipe now
    const UniqueFd fd(openat(*directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!fd)
        throw_errno("read", full);
    metadata.xattrs = read_xattrs(fd.get(), full);
    return metadata;
}

Metadata kept_metadata(Metadata replaced, bool executable) {
    const bool was_executable = (replaced.mode & S_IXUSR) != 0;
    if (executable && !was_executable)
        replaced.mode |= (replaced.mode & 0444U) >> 2U;
    else if (!executable && was_executable)
        replaced.mode &= ~mode_t{0111};
    return replaced;
}

void set_metadata(int fd, const Metadata& wanted, const std::filesystem::path& path) {
    struct stat status {};
    if (fstat(fd, &status) != 0)
        throw_errno("look at", path);
    mode_t mode = wanted.mode;
    if (status.st_uid != wanted.uid || status.st_gid != wanted.gid) {
        bool owned = fchown(fd, wanted.uid, wanted.gid) == 0;
        if (!owned && errno != EPERM && errno != EINVAL)
            throw_errno("set the owner of", path);
        if (!owned) {
            // the group may be one of ours all the same
            owned = fchown(fd, static_cast<uid_t>(-1), wanted.gid) == 0 && status.st_uid == wanted.uid;
        }
        if (!owned)
            mode &= ~mode_t{S_ISUID | S_ISGID};
    }
    set_xattrs(fd, wanted, path);
    if (fchmod(fd, mode) != 0)
        throw_errno("set the mode of", path);
}

void set_link_owner(int directory, const std::string& name, const Metadata& wanted, const std::filesystem::path& path) {
    struct stat status {};
    if (fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
        throw_errno("look at", path);
    if (status.st_uid == wanted.uid && status.st_gid == wanted.gid)
        return;
    if (fchownat(directory, name.c_str(), wanted.uid, wanted.gid, AT_SYMLINK_NOFOLLOW) != 0 && errno != EPERM &&
        errno != EINVAL)
        throw_errno("set the owner of", path);
}

} // namespace carry::transaction
