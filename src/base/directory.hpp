/// Reaching a path below a root one component at a time without following links, so that no repository path
/// can leave the tree.
#pragma once

#include "base/file.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace carry {

/// True where a repository path may be written below a worktree: relative, no empty, ".", ".." component, and
/// none that is .git in any spelling that some file system takes for it (case, "git~1", trailing dots and
/// spaces, HFS ignorable characters; git's verify_path with core.protectHFS and protectNTFS).
bool is_safe_repo_path(std::string_view path);

/// The parent directory and last component of a repository path.
std::string_view parent_of(std::string_view path); ///< "" at the top
std::string_view name_of(std::string_view path);

/// Directories below a root, opened with O_NOFOLLOW component by component and kept open for reuse.
class DirectoryTree {
public:
    explicit DirectoryTree(std::filesystem::path root);
    DirectoryTree(DirectoryTree&&) noexcept;
    ~DirectoryTree();

    [[nodiscard]] const std::filesystem::path& root() const noexcept;

    /// Descriptor of a directory ("" is the root), owned by this object until forget() or destruction. Nothing
    /// where it, or one above it, is missing or is not a real directory (a link counts as that).
    std::optional<int> open(std::string_view directory);
    /// The same, making what is missing with mode 0777 & ~umask; each directory made is appended to `made`.
    /// Throws Error{failed} where a component is there and is not a directory.
    int open_or_make(std::string_view directory, std::vector<std::string>& made);
    /// Closes `directory` and everything below it, before it is removed or replaced.
    void forget(std::string_view directory);

    /// fstatat without following, of a path whose parent is reached without following. Nothing where missing.
    std::optional<struct stat> status(std::string_view path);
    /// A file's bytes, or a link's target. Throws Error{failed}; nothing where missing.
    std::optional<std::string> read(std::string_view path);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace carry
