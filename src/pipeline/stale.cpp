#include "pipeline/stale.hpp"

#include "base/file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace carry::pipeline {
namespace {

namespace fs = std::filesystem;

/// Beginnings of the names that TemporaryDirectory is given below the carry directory.
constexpr std::array<std::string_view, 6> directories = {"hash-", "index-", "mail-", "merge-", "rules-", "sparse-"};
/// Of files: AtomicFile's, libgit2's, git's.
constexpr std::array<std::string_view, 3> files = {".carry-", "tmp_object_git2_", "tmp_"};

bool begins_with_one_of(const auto& beginnings, std::string_view name) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view beginning) { return name.starts_with(beginning); });
}

/// The transaction's own files (index-lock-..., index-new-...) have names like these; they are no directories.
bool is_stale(const fs::directory_entry& entry, bool top) {
    const auto name = entry.path().filename().native();
    if (entry.is_directory() && !entry.is_symlink())
        return top && begins_with_one_of(directories, name);
    return begins_with_one_of(files, name);
}

std::vector<fs::path> entries(const fs::path& directory, const auto& wanted) {
    std::vector<fs::path> found;
    if (!lstat_if_exists(directory))
        return found;
    for (const auto& entry : fs::directory_iterator(directory))
        if (wanted(entry))
            found.push_back(entry.path());
    return found;
}

bool is_directory(const fs::directory_entry& entry) {
    return entry.is_directory() && !entry.is_symlink();
}

void clear(const fs::path& directory, bool top = false) {
    for (const auto& path : entries(directory, [&](const auto& entry) { return is_stale(entry, top); }))
        fs::remove_all(path);
}

void clear_below(const fs::path& directory) {
    clear(directory);
    for (const auto& path : entries(directory, is_directory))
        clear_below(path);
}

/// Made, and the process died before it had said what for. Only an empty directory goes.
void remove_without_record(const fs::path& run) {
    std::error_code not_empty;
    if (!lstat_if_exists(run / "run.json"))
        fs::remove(run, not_empty);
}

/// A power cut leaves files empty, or filled with zeros, that were not synced, and nothing relies on those; but git and
/// libgit2 take such an object for one that is there and write it no more. A loose object never begins with a zero.
void remove_lost_objects(const fs::path& objects) {
    const auto is_lost = [](const fs::directory_entry& entry) {
        // One that cannot be read now (peek() says -1) may hold the only copy of something.
        return entry.is_regular_file() && (entry.file_size() == 0 || std::ifstream(entry.path()).peek() == 0);
    };
    for (const auto& directory : entries(objects, is_directory))
        if (directory.filename().native().size() == 2)
            for (const auto& object : entries(directory, is_lost))
                fs::remove(object);
}

/// True for the first command since the system was started. Not known where the system does not tell.
bool is_new_boot(const fs::path& objects) {
    const auto boot = read_file_if_exists("/proc/sys/kernel/random/boot_id");
    if (!boot || !lstat_if_exists(objects) || read_file_if_exists(objects / "boot") == boot)
        return false;
    write_file_atomic(objects / "boot", *boot);
    return true;
}

} // namespace

void remove_stale(const RunStore& runs, bool thorough) noexcept {
    try {
        const auto root = runs.root();
        clear(root, true);
        clear(root / "objects");
        clear(root / "objects" / "info");
        clear(root / "objects" / "pack");
        for (const auto& run : entries(root / "runs", is_directory)) {
            clear(run);
            remove_without_record(run);
        }
        const bool rebooted = is_new_boot(root / "objects");
        if (!thorough && !rebooted)
            return;
        remove_lost_objects(root / "objects");
        for (const auto* place : {"objects", "runs", "parked"})
            clear_below(root / place);
    } catch (const std::exception&) {
        return;
    }
}

} // namespace carry::pipeline
