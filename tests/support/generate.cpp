#include "support/generate.hpp"

#include "base/directory.hpp"
#include "base/text.hpp"
#include "support/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace carry::test {
namespace {

ScratchFile binary(const std::string& word) {
    return {"BIN" + std::string(3, '\0') + word};
}

bool is_text(const ScratchFile& file) {
    return file.mode != git::mode::link && file.bytes.find('\0') == std::string::npos;
}

std::string with_crlf(std::string_view text) {
    std::string result;
    for (const char byte : text) {
        if (byte == '\n')
            result += '\r';
        result += byte;
    }
    return result;
}

std::string without_crlf(std::string_view text) {
    std::string result;
    for (const char byte : text) {
        if (byte != '\r')
            result += byte;
    }
    return result;
}

} // namespace

ScratchFiles TreeGenerator::base() {
    ScratchFiles files;
    for (const char* path :
         {"src/alpha", "src/beta", "src/gamma", "lib/delta", "lib/epsilon", "docs/zeta", "docs/eta", "theta", "iota"})
        files.emplace(path,
                      ScratchFile(numbered(path, 14 + below(10)), one_in(4) ? git::mode::executable : git::mode::file));
    files.emplace("lib/data", binary("base"));
    files.emplace("picture", binary("picture"));
    files.emplace("src/link", link_to("alpha"));
    files.emplace("link", link_to("theta"));
    return files;
}

ScratchFiles TreeGenerator::rich_base() {
    auto files = base();
    for (const char* directory : {"src/deep/er/", "src/deep/", "lib/x/", "docs/", ""}) {
        for (std::size_t n = 1 + below(3); n > 0; --n) {
            const auto path = directory + odd_name();
            if (is_free(files, path))
                files.emplace(path, some_text(path));
        }
    }
    const auto same = numbered("same", 12);
    for (const char* path : {"lib/same", "src/same", "copy"})
        files.emplace(path, same);
    files.emplace("src/deep/alike", numbered("alike", 20) + "one\n");
    files.emplace("lib/x/alike", numbered("alike", 20) + "two\n");
    files.emplace("docs/empty", "");
    files.emplace("lib/x/empty", "");
    return files;
}

std::string TreeGenerator::odd_name() {
    constexpr std::array<const char*, 28> names = {
        "plain",  "with space", "q\"uote", "back\\slash", "new\nline",     "tab\tbed", "star*",
        "[x]",    "what?",      "-dash",   "--",          "uml\xc3\xa4ut", "\xff\xfe", "a\xcc\x88",
        ":colon", "~tilde",     "#hash",   "!bang",       " lead",         "trail ",   "dot.",
        "a.b",    "a-b",        "a",       "A",           "\x01",          "{a,b}",    "$HOME",
    };
    return names[below(names.size())];
}

std::string TreeGenerator::some_text(std::string_view word) {
    auto text = numbered(word.substr(word.rfind('\n') + 1), 8 + below(12));
    if (one_in(4))
        text = with_crlf(text);
    if (one_in(4))
        text.pop_back();
    return text;
}

void TreeGenerator::edit(ScratchFiles& files) {
    auto& file = files.at(any_path(files));
    if (file.mode == git::mode::link)
        file.bytes = fmt::format("elsewhere{}", below(2));
    else if (file.bytes.find('\0') != std::string::npos)
        file = ScratchFile(binary(fmt::format("edit{}", below(2))).bytes, file.mode);
    else
        edit_lines(file);
}

void TreeGenerator::change_mode(ScratchFiles& files) {
    auto& file = files.at(any_path(files));
    if (file.mode == git::mode::file)
        file.mode = git::mode::executable;
    else if (file.mode == git::mode::executable)
        file.mode = git::mode::file;
}

void TreeGenerator::remove(ScratchFiles& files) {
    files.erase(any_path(files));
}

void TreeGenerator::add(ScratchFiles& files) {
    const auto path = fmt::format("{}new{}", any_directory(files), below(3));
    if (is_free(files, path))
        files.emplace(path, numbered(one_in(3) ? "same" : fmt::format("n{}", below(1000)), 12));
}

void TreeGenerator::rename(ScratchFiles& files) {
    const auto from = any_path(files);
    const auto to = one_in(3) ? fmt::format("{}{}", any_directory(files), name_of(from))
                              : fmt::format("{}moved{}", any_directory(files), below(3));
    if (!is_free(files, to))
        return;
    auto file = files.at(from);
    files.erase(from);
    if (one_in(2) && is_text(file))
        edit_lines(file);
    files.emplace(to, file);
}

void TreeGenerator::swap_names(ScratchFiles& files) {
    std::swap(files.at(any_path(files)), files.at(any_path(files)));
}

void TreeGenerator::replace_by_link(ScratchFiles& files) {
    files.at(any_path(files)) = link_to(fmt::format("target{}", below(2)));
}

void TreeGenerator::rename_directory(ScratchFiles& files) {
    const std::vector<std::string> directories = {"src/", "lib/", "docs/"};
    const auto& from = directories[below(directories.size())];
    const auto to = fmt::format("renamed{}/", below(2));
    ScratchFiles renamed;
    for (const auto& [path, file] : files)
        renamed.emplace(path.starts_with(from) ? to + path.substr(from.size()) : path, file);
    files = renamed;
}

void TreeGenerator::split_directory(ScratchFiles& files) {
    const auto from = any_directory(files);
    if (from.empty())
        return;
    const auto to = one_in(2) ? std::string(parent_of(from.substr(0, from.size() - 1))) : std::string("split");
    ScratchFiles split;
    for (const auto& [path, file] : files) {
        const auto moved = (to.empty() ? "" : to + "/") + std::string(name_of(path));
        const bool goes = path.starts_with(from) && !one_in(3) && is_free(files, moved) && is_free(split, moved);
        split.emplace(goes ? moved : path, file);
    }
    files = split;
}

void TreeGenerator::file_to_directory(ScratchFiles& files) {
    const auto path = any_path(files);
    files.erase(path);
    files.emplace(path + "/inner", numbered("inner", 9));
}

void TreeGenerator::switch_line_endings(ScratchFiles& files) {
    auto& file = files.at(any_path(files));
    if (!is_text(file))
        return;
    file.bytes = file.bytes.find('\r') == std::string::npos ? with_crlf(file.bytes) : without_crlf(file.bytes);
}

std::vector<TreeGenerator::Change> TreeGenerator::usual(const std::vector<Change>& others) {
    using G = TreeGenerator;
    std::vector<Change> changes = {&G::remove, &G::add,  &G::add,  &G::rename, &G::rename, &G::change_mode,
                                   &G::edit,   &G::edit, &G::edit, &G::edit,   &G::edit};
    changes.insert(changes.end(), others.begin(), others.end());
    return changes;
}

void TreeGenerator::change(ScratchFiles& files, std::size_t count, const std::vector<Change>& kinds) {
    constexpr std::size_t few = 3;
    for (; count > 0 && files.size() > few; --count)
        (this->*kinds[below(kinds.size())])(files);
}

std::string TreeGenerator::any_path(const ScratchFiles& files) {
    // every other time one of a few, so that two sides meet
    constexpr std::size_t few = 5;
    const auto count = one_in(2) ? std::min(few, files.size()) : files.size();
    auto at = files.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(files.size() - 1 - below(count)));
    return at->first;
}

std::string TreeGenerator::any_directory(const ScratchFiles& files) {
    const auto known = directories_of(files);
    const auto choice = below(known.size() + 2);
    if (choice == known.size())
        return {};
    if (choice > known.size())
        return "fresh/";
    auto at = known.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(choice));
    return *at + "/";
}

void TreeGenerator::edit_lines(ScratchFile& file) {
    const auto lines = split_lines(file.bytes);
    if (lines.empty()) {
        file.bytes = fmt::format("filled {}\n", below(2));
        return;
    }
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

bool is_free(const ScratchFiles& files, const std::string& path) {
    if (files.contains(path))
        return false;
    return std::none_of(files.begin(), files.end(), [&](const auto& file) {
        return file.first.starts_with(path + "/") || path.starts_with(file.first + "/");
    });
}

std::set<std::string> directories_of(const ScratchFiles& files) {
    std::set<std::string> directories;
    for (const auto& [path, file] : files) {
        for (auto directory = parent_of(path); !directory.empty(); directory = parent_of(directory))
            directories.emplace(directory);
    }
    return directories;
}

std::string describe(const ScratchFiles& before, const ScratchFiles& after) {
    std::string text;
    for (const auto& [path, file] : before) {
        const auto now = after.find(path);
        if (now == after.end())
            text += "  - " + quote_path(path) + "\n";
        else if (now->second != file)
            text += fmt::format("  M {} {:o} {:o}\n", quote_path(path), file.mode, now->second.mode);
    }
    for (const auto& [path, file] : after) {
        if (!before.contains(path))
            text += fmt::format("  + {} {:o}\n", quote_path(path), file.mode);
    }
    return text;
}

} // namespace carry::test
