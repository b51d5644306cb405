#include "transaction/file_state.hpp"

#include "base/text.hpp"
#include "git/blob_stream.hpp"
#include "transaction/apply.hpp"
#include "transaction/metadata.hpp"

#include <carry/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

namespace carry::transaction {
namespace {

/// A file as it is on disk, its bytes read, or the file opened where they are many.
struct Found {
    FileKind kind = FileKind::absent;
    bool special = false; ///< neither file, link nor directory
    std::string bytes;
    UniqueFd file;
    struct stat status {};
    [[nodiscard]] bool executable() const { return kind == FileKind::regular && (status.st_mode & S_IXUSR) != 0; }
};

bool is_large(const struct stat& status) {
    return S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) >= git::stream_from;
}

/// False where it is gone.
bool open_file(DirectoryTree& tree, const std::string& path, Found& found) {
    const auto directory = tree.open(parent_of(path));
    const std::string name(name_of(path));
    // O_NONBLOCK: what was a file a moment ago may be a pipe now
    found.file = UniqueFd(openat(directory.value_or(-1), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!found.file && errno == ENOENT)
        return false;
    if (!found.file || fstat(found.file.get(), &found.status) != 0)
        throw_errno("read", tree.root() / std::filesystem::path(path));
    found.special = !S_ISREG(found.status.st_mode);
    return true;
}

Found find(DirectoryTree& tree, const std::string& path) {
    Found found;
    const auto status = tree.status(path);
    if (!status || S_ISDIR(status->st_mode))
        return found;
    found.status = *status;
    if (!S_ISREG(status->st_mode) && !S_ISLNK(status->st_mode)) {
        found.special = true;
        return found;
    }
    if (is_large(*status)) {
        if (open_file(tree, path, found) && !found.special)
            found.kind = FileKind::regular;
        return found;
    }
    auto bytes = tree.read(path);
    if (!bytes)
        return found;
    found.kind = S_ISLNK(status->st_mode) ? FileKind::link : FileKind::regular;
    found.bytes = std::move(*bytes);
    return found;
}

bool has_bytes(const git::ObjectId& id, const Found& found, git::ObjectStore& store) {
    const auto header = store.header(id);
    if (!header)
        throw Error(ErrorKind::failed, fmt::format("object {} is missing", id.hex()));
    const auto size = found.file ? static_cast<std::uint64_t>(found.status.st_size) : found.bytes.size();
    if (header->type != git::ObjectType::blob || header->size != size)
        return false;
    return found.file ? git::holds_blob(store, id, found.file.get(), "a file")
                      : store.require(id, git::ObjectType::blob) == found.bytes;
}

bool same_bytes(const Found& found, const FileState& state, git::ObjectStore& store) {
    if (found.special || found.kind != state.kind)
        return false;
    return state.kind == FileKind::absent || has_bytes(state.content, found, store);
}

/// Which of two states with the same bytes it is.
Seen classify_by_metadata(const Found& found, const Transition& transition) {
    if (found.executable() != transition.after.executable)
        return Seen::before;
    const auto& wanted = transition.after.metadata;
    const bool is_after = !wanted || ((found.status.st_mode & 07777U) == wanted->mode &&
                                      found.status.st_uid == wanted->uid && found.status.st_gid == wanted->gid);
    return is_after ? Seen::after : Seen::before;
}

void write_regular(int directory, const std::string& name, const FileState& state,
                   const std::optional<Metadata>& metadata, git::ObjectStore& store,
                   const std::filesystem::path& full) {
    // what a private file holds must not be readable for an instant
    const mode_t mode = metadata ? 0600 : (state.executable ? 0777 : 0666);
    const UniqueFd fd(openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!fd)
        throw_errno("write", full);
    git::read_blob(store, state.content, [&](std::string_view piece) { write_all(fd.get(), piece, full); });
    if (metadata)
        set_metadata(fd.get(), *metadata, full);
}

void write_link(int directory, const std::string& name, const std::optional<Metadata>& metadata,
                const std::string& target, const std::filesystem::path& full) {
    if (target.find('\0') != std::string::npos)
        throw Error(ErrorKind::failed, fmt::format("cannot make the link {}", quoted(full.native())))
            .because("its target holds a NUL");
    if (symlinkat(target.c_str(), directory, name.c_str()) != 0)
        throw_errno("make the link", full);
    if (metadata)
        set_link_owner(directory, name, *metadata, full);
}

std::optional<Metadata> metadata_for(const FileState& state, const std::optional<Metadata>& replaced) {
    if (state.metadata)
        return state.metadata;
    if (!replaced)
        return std::nullopt;
    return state.kind == FileKind::regular ? kept_metadata(*replaced, state.executable) : *replaced;
}

} // namespace

bool holds(DirectoryTree& tree, const std::string& path, const FileState& state, git::ObjectStore& store) {
    const Found found = find(tree, path);
    return same_bytes(found, state, store) &&
           (state.kind != FileKind::regular || found.executable() == state.executable);
}

Seen classify(DirectoryTree& tree, const std::string& path, const Transition& transition, git::ObjectStore& store) {
    const Found found = find(tree, path);
    const bool is_before = same_bytes(found, transition.before, store);
    const bool is_after = same_bytes(found, transition.after, store);
    if (is_before && is_after)
        return classify_by_metadata(found, transition);
    if (is_before || is_after)
        return is_before ? Seen::before : Seen::after;
    return found.kind == FileKind::absent && !found.special ? Seen::missing : Seen::foreign;
}

void write_state(DirectoryTree& tree, const std::string& path, const FileState& state,
                 const std::optional<Metadata>& replaced, git::ObjectStore& store) {
    const auto full = tree.root() / std::filesystem::path(path);
    const auto directory = tree.open(parent_of(path));
    if (!directory) {
        errno = ENOENT;
        throw_errno("write", full);
    }
    const std::string name(name_of(path));
    if (state.kind == FileKind::link)
        write_link(*directory, name, metadata_for(state, replaced),
                   store.require(state.content, git::ObjectType::blob, path), full);
    else
        write_regular(*directory, name, state, metadata_for(state, replaced), store, full);
}

void sync_state(DirectoryTree& tree, const std::string& path) {
    const auto status = tree.status(path);
    if (!status || !S_ISREG(status->st_mode))
        return;
    const auto full = tree.root() / std::filesystem::path(path);
    const auto directory = tree.open(parent_of(path));
    const std::string name(name_of(path));
    // its owner may not be allowed to read it: O_WRONLY is no better, so its directory's syncfs has to do then
    const UniqueFd fd(openat(directory.value_or(-1), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd && errno == EACCES) {
        if (syncfs(*directory) != 0)
            throw_errno("sync", full);
        return;
    }
    if (!fd)
        throw_errno("sync", full);
    fsync_file(fd.get(), full);
}

bool same_state(const FileState& before, const FileState& after) {
    if (before.kind != after.kind)
        return false;
    if (before.kind == FileKind::absent)
        return true;
    if (before.content != after.content)
        return false;
    if (before.kind == FileKind::link)
        return true;
    return before.executable == after.executable && (!after.metadata || before.metadata == after.metadata);
}

FileState read_state(const git::RepositoryPaths& paths, const std::string& path, git::ObjectStore& store) {
    DirectoryTree tree(paths.worktree);
    const Found found = find(tree, path);
    if (found.special)
        throw Error(ErrorKind::failed, fmt::format("{} is neither a file nor a link", quoted(path)));
    FileState state;
    if (found.kind == FileKind::absent)
        return state;
    state.kind = found.kind;
    if (found.file) {
        const auto id = git::write_blob_from(store, found.file.get(), static_cast<std::uint64_t>(found.status.st_size),
                                             paths.worktree / path);
        if (!id)
            throw Error(ErrorKind::refused, fmt::format("{} changes while it is read", quoted(path)),
                        {"run the command again"});
        state.content = *id;
    } else {
        state.content = store.write(git::ObjectType::blob, found.bytes);
    }
    state.executable = found.executable();
    state.metadata = read_metadata(tree, path);
    return state;
}

} // namespace carry::transaction
