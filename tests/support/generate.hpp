/// Random trees and random changes to them, from a seed.
#pragma once

#include "support/scratch_files.hpp"

#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace carry::test {

class TreeGenerator {
public:
    explicit TreeGenerator(unsigned seed) : m_random(seed) {}

    std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(m_random); }
    bool one_in(std::size_t n) { return below(n) == 0; }

    /// A dozen files: text in three directories and at the top, two binary ones, two links.
    ScratchFiles base();
    /// Two dozen and more: directories in directories, names of any bytes, CRLF, no newline at the end, files that are
    /// empty, equal or alike.
    ScratchFiles rich_base();

    /// Changes in place; what both sides may do alike comes from small choices, so that it happens.
    void edit(ScratchFiles& files);
    void change_mode(ScratchFiles& files);
    void remove(ScratchFiles& files);
    void add(ScratchFiles& files);
    /// With an edit every other time.
    void rename(ScratchFiles& files);
    void swap_names(ScratchFiles& files);
    void replace_by_link(ScratchFiles& files);
    void rename_directory(ScratchFiles& files);
    /// Half of its files elsewhere, or up one level.
    void split_directory(ScratchFiles& files);
    void file_to_directory(ScratchFiles& files);
    void switch_line_endings(ScratchFiles& files);

    using Change = void (TreeGenerator::*)(ScratchFiles&);
    /// Removals, additions, renames, modes and, mostly, edits; with `others`.
    static std::vector<Change> usual(const std::vector<Change>& others);
    /// `count` changes, each one of `kinds` (name one twice to have it twice as often); a few files always stay.
    void change(ScratchFiles& files, std::size_t count, const std::vector<Change>& kinds);

    std::string any_path(const ScratchFiles& files);
    /// "", or one that ends in '/': of the files, or a new one.
    std::string any_directory(const ScratchFiles& files);
    /// A file name of interesting bytes.
    std::string odd_name();

private:
    void edit_lines(ScratchFile& file);
    std::string some_text(std::string_view word);

    std::mt19937 m_random;
};

/// No file stands at `path`, above it or below it.
bool is_free(const ScratchFiles& files, const std::string& path);

/// The directories that hold a file, at whatever depth.
std::set<std::string> directories_of(const ScratchFiles& files);

/// What a side did, one line a path, for a failure's trace.
std::string describe(const ScratchFiles& before, const ScratchFiles& after);

} // namespace carry::test
