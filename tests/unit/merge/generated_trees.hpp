/// Random trees and random changes to them, from a seed.
#pragma once

#include "base/directory.hpp"
#include "base/text.hpp"
#include "scratch_trees.hpp"
#include "support/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace carry::test {

class TreeGenerator {
public:
    explicit TreeGenerator(unsigned seed) : m_random(seed) {}

    std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(m_random); }
    bool one_in(std::size_t n) { return below(n) == 0; }

    /// A dozen files: text in three directories and at the top, two binary ones, two links.
    ScratchFiles base() {
        ScratchFiles files;
        for (const char* path : {"src/alpha", "src/beta", "src/gamma", "lib/delta", "lib/epsilon", "docs/zeta",
                                 "docs/eta", "theta", "iota"})
            files.emplace(
                path, ScratchFile(numbered(path, 14 + below(10)), one_in(4) ? git::mode::executable : git::mode::file));
        files.emplace("lib/data", binary("base"));
        files.emplace("picture", binary("picture"));
        files.emplace("src/link", link_to("alpha"));
        files.emplace("link", link_to("theta"));
        return files;
    }

    /// Changes in place; what both sides may do alike comes from small choices, so that it happens.
    void edit(ScratchFiles& files) {
        const auto path = any_path(files);
        auto& file = files.at(path);
        if (file.mode == git::mode::link)
            file.bytes = fmt::format("elsewhere{}", below(2));
        else if (file.bytes.find('\0') != std::string::npos)
            file = ScratchFile(binary(fmt::format("edit{}", below(2))).bytes, file.mode);
        else
            edit_lines(file);
    }
    void change_mode(ScratchFiles& files) {
        auto& file = files.at(any_path(files));
        if (file.mode == git::mode::file)
            file.mode = git::mode::executable;
        else if (file.mode == git::mode::executable)
            file.mode = git::mode::file;
    }
    void remove(ScratchFiles& files) { files.erase(any_path(files)); }
    void add(ScratchFiles& files) {
        const auto path = fmt::format("{}new{}", any_directory(), below(3));
        if (is_free(files, path))
            files.emplace(path, numbered(one_in(3) ? "same" : fmt::format("n{}", below(1000)), 12));
    }
    void rename(ScratchFiles& files) {
        const auto from = any_path(files);
        const auto to = one_in(3) ? fmt::format("{}{}", any_directory(), name_of(from))
                                  : fmt::format("{}moved{}", any_directory(), below(3));
        if (!is_free(files, to))
            return;
        auto file = files.at(from);
        files.erase(from);
        if (one_in(2) && file.mode != git::mode::link && file.bytes.find('\0') == std::string::npos)
            edit_lines(file);
        files.emplace(to, file);
    }
    void replace_by_link(ScratchFiles& files) {
        files.at(any_path(files)) = link_to(fmt::format("target{}", below(2)));
    }
    void rename_directory(ScratchFiles& files) {
        const std::vector<std::string> directories = {"src/", "lib/", "docs/"};
        const auto& from = directories[below(directories.size())];
        const auto to = fmt::format("renamed{}/", below(2));
        ScratchFiles renamed;
        for (const auto& [path, file] : files)
            renamed.emplace(path.starts_with(from) ? to + path.substr(from.size()) : path, file);
        files = renamed;
    }
    void file_to_directory(ScratchFiles& files) {
        const auto path = any_path(files);
        files.erase(path);
        files.emplace(path + "/inner", numbered("inner", 9));
    }

private:
    static ScratchFile binary(const std::string& word) { return {"BIN" + std::string(3, '\0') + word}; }

    std::string any_path(const ScratchFiles& files) {
        auto at = files.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(below(files.size())));
        return at->first;
    }
    std::string any_directory() {
        const std::vector<std::string> directories = {"", "src/", "lib/", "docs/", "fresh/"};
        return directories[below(directories.size())];
    }
    static bool is_free(const ScratchFiles& files, const std::string& path) {
        if (files.contains(path))
            return false;
        return std::none_of(files.begin(), files.end(), [&](const auto& file) {
            return file.first.starts_with(path + "/") || path.starts_with(file.first + "/");
        });
    }
    void edit_lines(ScratchFile& file) {
        const auto lines = split_lines(file.bytes);
        const auto at = below(lines.size());
        std::string bytes;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (i != at)
                bytes += lines[i];
            else if (one_in(4))
                bytes += fmt::format("{}inserted {}\n", lines[i], below(2));
            else if (!one_in(4))
                bytes += fmt::format("edited {} as {}\n", i, below(2));
        }
        if (!bytes.empty())
            file.bytes = bytes;
    }

    std::mt19937 m_random;
};

/// The directories that hold a file, at whatever depth.
inline std::set<std::string> directories_of(const ScratchFiles& files) {
    std::set<std::string> directories;
    for (const auto& [path, file] : files) {
        for (auto directory = parent_of(path); !directory.empty(); directory = parent_of(directory))
            directories.emplace(directory);
    }
    return directories;
}

} // namespace carry::test
