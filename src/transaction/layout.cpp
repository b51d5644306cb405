#include "transaction/layout.hpp"

#include "base/text.hpp"
#include "transaction/file_state.hpp"
#include "transaction/metadata.hpp"

#include <carry/error.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <numeric>
#include <set>

namespace carry::transaction {
namespace {

using Paths = std::set<std::string, std::less<>>;

/// Every directory above `path`, the nearest first, without the top.
std::vector<std::string> above(std::string_view path) {
    std::vector<std::string> directories;
    for (path = parent_of(path); !path.empty(); path = parent_of(path))
        directories.emplace_back(path);
    return directories;
}

bool is_at_or_below(std::string_view path, const Paths& tops) {
    for (; !path.empty(); path = parent_of(path)) {
        if (tops.contains(path))
            return true;
    }
    return false;
}

bool ends_with_file(const Transition& transition) {
    return transition.after.kind != FileKind::absent;
}

std::string in_the_way(std::string_view what, std::string_view of) {
    return fmt::format("{} is in the way of {}", quoted(what), quoted(of));
}

/// Something on disk that the move knows nothing about.
[[noreturn]] void refuse_in_the_way(std::string_view what, std::string_view of) {
    throw Error(ErrorKind::refused, in_the_way(what, of), {fmt::format("mv {} ELSEWHERE", shell_quote(what))});
}

void check_safe(const std::string& path) {
    if (!is_safe_repo_path(path))
        throw Error(ErrorKind::failed, fmt::format("{} may not stand in a worktree", quoted(path)));
}

void check_consistent(const CheckoutMove& move) {
    for (const auto* directories : {&move.made_directories, &move.dropped_directories})
        for (const auto& directory : *directories)
            check_safe(directory);
    Paths all;
    Paths files;
    for (const auto& transition : move.transitions) {
        const std::string& path = transition.path;
        check_safe(path);
        if (!all.insert(path).second)
            throw Error(ErrorKind::failed, fmt::format("{} is to be changed twice", quoted(path)));
        if (ends_with_file(transition))
            files.insert(path);
    }
    for (const auto& path : files) {
        for (const auto& directory : above(path)) {
            if (files.contains(directory))
                throw Error(ErrorKind::failed, in_the_way(directory, path));
        }
    }
}

struct Entry {
    std::string name;
    bool is_directory;
};

std::vector<Entry> list(DirectoryTree& tree, const std::string& directory) {
    const auto full = tree.root() / std::filesystem::path(directory);
    const int parent = tree.open(directory).value_or(-1);
    const int fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        throw_errno("read the directory", full);
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(fd), closedir);
    if (!stream) {
        close(fd);
        throw_errno("read the directory", full);
    }
    std::vector<Entry> entries;
    errno = 0;
    while (const dirent* entry = readdir(stream.get())) {
        const std::string name(std::begin(entry->d_name));
        if (name == "." || name == "..")
            continue;
        const auto status = tree.status(fmt::format("{}/{}", directory, name));
        entries.push_back({name, status && S_ISDIR(status->st_mode)});
        errno = 0;
    }
    if (errno != 0)
        throw_errno("read the directory", full);
    return entries;
}

/// Lays out one checkout; the layout is what is left of it.
class Planner {
public:
    Planner(CheckoutMove& move, DirectoryTree& tree) : m_move(move), m_tree(tree) {}

    CheckoutLayout run(const std::string& token) {
        sort_paths();
        for (const auto& path : m_becoming_files)
            clear(path, path);
        std::reverse(m_layout.cleared.begin(), m_layout.cleared.end());
        for (const auto& path : m_files)
            find_new_directories(path);
        for (const auto& directory : m_move.made_directories)
            find_new_directories(directory + "/.");
        m_layout.new_directories.assign(m_new_directories.begin(), m_new_directories.end());
        for (auto& transition : m_move.transitions) {
            if (transition.before.kind != FileKind::absent)
                transition.before.metadata = read_metadata(m_tree, transition.path);
            name_temporary(transition.path, token);
        }
        return std::move(m_layout);
    }

private:
    void sort_paths() {
        for (const auto& transition : m_move.transitions) {
            if (!ends_with_file(transition)) {
                m_going.insert(transition.path);
                continue;
            }
            m_files.insert(transition.path);
            if (transition.before.kind == FileKind::absent && m_tree.open(transition.path))
                m_becoming_files.insert(transition.path);
        }
    }

    /// All of `directory` has to go, and may hold nothing that does not. Parents first.
    void clear(const std::string& directory, const std::string& file) {
        const auto status = m_tree.status(directory);
        if (!status)
            return;
        m_layout.cleared.push_back({directory, status->st_mode & 07777U, status->st_uid, status->st_gid});
        for (const auto& entry : list(m_tree, directory)) {
            const std::string path = directory + "/" + entry.name;
            if (entry.is_directory)
                clear(path, file);
            else if (!m_going.contains(path))
                refuse_in_the_way(path, file);
        }
    }

    void find_new_directories(const std::string& path) {
        for (const auto& directory : above(path)) {
            if (m_tree.open(directory))
                return;
            if (m_tree.status(directory) && !m_going.contains(directory))
                refuse_in_the_way(directory, path);
            m_new_directories.insert(directory);
        }
    }

    /// In the target's directory, so that it is on the same file system and takes over the same group and ACL; where
    /// that is yet to be made or has to go, in the nearest one above that stays.
    void name_temporary(std::string_view path, const std::string& token) {
        std::string_view home = parent_of(path);
        while (!home.empty() && (is_at_or_below(home, m_becoming_files) || !m_tree.open(home)))
            home = parent_of(home);
        const std::string name = fmt::format(".git-carry-{}-{}", token, m_layout.temporaries.size());
        m_layout.temporaries.push_back(home.empty() ? name : fmt::format("{}/{}", home, name));
    }

    CheckoutMove& m_move;
    DirectoryTree& m_tree;
    CheckoutLayout m_layout;
    Paths m_files;          ///< files in the end
    Paths m_going;          ///< gone in the end
    Paths m_becoming_files; ///< directories now, files in the end
    Paths m_new_directories;
};

Paths to_paths(const std::vector<std::string>& paths) {
    return {paths.begin(), paths.end()};
}

Paths to_paths(const std::vector<ClearedDirectory>& directories) {
    Paths paths;
    for (const auto& directory : directories)
        paths.insert(directory.path);
    return paths;
}

} // namespace

CheckoutMove effective(const CheckoutMove& move) {
    CheckoutMove left = move;
    std::erase_if(left.transitions,
                  [](const auto& transition) { return same_state(transition.before, transition.after); });
    std::erase_if(left.refs, [](const auto& ref) { return ref.before == ref.after; });
    if (left.index && left.index->before == left.index->after)
        left.index.reset();
    if (left.head_before == left.head_after) {
        left.head_before.clear();
        left.head_after.clear();
    }
    check_consistent(left);
    return left;
}

bool is_empty(const CheckoutMove& move) {
    return move.transitions.empty() && move.made_directories.empty() && move.dropped_directories.empty() &&
           !move.index && move.refs.empty() && move.head_after.empty();
}

CheckoutLayout lay_out(CheckoutMove& move, DirectoryTree& tree, const std::string& token) {
    return Planner(move, tree).run(token);
}

std::vector<Step> steps_of(const CheckoutMove& move, const CheckoutLayout& layout) {
    std::vector<std::size_t> order(move.transitions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return move.transitions[a].path < move.transitions[b].path; });
    const Paths made = to_paths(layout.new_directories);
    const Paths cleared = to_paths(layout.cleared);
    const auto goes_first = [&](const std::string& path) {
        return made.contains(path) || is_at_or_below(path, cleared);
    };

    std::vector<Step> first;
    std::vector<Step> puts;
    std::vector<Step> last;
    for (const std::size_t n : order) {
        const auto& transition = move.transitions[n];
        if (ends_with_file(transition))
            puts.push_back({Step::Kind::put, n});
        else
            (goes_first(transition.path) ? first : last).push_back({Step::Kind::take_away, n});
    }
    for (std::size_t n = 0; n < layout.cleared.size(); ++n)
        first.push_back({Step::Kind::remove_directory, n});
    for (std::size_t n = 0; n < layout.new_directories.size(); ++n)
        first.push_back({Step::Kind::make_directory, n});
    first.insert(first.end(), puts.begin(), puts.end());
    first.insert(first.end(), last.begin(), last.end());
    return first;
}

std::vector<std::string> possibly_empty(const CheckoutMove& move, const CheckoutLayout& layout, bool moved) {
    Paths directories(layout.new_directories.begin(), layout.new_directories.end());
    for (const auto& transition : move.transitions) {
        if (transition.after.kind != FileKind::absent)
            continue;
        for (auto& directory : above(transition.path))
            directories.insert(std::move(directory));
    }
    if (moved) {
        for (const auto& dropped : move.dropped_directories) {
            directories.insert(dropped);
            for (auto& directory : above(dropped))
                directories.insert(std::move(directory));
        }
        for (const auto& directory : move.made_directories)
            directories.erase(directory);
    }
    // what lies below a name sorts behind it
    return {directories.rbegin(), directories.rend()};
}

} // namespace carry::transaction
