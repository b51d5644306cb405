#include "patch/changes.hpp"

#include "base/text.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

namespace carry::patch {

namespace {

constexpr std::string_view file_header = "diff --git ";

[[noreturn]] void not_understood(std::string_view what) {
    throw Error(ErrorKind::failed, "cannot understand what git diff-tree says").because(escape_terminal(what));
}

std::optional<git::TreeEntry> parse_side(std::string_view mode_text, std::string_view id) {
    std::uint32_t mode = 0;
    const auto [end, error] = std::from_chars(mode_text.data(), mode_text.data() + mode_text.size(), mode, 8);
    if (error != std::errc() || end != mode_text.data() + mode_text.size())
        not_understood(mode_text);
    if (mode == 0)
        return std::nullopt;
    return git::TreeEntry{mode, git::ObjectId::from_hex(id)};
}

/// Both listings with the same words, or they would not fit together; none of them is left to configuration.
std::vector<std::string> diff_tree(std::initializer_list<const char*> format, const git::ObjectId& before,
                                   const git::ObjectId& after) {
    std::vector<std::string> args = {"-c",
                                     "core.quotePath=false",
                                     "-c",
                                     "diff.suppressBlankEmpty=false",
                                     "-c",
                                     "diff.renameLimit=1000",
                                     "diff-tree",
                                     "-r",
                                     "-M",
                                     "--no-relative",
                                     "--ignore-submodules=none",
                                     "--no-ext-diff",
                                     "--no-textconv",
                                     "--no-color"};
    args.insert(args.end(), format.begin(), format.end());
    args.insert(args.end(), {before.hex(), after.hex()});
    return args;
}

/// Cuts a stream at its file headers. No line of a hunk or of a binary patch starts like one.
class HeaderSplitter {
public:
    explicit HeaderSplitter(std::function<void(std::string&&)> on_part) : m_on_part(std::move(on_part)) {}

    void feed(std::string_view piece) {
        m_buffer += piece;
        for (;;) {
            const auto next = m_buffer.find("\n" + std::string(file_header), m_seen);
            if (next == std::string::npos)
                break;
            auto part = m_buffer.substr(0, next + 1);
            m_buffer.erase(0, next + 1);
            m_seen = 0;
            m_on_part(std::move(part));
        }
        m_seen = m_buffer.size() > file_header.size() ? m_buffer.size() - file_header.size() : 0;
    }
    void finish() {
        if (!m_buffer.empty())
            m_on_part(std::move(m_buffer));
        m_buffer.clear();
    }

private:
    std::function<void(std::string&&)> m_on_part;
    std::string m_buffer;
    std::size_t m_seen = 0; ///< no header starts before this
};

/// git writes a change of type as a deletion and an addition.
bool has_two_parts(const PathChange& change) {
    constexpr std::uint32_t kind_bits = 0170000;
    return change.before && change.after && (change.before->mode & kind_bits) != (change.after->mode & kind_bits);
}

bool is_below(std::string_view path, std::string_view directory) {
    return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

/// The path that a change leaves empty.
std::string_view vacated(const PathChange& change) {
    return change.old_path != change.new_path ? std::string_view(change.old_path) : std::string_view();
}

std::string_view occupied(const PathChange& change) {
    return change.old_path != change.new_path ? std::string_view(change.new_path) : std::string_view();
}

/// Whether any of `waiting` must go before a change that occupies `target`: it still holds a file where `target` needs
/// a directory, or below where `target` is a file.
bool is_blocked(std::string_view target, const std::set<std::string_view>& still_there) {
    if (target.empty())
        return false;
    for (auto slash = target.find('/'); slash != std::string_view::npos; slash = target.find('/', slash + 1)) {
        if (still_there.contains(target.substr(0, slash)))
            return true;
    }
    const auto below = std::string(target) + "/";
    const auto next = still_there.lower_bound(below);
    return next != still_there.end() && is_below(*next, target);
}

} // namespace

std::vector<PathChange> list_changes(const git::Program& program, const git::ObjectId& before,
                                     const git::ObjectId& after) {
    git::RunOptions options;
    options.private_objects = true;
    const auto output = program.output(diff_tree({"--raw", "-z", "--no-abbrev"}, before, after), options);
    const auto words = split_terminated(output, '\0');
    std::vector<PathChange> changes;
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        // ":100644 100755 <id> <id> R100", a path, and of a rename another one
        const auto fields = split(words[i], ' ');
        if (fields.size() != 5 || !fields[0].starts_with(':') || fields[4].empty())
            not_understood(words[i]);
        PathChange change;
        change.before = parse_side(fields[0].substr(1), fields[2]);
        change.after = parse_side(fields[1], fields[3]);
        if (change.before)
            change.old_path = words[i + 1];
        if (fields[4][0] == 'R') {
            if (i + 2 >= words.size())
                not_understood(words[i]);
            ++i;
        }
        if (change.after)
            change.new_path = words[i + 1];
        changes.push_back(std::move(change));
    }
    return changes;
}

void read_patch_texts(const git::Program& program, const git::ObjectId& before, const git::ObjectId& after,
                      const std::vector<PathChange>& changes,
                      const std::function<void(std::size_t, std::string&&)>& on_text) {
    std::size_t current = 0;
    std::string first_half;
    HeaderSplitter splitter([&](std::string&& part) {
        if (current >= changes.size() || !part.starts_with(file_header))
            not_understood(part.substr(0, part.find('\n')));
        if (has_two_parts(changes[current]) && first_half.empty()) {
            first_half = std::move(part);
            return;
        }
        on_text(current++, first_half + part);
        first_half.clear();
    });
    git::RunOptions options;
    options.private_objects = true;
    options.on_output = [&](std::string_view piece) { splitter.feed(piece); };
    program.output(diff_tree({"-p", "--binary", "--full-index", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3",
                              "--inter-hunk-context=0", "--submodule=short"},
                             before, after),
                   options);
    splitter.finish();
    if (current != changes.size())
        not_understood(fmt::format("{} of {} patches", current, changes.size()));
}

bool gnu_patch_can(const PathChange& change, std::string_view text) {
    for (const auto* side : {&change.before, &change.after}) {
        if (*side && !(*side)->is_regular())
            return false;
    }
    // Without a "---" line GNU patch takes the name from "diff --git", and ends it at the first blank.
    const bool named = text.find("\n--- ") != std::string_view::npos;
    for (const auto* path : {&change.old_path, &change.new_path}) {
        if (path->ends_with(' ') || (!named && path->find(' ') != std::string::npos))
            return false;
    }
    const auto hex = change.before ? change.before->id.hex() : std::string();
    const bool was_empty = hex == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" ||
                           hex == "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";
    return !was_empty && text.find("\nGIT binary patch\n") == std::string_view::npos &&
           text.find('\0') == std::string_view::npos;
}

std::vector<std::vector<std::size_t>> application_order(const std::vector<PathChange>& changes) {
    std::vector<std::vector<std::size_t>> order;
    std::vector<std::size_t> waiting;
    std::set<std::string_view> still_there;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (changes[i].new_path.empty())
            order.push_back({i}); // deletions make room
        else
            waiting.push_back(i);
        if (!changes[i].new_path.empty() && !vacated(changes[i]).empty())
            still_there.insert(vacated(changes[i]));
    }
    while (!waiting.empty()) {
        std::vector<std::size_t> blocked;
        for (const auto i : waiting) {
            // A file that is renamed into a directory of its own name is in nobody's way but its own.
            const auto own = still_there.extract(vacated(changes[i]));
            if (is_blocked(occupied(changes[i]), still_there)) {
                if (!own.empty())
                    still_there.insert(vacated(changes[i]));
                blocked.push_back(i);
            } else {
                order.push_back({i});
            }
        }
        if (blocked.size() == waiting.size()) {
            order.push_back(std::move(blocked)); // in each other's way: together
            break;
        }
        waiting = std::move(blocked);
    }
    return order;
}

} // namespace carry::patch
