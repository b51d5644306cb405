/// Reads files of the working tree without following links, stores their bytes, and finds out what git would store for
/// them. Reads only; bytes go to the private object directory.
#pragma once

#include "base/directory.hpp"
#include "git/repository.hpp"
#include "snapshot/capture.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carry::snapshot {

/// A file or link as it was read.
struct CapturedFile {
    git::TreeEntry entry; ///< what a tree holds of it
    git::ObjectId raw;    ///< its own bytes
    FileStamp stamp;
};

enum class ReadOutcome {
    read,
    missing, ///< no such file, or it lies behind a link
    directory,
    special, ///< a socket, fifo or device: never opened for its bytes
    unreadable,
    restless, ///< changed under each of several readings
};

struct ReadFile {
    ReadOutcome outcome = ReadOutcome::missing;
    CapturedFile file; ///< where `outcome` is read
    std::string cause; ///< where it is unreadable: the system's word
};

class WorktreeReader {
public:
    explicit WorktreeReader(git::Repository& repository);

    /// Stores the raw bytes; entry.id is the raw id until convert(). `known_mode` is git's mode of the path where it is
    /// tracked, 0 otherwise: it decides where the file system keeps no executable bit or no links.
    ReadFile read(const std::string& path, std::uint32_t known_mode);

    /// Lets git convert (filters, line endings) what attributes or configuration say may need it, and sets entry.id.
    /// Returns a path whose file changed meanwhile, or nothing. Throws Error{refused} where a filter fails.
    std::optional<std::string> convert(std::map<std::string, CapturedFile>& files);

    [[nodiscard]] std::optional<struct stat> status(const std::string& path) { return tree().status(path); }
    /// Files and links below a directory, in path order; directories are reached without following links. Special files
    /// are left out.
    std::vector<std::string> files_below(const std::string& directory);

private:
    ReadFile read_regular(const std::string& path, std::uint32_t known_mode);
    ReadFile read_symbolic_link(const std::string& path);
    [[nodiscard]] std::uint32_t mode_of(const struct stat& status, std::uint32_t known_mode) const;
    [[nodiscard]] std::vector<std::string> convertible(const std::map<std::string, CapturedFile>& files) const;

    /// A fresh one now and then, so that a checkout with very many directories does not use up the descriptors.
    DirectoryTree& tree();

    git::Repository* m_repository;
    std::optional<DirectoryTree> m_tree;
    unsigned m_uses = 0;
    bool m_executable_bits; ///< core.fileMode
    bool m_links;           ///< core.symlinks
};

} // namespace carry::snapshot
