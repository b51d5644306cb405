#include "git/object_store.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <carry/error.hpp>

#include <fcntl.h>

#include <charconv>
#include <filesystem>

namespace carry::git {
namespace {

namespace fs = std::filesystem;

// File times come from the kernel's coarse clock and may have whole seconds only.
constexpr std::int64_t clock_slack = 2;

fs::path sync_marker(const RepositoryPaths& paths) {
    return paths.carry_objects() / "info" / "synced";
}

/// When the last sync began; everything not older than that may be unsynced.
std::int64_t last_sync(const RepositoryPaths& paths, std::int64_t now) {
    const auto text = read_file_if_exists(sync_marker(paths));
    if (!text)
        return 0;
    std::int64_t seconds = 0;
    std::from_chars(text->data(), text->data() + text->size(), seconds);
    return seconds > now ? 0 : seconds - clock_slack; // a clock that was set back tells nothing
}

struct Unsynced {
    std::vector<fs::path> files;
    std::vector<fs::path> directories;
};

Unsynced find_unsynced(const fs::path& objects, std::int64_t since) {
    Unsynced found;
    std::error_code error;
    fs::recursive_directory_iterator entry(objects, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        const auto status = lstat_if_exists(entry->path());
        if (!status)
            continue; // a temporary of some git that has just gone
        if (S_ISDIR(status->st_mode) && entry.depth() == 0 && entry->path().filename() == "info") {
            entry.disable_recursion_pending(); // written durably as it is
            continue;
        }
        if (status->st_ctim.tv_sec < since)
            continue;
        if (S_ISDIR(status->st_mode))
            found.directories.push_back(entry->path());
        else if (S_ISREG(status->st_mode))
            found.files.push_back(entry->path());
    }
    if (error)
        throw Error(ErrorKind::failed, "cannot list " + quoted(objects.native())).because(error.message());
    return found;
}

void sync_files(const std::vector<fs::path>& files) {
    // All of the writing is started before the first wait, so that the waits overlap.
    for (const auto& file : files) {
        const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (fd)
            ::sync_file_range(fd.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
    }
    for (const auto& file : files) {
        const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!fd && errno == ENOENT)
            continue;
        if (!fd)
            throw_errno("open", file);
        fsync_file(fd.get(), file);
    }
}

} // namespace

std::string_view to_string(ObjectType type) {
    switch (type) {
    case ObjectType::commit:
        return "commit";
    case ObjectType::tree:
        return "tree";
    case ObjectType::blob:
        return "blob";
    case ObjectType::tag:
        return "tag";
    }
    return "object";
}

std::string ObjectStore::require(const ObjectId& id, ObjectType type, std::string_view what) {
    const auto subject = [&] {
        std::string text = std::string(to_string(type)) + " " + quoted(id.is_null() ? "(null)" : id.hex());
        return what.empty() ? text : text + " (" + std::string(what) + ")";
    };
    auto object = read(id);
    if (!object)
        throw Error(ErrorKind::failed, "cannot find " + subject()).hint("git fsck");
    if (object->type != type)
        throw Error(ErrorKind::failed, "cannot read " + subject())
            .because("it is a " + std::string(to_string(object->type)));
    return std::move(object->data);
}

void prepare_object_directory(const RepositoryPaths& paths) {
    const fs::path objects = paths.carry_objects();
    make_directories(objects / "info");
    make_directories(objects / "pack");
    // git reads a line that starts with a double quote as a C string; only a strange name needs that.
    const std::string alternates = quote_path((paths.common_dir / "objects").native()) + "\n";
    const fs::path file = objects / "info" / "alternates";
    if (read_file_if_exists(file) != alternates)
        write_file_atomic(file, alternates);
}

void sync_private_objects(const RepositoryPaths& paths) {
    const fs::path objects = paths.carry_objects();
    if (!lstat_if_exists(objects))
        return;
    const std::int64_t started = now_seconds();
    const Unsynced unsynced = find_unsynced(objects, last_sync(paths, started));
    if (unsynced.files.empty() && unsynced.directories.empty())
        return;
    sync_files(unsynced.files);
    for (const auto& directory : unsynced.directories)
        fsync_directory(directory);
    fsync_directory(objects);
    write_file_atomic(sync_marker(paths), std::to_string(started));
}

} // namespace carry::git
