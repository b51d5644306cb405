#include "tree_copy.hpp"

#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <map>
#include <utility>

namespace carry::crash {
namespace {

namespace fs = std::filesystem;
using Copied = std::map<std::pair<dev_t, ino_t>, fs::path>;

void set_times(const fs::path& path, const struct stat& status) {
    const std::array<timespec, 2> times{status.st_atim, status.st_mtim};
    if (utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0)
        throw_errno("set the time of", path);
}

void copy_file(const fs::path& from, const fs::path& to, const struct stat& status) {
    const UniqueFd fd(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd)
        throw_errno("make", to);
    write_all(fd.get(), read_file(from), to);
    if (fchmod(fd.get(), status.st_mode & 07777U) != 0)
        throw_errno("set the mode of", to);
}

void copy(const fs::path& from, const fs::path& to, Copied& copied) {
    const auto status = lstat_if_exists(from).value();
    if (S_ISDIR(status.st_mode)) {
        fs::create_directory(to);
        for (const auto& entry : fs::directory_iterator(from))
            copy(entry.path(), to / entry.path().filename(), copied);
        fs::permissions(to, static_cast<fs::perms>(status.st_mode & 07777U));
    } else if (S_ISLNK(status.st_mode)) {
        fs::create_symlink(read_link(from), to);
    } else {
        const auto [first, is_new] = copied.emplace(std::pair(status.st_dev, status.st_ino), to);
        if (!is_new) {
            fs::create_hard_link(first->second, to);
            return;
        }
        copy_file(from, to, status);
    }
    set_times(to, status);
}

} // namespace

void copy_tree(const fs::path& from, const fs::path& to) {
    Copied copied;
    copy(from, to, copied);
}

} // namespace carry::crash
