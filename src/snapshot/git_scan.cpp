#include "base/text.hpp"
#include "git/convert.hpp"
#include "snapshot/status.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <set>

namespace carry::snapshot {

namespace {

[[noreturn]] void not_understood(std::string_view record) {
    throw Error(ErrorKind::failed, "cannot understand what git status says").because(escape_terminal(record));
}

/// The first N fields of a record that are separated by one space, and the path that follows them.
template <std::size_t N>
std::array<std::string_view, N> take_fields(std::string_view record, std::string& path) {
    std::array<std::string_view, N> fields;
    std::string_view rest = record;
    for (auto& field : fields) {
        const auto space = rest.find(' ');
        if (space == std::string_view::npos)
            not_understood(record);
        field = rest.substr(0, space);
        rest.remove_prefix(space + 1);
    }
    if (rest.empty())
        not_understood(record);
    path = rest;
    return fields;
}

std::uint32_t parse_mode(std::string_view text, std::string_view record) {
    std::uint32_t mode = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
    if (error != std::errc() || end != text.data() + text.size())
        not_understood(record);
    return mode;
}

bool is_empty_blob(const git::ObjectId& id) {
    const auto hex = id.hex();
    return hex == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" ||
           hex == "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";
}

std::optional<git::TreeEntry> parse_entry(std::string_view mode_text, std::string_view id, std::string_view record) {
    const auto mode = parse_mode(mode_text, record);
    if (mode == 0)
        return std::nullopt;
    return git::TreeEntry{mode, git::ObjectId::from_hex(id)};
}

/// "1 XY sub mH mI mW hH hI path"
StatusEntry parse_changed(std::string_view record) {
    StatusEntry entry;
    const auto [kind, states, sub, head_mode, index_mode, disk_mode, head_id, index_id] =
        take_fields<8>(record, entry.path);
    if (kind != "1" || states.size() != 2 || sub.size() != 4)
        not_understood(record);
    entry.index = states[0];
    entry.worktree = states[1];
    if (std::string_view(".MTAD").find(entry.index) == std::string_view::npos ||
        std::string_view(".MTAD").find(entry.worktree) == std::string_view::npos)
        not_understood(record);
    entry.submodule = sub;
    entry.head_entry = parse_entry(head_mode, head_id, record);
    entry.index_entry = parse_entry(index_mode, index_id, record);
    entry.worktree_mode = parse_mode(disk_mode, record);
    return entry;
}

/// "u XY sub m1 m2 m3 mW h1 h2 h3 path"
UnmergedStatus parse_unmerged(std::string_view record) {
    UnmergedStatus entry;
    const auto [kind, states, sub, mode1, mode2, mode3, disk_mode, id1, id2, id3] = take_fields<10>(record, entry.path);
    if (kind != "u" || states.size() != 2)
        not_understood(record);
    entry.base = parse_entry(mode1, id1, record);
    entry.ours = parse_entry(mode2, id2, record);
    entry.theirs = parse_entry(mode3, id3, record);
    entry.worktree_mode = parse_mode(disk_mode, record);
    return entry;
}

Status parse_status(std::string_view output) {
    Status status;
    for (const auto record : split_terminated(output, '\0')) {
        if (record.size() < 3 || record[1] != ' ')
            not_understood(record);
        if (record[0] == '1') {
            status.entries.push_back(parse_changed(record));
        } else if (record[0] == 'u') {
            status.unmerged.push_back(parse_unmerged(record));
        } else if (record[0] == '?') {
            const auto path = record.substr(2);
            (path.back() == '/' ? status.nested : status.untracked).emplace_back(path);
        } else {
            not_understood(record);
        }
    }
    return status;
}

/// Paths of the index that are marked "intent to add", among `candidates`: `git ls-files --debug` gives for each a
/// path, NUL, and lines of stat data that end in "flags: <hex>".
std::set<std::string, std::less<>> intent_to_add_among(const std::vector<std::string>& candidates,
                                                       const git::Program& program) {
    constexpr std::string_view label = "flags: ";
    constexpr unsigned long intent_to_add_flag = 0x20000000;
    constexpr std::size_t most_arguments = 1000; // beyond that, the whole index costs less than a long command line
    std::vector<std::string> args = {"--literal-pathspecs", "ls-files", "-z", "--debug", "--"};
    if (candidates.size() <= most_arguments)
        args.insert(args.end(), candidates.begin(), candidates.end());
    const auto output = program.output(args);
    std::set<std::string, std::less<>> marked;
    std::string_view rest = output;
    while (!rest.empty()) {
        const auto nul = rest.find('\0');
        const auto at = nul == std::string_view::npos ? nul : rest.find(label, nul);
        const auto newline = at == std::string_view::npos ? at : rest.find('\n', at);
        if (newline == std::string_view::npos)
            not_understood(rest.substr(0, nul));
        unsigned long flags = 0;
        std::from_chars(rest.data() + at + label.size(), rest.data() + newline, flags, 16);
        if ((flags & intent_to_add_flag) != 0)
            marked.emplace(rest.substr(0, nul));
        rest.remove_prefix(newline + 1);
    }
    return marked;
}

/// Of an intent-to-add entry whose file is gone git says nonsense: an empty blob in the index, and in HEAD as well
/// where HEAD has nothing. Told apart from a file that was committed and then deleted by the entry's flags.
void mend_missing_intent_to_add(Status& status, const git::Program& program) {
    std::vector<std::string> suspects;
    for (auto& entry : status.entries) {
        if (entry.worktree == 'D' && entry.index == 'D')
            entry.index_entry.reset();
        else if (entry.worktree == 'D' && entry.index == '.' && entry.index_entry &&
                 is_empty_blob(entry.index_entry->id))
            suspects.push_back(entry.path);
    }
    if (suspects.empty())
        return;
    const auto marked = intent_to_add_among(suspects, program);
    for (auto& entry : status.entries) {
        if (entry.worktree == 'D' && entry.index == '.' && marked.contains(entry.path)) {
            entry.index_entry.reset();
            entry.head_entry.reset();
        }
    }
}

/// "fatal: 'git status --porcelain=2' failed in submodule libs/sub".
std::string failed_submodule(std::string_view words) {
    constexpr std::string_view sign = " failed in submodule ";
    const auto found = words.find(sign);
    if (found == std::string_view::npos)
        return {};
    const auto begin = found + sign.size();
    return std::string(words.substr(begin, words.find('\n', begin) - begin));
}

} // namespace

Status scan_with_git(const git::Program& program) {
    const auto result = program.run({"-c", "status.renames=false", "status", "--porcelain=v2", "-z", "--no-show-stash",
                                     "--no-renames", "--untracked-files=all", "--ignore-submodules=none"});
    if (!result.ok()) {
        if (const auto path = failed_submodule(result.error_output); !path.empty())
            throw Error(ErrorKind::refused, fmt::format("the submodule {} cannot be read", quoted(path)),
                        {fmt::format("git -C {} status   says what is wrong", shell_quote(path))})
                .because(std::string(trim(result.error_output.substr(0, result.error_output.find('\n')))));
        // To compare, git runs clean filters; one that fails is for the user to mend.
        throw git::conversion_failure(program, result.error_output, "clean", "git status failed");
    }
    auto status = parse_status(result.output);
    mend_missing_intent_to_add(status, program);
    return status;
}

} // namespace carry::snapshot
