#include "snapshot/worktree_reader.hpp"

#include "git/attributes.hpp"
#include "git/blob_stream.hpp"
#include "git/convert.hpp"

#include <carry/error.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace carry::snapshot {

namespace {

constexpr int most_readings = 3;
constexpr std::int64_t nanoseconds = 1'000'000'000;

std::int64_t in_nanoseconds(const timespec& time) {
    return std::int64_t{time.tv_sec} * nanoseconds + std::int64_t{time.tv_nsec};
}

ReadFile failure_of_errno() {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR || error == ELOOP)
        return {.outcome = ReadOutcome::missing};
    return {.outcome = ReadOutcome::unreadable, .cause = std::strerror(error)};
}

ReadOutcome kind_of(mode_t mode) {
    if (S_ISDIR(mode))
        return ReadOutcome::directory;
    return S_ISREG(mode) || S_ISLNK(mode) ? ReadOutcome::read : ReadOutcome::special;
}

/// Bytes of a link's target; nothing where readlinkat fails (errno says why).
std::optional<std::string> link_target(int directory, const std::string& name) {
    std::string target(256, '\0');
    for (;;) {
        const auto length = readlinkat(directory, name.c_str(), target.data(), target.size());
        if (length < 0)
            return std::nullopt;
        if (static_cast<std::size_t>(length) < target.size()) {
            target.resize(static_cast<std::size_t>(length));
            return target;
        }
        target.resize(target.size() * 2);
    }
}

} // namespace

FileStamp FileStamp::of(const struct stat& status) {
    return {.device = status.st_dev,
            .inode = status.st_ino,
            .size = static_cast<std::uint64_t>(status.st_size),
            .mtime_ns = in_nanoseconds(status.st_mtim),
            .ctime_ns = in_nanoseconds(status.st_ctim),
            .mode = status.st_mode};
}

WorktreeReader::WorktreeReader(git::Repository& repository)
    : m_repository(&repository), m_executable_bits(repository.config().get_bool("core.filemode").value_or(true)),
      m_links(repository.config().get_bool("core.symlinks").value_or(true)) {}

DirectoryTree& WorktreeReader::tree() {
    constexpr unsigned most_uses = 128;
    if (!m_tree || ++m_uses % most_uses == 0)
        m_tree.emplace(m_repository->paths().worktree);
    return *m_tree;
}

std::uint32_t WorktreeReader::mode_of(const struct stat& status, std::uint32_t known_mode) const {
    if (!m_links && known_mode == git::mode::link)
        return git::mode::link;
    if (m_executable_bits)
        return (status.st_mode & S_IXUSR) != 0 ? git::mode::executable : git::mode::file;
    return known_mode == git::mode::executable ? git::mode::executable : git::mode::file;
}

ReadFile WorktreeReader::read(const std::string& path, std::uint32_t known_mode) {
    const auto status = tree().status(path);
    if (!status)
        return {.outcome = ReadOutcome::missing};
    if (const auto kind = kind_of(status->st_mode); kind != ReadOutcome::read)
        return {.outcome = kind};
    return S_ISLNK(status->st_mode) ? read_symbolic_link(path) : read_regular(path, known_mode);
}

ReadFile WorktreeReader::read_regular(const std::string& path, std::uint32_t known_mode) {
    const auto directory = tree().open(parent_of(path));
    if (!directory)
        return {.outcome = ReadOutcome::missing};
    const std::string name(name_of(path));
    for (int reading = 0; reading < most_readings; ++reading) {
        // O_NONBLOCK: where a fifo has taken the file's place, opening it must not wait for a writer.
        const UniqueFd file(openat(*directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        struct stat before {};
        struct stat after {};
        if (!file || fstat(file.get(), &before) != 0)
            return failure_of_errno();
        if (const auto kind = kind_of(before.st_mode); kind != ReadOutcome::read)
            return {.outcome = kind};
        const auto id =
            git::write_blob_from(m_repository->objects(), file.get(), static_cast<std::uint64_t>(before.st_size),
                                 m_repository->paths().worktree / path);
        if (fstat(file.get(), &after) != 0)
            return failure_of_errno();
        if (!id || FileStamp::of(before) != FileStamp::of(after))
            continue;
        return {.outcome = ReadOutcome::read,
                .file = {.entry = {mode_of(after, known_mode), *id}, .raw = *id, .stamp = FileStamp::of(after)}};
    }
    return {.outcome = ReadOutcome::restless};
}

ReadFile WorktreeReader::read_symbolic_link(const std::string& path) {
    const auto directory = tree().open(parent_of(path));
    if (!directory)
        return {.outcome = ReadOutcome::missing};
    const std::string name(name_of(path));
    for (int reading = 0; reading < most_readings; ++reading) {
        struct stat before {};
        struct stat after {};
        if (fstatat(*directory, name.c_str(), &before, AT_SYMLINK_NOFOLLOW) != 0)
            return failure_of_errno();
        const auto target = link_target(*directory, name);
        if (!target || fstatat(*directory, name.c_str(), &after, AT_SYMLINK_NOFOLLOW) != 0)
            return failure_of_errno();
        if (FileStamp::of(before) != FileStamp::of(after))
            continue;
        const auto id = m_repository->objects().write(git::ObjectType::blob, *target);
        return {.outcome = ReadOutcome::read,
                .file = {.entry = {git::mode::link, id}, .raw = id, .stamp = FileStamp::of(after)}};
    }
    return {.outcome = ReadOutcome::restless};
}

std::vector<std::string> WorktreeReader::convertible(const std::map<std::string, CapturedFile>& files) const {
    std::vector<std::string> regular;
    for (const auto& [path, file] : files) {
        if (file.entry.is_regular())
            regular.push_back(path);
    }
    if (regular.empty())
        return regular;
    const auto autocrlf = m_repository->config().get("core.autocrlf");
    if ((autocrlf && *autocrlf != "false") || m_repository->config().get("core.eol"))
        return regular;
    const auto attributes = git::check_attributes(
        m_repository->program(), {"text", "eol", "crlf", "ident", "filter", "working-tree-encoding"}, regular);
    std::erase_if(regular, [&](const std::string& path) {
        const auto found = attributes.find(path);
        return found == attributes.end() || std::ranges::all_of(found->second, [](const auto& attribute) {
                   return attribute.second == "unspecified" || attribute.second == "unset";
               });
    });
    return regular;
}

std::optional<std::string> WorktreeReader::convert(std::map<std::string, CapturedFile>& files) {
    const auto paths = convertible(files);
    if (paths.empty())
        return std::nullopt;
    for (const auto& [path, id] : git::hash_worktree_files(m_repository->program(), paths))
        files.at(path).entry.id = id;
    // git has opened the files by itself: its answer counts only where they are still what was read.
    for (const auto& path : paths) {
        const auto status = tree().status(path);
        if (!status || FileStamp::of(*status) != files.at(path).stamp)
            return path;
    }
    return std::nullopt;
}

std::vector<std::string> WorktreeReader::files_below(const std::string& directory) {
    std::vector<std::string> files;
    std::vector<std::string> waiting = {directory};
    while (!waiting.empty()) {
        const auto current = std::move(waiting.back());
        waiting.pop_back();
        const auto descriptor = tree().open(current);
        if (!descriptor)
            continue;
        const int copy = openat(*descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : fdopendir(copy), closedir);
        if (!stream) {
            if (copy >= 0)
                close(copy);
            throw_errno("read directory", m_repository->paths().worktree / current);
        }
        while (const dirent* const found = readdir(stream.get())) {
            const std::string_view name = static_cast<const char*>(found->d_name);
            if (name == "." || name == "..")
                continue;
            auto path = current + "/" + std::string(name);
            const auto status = tree().status(path);
            if (status && S_ISDIR(status->st_mode))
                waiting.push_back(std::move(path));
            else if (status && kind_of(status->st_mode) == ReadOutcome::read)
                files.push_back(std::move(path));
        }
    }
    std::ranges::sort(files);
    return files;
}

} // namespace carry::snapshot
