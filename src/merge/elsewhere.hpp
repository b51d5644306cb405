/// Where else upstream has put what a local patch adds: the same block in another file, the same file under another
/// name.
#pragma once

#include "git/repository.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace carry::merge {

/// A block of a file, as upstream has it now.
struct ElsewhereBlock {
    std::string path;
    std::size_t line = 0; ///< 0-based, of its first line that was found
    bool whole = true;    ///< every line; otherwise most of them: a later version, perhaps
};

/// What upstream added between two trees, read on first use; keep one for a plan. Files over 1 MiB, binary ones, and
/// what is beyond 32 MiB altogether are passed over. The repository must outlive it.
class UpstreamAdditions {
public:
    UpstreamAdditions(git::Repository& repository, const git::ObjectId& base_tree, const git::ObjectId& upstream_tree);

    /// The file, other than `except`, into which upstream put most of the lines of `block` (white space aside). Nothing
    /// where they are too few or too short to tell.
    std::optional<ElsewhereBlock> find_block(const std::vector<std::string_view>& block, const std::string& except);
    /// The path, other than `except`, at which upstream added a file of these very bytes. Never an empty file.
    std::optional<std::string> find_file(const git::ObjectId& blob, const std::string& except);

private:
    struct Place {
        std::size_t file;
        std::size_t line;
    };
    void read_changes();
    void read_lines();
    void add_lines_of(std::size_t file, const std::string& before, const std::string& after);

    git::Repository& m_repository;
    git::ObjectId m_base, m_upstream;
    std::optional<std::vector<git::TreeChange>> m_changes;
    bool m_lines_read = false;
    std::unordered_map<std::string, std::vector<Place>> m_lines; ///< without white space at their ends
};

} // namespace carry::merge
