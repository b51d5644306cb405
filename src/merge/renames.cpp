#include "merge/renames.hpp"

#include "base/directory.hpp"

#include <algorithm>
#include <set>

namespace carry::merge {

void PathMap::set(std::string from, std::string to) {
    if (from == to)
        m_paths.erase(from);
    else
        m_paths.insert_or_assign(std::move(from), std::move(to));
}

void PathMap::erase(std::string_view path) {
    if (const auto found = m_paths.find(path); found != m_paths.end())
        m_paths.erase(found);
}

std::string PathMap::map(std::string_view path) const {
    const auto found = m_paths.find(path);
    return found != m_paths.end() ? found->second : std::string(path);
}

void PathMap::set_directory(std::string from, std::string to) {
    m_directories.insert_or_assign(std::move(from), std::move(to));
}

std::optional<std::string> PathMap::map_new(std::string_view path) const {
    for (auto directory = parent_of(path); !directory.empty(); directory = parent_of(directory)) {
        const auto found = m_directories.find(directory);
        if (found == m_directories.end())
            continue;
        const auto rest = path.substr(directory.size() + 1);
        return found->second.empty() ? std::string(rest) : found->second + '/' + std::string(rest);
    }
    return std::nullopt;
}

namespace {

using Leaves = std::map<std::string, git::TreeEntry, std::less<>>;
using PathSet = std::set<std::string, std::less<>>;

class RenameSearch {
public:
    RenameSearch(git::Repository& repository, const git::ObjectId& before, const git::ObjectId& after)
        : m_repository(repository), m_before(before), m_after(after) {}

    PathMap run(const std::vector<std::string>& touched, const std::vector<std::string>& added) {
        PathMap map;
        collect_gone_directories(added);
        const bool vanished = std::any_of(touched.begin(), touched.end(), [&](const std::string& path) {
            const auto was = m_repository.trees().find(m_before, path);
            return was && !was->is_tree() && !is_leaf(m_after, path);
        });
        if (!vanished && m_gone_directories.empty())
            return map;

        compare_trees();
        pair_identical();
        pair_similar(touched);
        for (const auto& path : touched) {
            if (const auto rename = m_renames.find(path); rename != m_renames.end())
                map.set(path, rename->second);
        }
        add_directories(map);
        return map;
    }

private:
    bool is_leaf(const git::ObjectId& tree, std::string_view path) {
        const auto entry = m_repository.trees().find(tree, path);
        return entry && !entry->is_tree();
    }
    bool is_directory(const git::ObjectId& tree, std::string_view path) {
        const auto entry = m_repository.trees().find(tree, path);
        return entry && entry->is_tree();
    }

    /// Directories above new local files that upstream had and has no more.
    void collect_gone_directories(const std::vector<std::string>& added) {
        for (const auto& path : added) {
            for (auto directory = parent_of(path); !directory.empty(); directory = parent_of(directory)) {
                if (m_gone_directories.contains(directory))
                    continue;
                if (is_directory(m_after, directory))
                    break;
                if (is_directory(m_before, directory))
                    m_gone_directories.emplace(directory);
            }
        }
    }

    void compare_trees() {
        for (auto& change : m_repository.trees().diff(m_before, m_after)) {
            if (change.before && !change.after)
                m_removed.emplace(std::move(change.path), *change.before);
            else if (change.after && !change.before)
                m_added.emplace(std::move(change.path), *change.after);
        }
    }

    bool is_empty_blob(const git::TreeEntry& entry) {
        if (entry.is_gitlink())
            return false;
        const auto header = m_repository.objects().header(entry.id);
        return header && header->size == 0;
    }

    /// Files that only moved, whoever asked for them: they leave the fewer sources and targets to compare. As git does
    /// it, a name that stays the same is preferred among equals, and an empty file is no evidence.
    void pair_identical() {
        std::multimap<git::ObjectId, std::string> sources;
        for (const auto& [path, entry] : m_removed)
            sources.emplace(entry.id, path);
        for (auto target = m_added.begin(); target != m_added.end();) {
            const auto source = best_identical(sources, target->first, target->second);
            if (source == sources.end() || is_empty_blob(target->second)) {
                ++target;
                continue;
            }
            m_renames.emplace(source->second, target->first);
            m_removed.erase(source->second);
            sources.erase(source);
            target = m_added.erase(target);
        }
    }

    std::multimap<git::ObjectId, std::string>::iterator
    best_identical(std::multimap<git::ObjectId, std::string>& sources, const std::string& path,
                   const git::TreeEntry& entry) {
        auto best = sources.end();
        const auto [first, last] = sources.equal_range(entry.id);
        for (auto source = first; source != last; ++source) {
            const auto& was = m_removed.at(source->second);
            if (was.is_regular() != entry.is_regular() || (!entry.is_regular() && was.mode != entry.mode))
                continue;
            if (best == sources.end())
                best = source;
            if (name_of(source->second) == name_of(path))
                return source;
        }
        return best;
    }

    bool below_gone_directory(std::string_view path) {
        for (auto directory = parent_of(path); !directory.empty(); directory = parent_of(directory)) {
            if (m_gone_directories.contains(directory))
                return true;
        }
        return false;
    }

    /// The rest is git's to judge, on trees that hold nothing but what matters.
    void pair_similar(const std::vector<std::string>& touched) {
        git::TreeEdits sources;
        for (const auto& path : touched) {
            if (const auto removed = m_removed.find(path); removed != m_removed.end())
                sources[path] = removed->second;
        }
        for (const auto& [path, entry] : m_removed) {
            if (!m_gone_directories.empty() && below_gone_directory(path))
                sources[path] = entry;
        }
        std::erase_if(sources, [&](const auto& source) { return is_empty_blob(*source.second); });
        if (sources.empty() || m_added.empty())
            return;
        const git::TreeEdits targets(m_added.begin(), m_added.end());
        auto& trees = m_repository.trees();
        for (auto& rename :
             git::find_renames(m_repository.program(), trees.edit({}, sources), trees.edit({}, targets), true))
            m_renames.emplace(std::move(rename.from), std::move(rename.to));
    }

    /// Each renamed file speaks for its directory, and for those above it as far as the names stay the same; the
    /// directory goes where most of its files went. A tie decides nothing.
    void add_directories(PathMap& map) {
        std::map<std::string, std::map<std::string, int>, std::less<>> votes;
        for (const auto& [from, to] : m_renames) {
            auto old_directory = parent_of(from);
            auto new_directory = parent_of(to);
            while (!old_directory.empty() && old_directory != new_directory) {
                if (m_gone_directories.contains(old_directory))
                    ++votes[std::string(old_directory)][std::string(new_directory)];
                if (new_directory.empty() || name_of(old_directory) != name_of(new_directory))
                    break;
                old_directory = parent_of(old_directory);
                new_directory = parent_of(new_directory);
            }
        }
        for (const auto& [directory, targets] : votes) {
            const auto best = std::max_element(targets.begin(), targets.end(),
                                               [](const auto& a, const auto& b) { return a.second < b.second; });
            const auto equals = std::count_if(targets.begin(), targets.end(),
                                              [&](const auto& target) { return target.second == best->second; });
            if (equals == 1)
                map.set_directory(directory, best->first);
        }
    }

    git::Repository& m_repository;
    git::ObjectId m_before;
    git::ObjectId m_after;
    PathSet m_gone_directories;
    Leaves m_removed;
    Leaves m_added;
    std::map<std::string, std::string, std::less<>> m_renames;
};

} // namespace

PathMap upstream_renames(git::Repository& repository, const git::ObjectId& before_tree, const git::ObjectId& after_tree,
                         const std::vector<std::string>& touched, const std::vector<std::string>& added) {
    return RenameSearch(repository, before_tree, after_tree).run(touched, added);
}

} // namespace carry::merge
