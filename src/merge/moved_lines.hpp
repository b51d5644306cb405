/// Where upstream took lines to: a function that went to another file, a file that was split.
#pragma once

#include "git/buffers.hpp"
#include "git/repository.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace carry::merge {

struct MovedLines {
    std::string path;     ///< upstream's
    std::size_t line = 0; ///< from 1: the first of them there
};

/// Lines are compared without the blanks around them, so that a move with another indent is found too. Looks at what
/// upstream changed or added between two trees, up to 1,000 files of 1 MiB each, and reads them once, on first use.
class MoveSearch {
public:
    MoveSearch(git::Repository& repository, git::ObjectId base_tree, git::ObjectId upstream_tree);

    /// Where most of the lines in and around `range` of `text` (the version that a change was made on) went that
    /// `upstream_text` (upstream's version of the same path; empty: gone) has no more. Nothing where they are too few
    /// to tell, or nowhere.
    std::optional<MovedLines> find(std::string_view text, std::string_view upstream_text, const git::LineRange& range,
                                   std::string_view path);

private:
    using Lines = std::map<std::string, std::size_t, std::less<>>; ///< line -> its number, from 1

    void load();
    /// The file that has most of the lines; it has to have more than half of them.
    std::optional<MovedLines> best_place(const std::set<std::string_view>& gone, std::string_view path);
    Lines new_lines(const git::TreeEntry& after, const std::optional<git::TreeEntry>& before);

    git::Repository& m_repository;
    git::ObjectId m_base_tree;
    git::ObjectId m_upstream_tree;
    bool m_loaded = false;
    std::map<std::string, Lines> m_files;
};

} // namespace carry::merge
