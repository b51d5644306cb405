#include "write_files.hpp"

#include <filesystem>

namespace carry::test {
namespace {

/// What stands where `path` needs a directory, or in its very place, goes.
void make_room(const TempRepo& repo, const std::string& path) {
    for (auto parent = path.rfind('/'); parent != std::string::npos; parent = path.rfind('/', parent - 1))
        if (const auto above = path.substr(0, parent);
            repo.exists(above) && !std::filesystem::is_directory(std::filesystem::symlink_status(repo.file(above))))
            repo.remove(above);
    if (repo.exists(path))
        repo.remove(path);
}

} // namespace

void write_files(const TempRepo& repo, const std::string& directory, const ScratchFiles& before,
                 const ScratchFiles& files) {
    for (const auto& [path, file] : before)
        if (!files.contains(path) && repo.exists(directory + path))
            repo.remove(directory + path);
    for (const auto& [path, file] : files) {
        const auto old = before.find(path);
        if (old != before.end() && old->second == file)
            continue;
        const auto full = directory + path;
        make_room(repo, full);
        if (file.mode == git::mode::link) {
            repo.symlink(file.bytes, full);
            continue;
        }
        repo.write(full, file.bytes);
        if (file.mode == git::mode::executable)
            repo.make_executable(full);
    }
}

} // namespace carry::test
