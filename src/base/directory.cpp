#include "base/directory.hpp"

#include "base/text.hpp"
#include "base/unicode.hpp"
#include "carry/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace carry {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool starts_without_case(std::string_view text, std::string_view lower_case) {
    return text.size() >= lower_case.size() &&
           std::equal(lower_case.begin(), lower_case.end(), text.begin(), [](char a, char b) { return a == lower(b); });
}

/// .git or its short name git~1 to NTFS, which drops dots and spaces at the end and takes what follows a colon for
/// the name of a stream.
bool is_ntfs_dotgit(std::string_view name) {
    std::size_t length = 0;
    if (starts_without_case(name, ".git"))
        length = 4;
    else if (starts_without_case(name, "git~1"))
        length = 5;
    else
        return false;
    const std::size_t end = name.find_first_not_of(". ", length);
    return end == std::string_view::npos || name[end] == ':' || name[end] == '\\' || name[end] == '/';
}

/// The next code point that HFS+ does not ignore; nothing at the end or, as git has it, where UTF-8 ends.
std::optional<char32_t> next_hfs_char(std::string_view& rest) {
    while (!rest.empty()) {
        const auto c = take_code_point(rest);
        if (!c || *c == 0xfffe || *c == 0xffff)
            return std::nullopt;
        const bool ignored = (*c >= 0x200c && *c <= 0x200f) || (*c >= 0x202a && *c <= 0x202e) ||
                             (*c >= 0x206a && *c <= 0x206f) || *c == 0xfeff;
        if (!ignored)
            return c;
    }
    return std::nullopt;
}

bool is_hfs_dotgit(std::string_view component) {
    for (const char wanted : std::string_view(".git")) {
        const auto c = next_hfs_char(component);
        if (!c || *c > 127 || lower(static_cast<char>(*c)) != wanted)
            return false;
    }
    return !next_hfs_char(component);
}

bool is_dots(std::string_view component) {
    return component.empty() || component == "." || component == "..";
}

bool is_safe_component(std::string_view component) {
    if (is_dots(component) || is_hfs_dotgit(component))
        return false;
    if (is_ntfs_dotgit(component))
        return false;
    // A backslash separates directories where NTFS is used. From the second character on, as git looks.
    for (std::size_t at = component.find('\\', 1); at != std::string_view::npos; at = component.find('\\', at + 1)) {
        if (is_ntfs_dotgit(component.substr(at + 1)))
            return false;
    }
    return true;
}

void check(std::string_view path, bool safe) {
    if (!safe)
        throw Error(ErrorKind::failed, fmt::format("{} is not a path that may stand in a worktree", quoted(path)));
}

/// No way out of the tree; enough for looking.
void check_inside(std::string_view path) {
    const auto parts = split(path, '/');
    check(path, path.find('\0') == std::string_view::npos && std::none_of(parts.begin(), parts.end(), is_dots));
}

[[noreturn]] void throw_no_content(std::string_view path) {
    throw Error(ErrorKind::failed, fmt::format("cannot read {}", quoted(path)))
        .because("it is neither a file nor a symbolic link");
}

/// A large tree has more directories than the usual limit of 1024 descriptors.
bool raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
        return false;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

UniqueFd open_at(int directory, const std::string& name, int flags) {
    UniqueFd fd(openat(directory, name.c_str(), flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd && errno == EMFILE && raise_descriptor_limit())
        fd = UniqueFd(openat(directory, name.c_str(), flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    return fd;
}

std::string read_link_at(int directory, const std::string& name, const std::filesystem::path& path) {
    std::string target(256, '\0');
    for (;;) {
        const ssize_t n = readlinkat(directory, name.c_str(), target.data(), target.size());
        if (n < 0)
            throw_errno("read the link", path);
        if (static_cast<std::size_t>(n) < target.size()) {
            target.resize(static_cast<std::size_t>(n));
            return target;
        }
        target.resize(target.size() * 2);
    }
}

} // namespace

bool is_safe_repo_path(std::string_view path) {
    const auto parts = split(path, '/');
    return !parts.empty() && path.find('\0') == std::string_view::npos &&
           std::all_of(parts.begin(), parts.end(), is_safe_component);
}

std::string_view parent_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

struct DirectoryTree::Impl {
    std::filesystem::path root;
    UniqueFd root_fd;
    std::unordered_map<std::string, UniqueFd> open; ///< by path from the root, without the root itself

    /// The descriptor, or -1 with errno set. `made` where missing directories are to be made.
    int reach(std::string_view directory, std::vector<std::string>* made) {
        if (directory.empty())
            return root_fd.get();
        if (const auto found = open.find(std::string(directory)); found != open.end())
            return found->second.get();
        const int parent = reach(parent_of(directory), made);
        if (parent < 0)
            return -1;
        const std::string name(name_of(directory));
        UniqueFd fd = open_at(parent, name, O_DIRECTORY);
        if (!fd && errno == ENOENT && made != nullptr) {
            if (mkdirat(parent, name.c_str(), 0777) == 0)
                made->emplace_back(directory);
            else if (errno != EEXIST)
                return -1;
            fd = open_at(parent, name, O_DIRECTORY);
        }
        if (!fd)
            return -1;
        return open.emplace(directory, std::move(fd)).first->second.get();
    }

    [[nodiscard]] std::filesystem::path full(std::string_view path) const { return root / std::filesystem::path(path); }
};

DirectoryTree::DirectoryTree(std::filesystem::path root) : m_impl(std::make_unique<Impl>()) {
    m_impl->root = std::move(root);
    m_impl->root_fd = UniqueFd(::open(m_impl->root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!m_impl->root_fd)
        throw_errno("open", m_impl->root);
}

DirectoryTree::DirectoryTree(DirectoryTree&&) noexcept = default;
DirectoryTree::~DirectoryTree() = default;

const std::filesystem::path& DirectoryTree::root() const noexcept {
    return m_impl->root;
}

std::optional<int> DirectoryTree::open(std::string_view directory) {
    check_inside(directory);
    const int fd = m_impl->reach(directory, nullptr);
    if (fd >= 0)
        return fd;
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
        return std::nullopt;
    throw_errno("open", m_impl->full(directory));
}

int DirectoryTree::open_or_make(std::string_view directory, std::vector<std::string>& made) {
    check(directory, directory.empty() || is_safe_repo_path(directory));
    const int fd = m_impl->reach(directory, &made);
    if (fd < 0)
        throw_errno("make the directory", m_impl->full(directory));
    return fd;
}

void DirectoryTree::forget(std::string_view directory) {
    const std::string below = std::string(directory) + '/';
    std::erase_if(m_impl->open, [&](const auto& entry) {
        return directory.empty() || entry.first == directory || entry.first.starts_with(below);
    });
}

std::optional<struct stat> DirectoryTree::status(std::string_view path) {
    check_inside(path);
    struct stat status {};
    const auto parent = open(parent_of(path));
    if (!parent)
        return std::nullopt;
    const std::string name(name_of(path));
    const int result =
        name.empty() ? fstat(*parent, &status) : fstatat(*parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW);
    if (result == 0)
        return status;
    if (errno == ENOENT)
        return std::nullopt;
    throw_errno("look at", m_impl->full(path));
}

std::optional<std::string> DirectoryTree::read(std::string_view path) {
    const auto found = status(path);
    if (!found)
        return std::nullopt;
    const int parent = *open(parent_of(path));
    const std::string name(name_of(path));
    if (S_ISLNK(found->st_mode))
        return read_link_at(parent, name, m_impl->full(path));
    if (!S_ISREG(found->st_mode))
        throw_no_content(path);
    // O_NONBLOCK: what was a file a moment ago may be a pipe now
    const UniqueFd fd = open_at(parent, name, O_NONBLOCK);
    if (!fd && errno == ENOENT)
        return std::nullopt;
    struct stat opened {};
    if (!fd || fstat(fd.get(), &opened) != 0)
        throw_errno("read", m_impl->full(path));
    if (!S_ISREG(opened.st_mode))
        throw_no_content(path);
    return read_open_file(fd.get(), m_impl->full(path));
}

} // namespace carry
