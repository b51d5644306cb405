/// Where a path went: from the old world (what the chain was made on) to the new one (what it lands on).
#pragma once

#include "git/history.hpp"
#include "git/repository.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

/// Old path -> new path; identity where nothing is known.
class PathMap {
public:
    void set(std::string from, std::string to);
    [[nodiscard]] std::string map(std::string_view path) const;
    /// The path is gone from the old world, or becomes another file there.
    void erase(std::string_view path);
    [[nodiscard]] bool moved(std::string_view path) const { return m_paths.find(path) != m_paths.end(); }
    /// Directory renames: a new file in `from`/ goes to `to`/ (longest prefix wins).
    void set_directory(std::string from, std::string to);
    /// Where a path that is new here belongs: its directory may have been renamed upstream. Nothing: where it is.
    [[nodiscard]] std::optional<std::string> map_new(std::string_view path) const;

private:
    std::map<std::string, std::string, std::less<>> m_paths;
    std::map<std::string, std::string, std::less<>> m_directories;
};

/// Renames between two trees, found on demand: git is asked only where a path of `touched` (paths the chain touches, in
/// the old world) vanished from `after`, or the directory of a path of `added` (new here) is gone from it. Directory
/// renames by git's rule (merge-ort): the directory vanished from `after`, and most of its renamed files went to one
/// directory.
PathMap upstream_renames(git::Repository& repository, const git::ObjectId& before_tree, const git::ObjectId& after_tree,
                         const std::vector<std::string>& touched, const std::vector<std::string>& added);

} // namespace carry::merge
