#include "base/text.hpp"
#include "git/tree.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

namespace carry::git {

int compare_in_tree_order(const NamedTreeEntry& a, const NamedTreeEntry& b) {
    const std::size_t shared = std::min(a.name.size(), b.name.size());
    if (const int order = a.name.compare(0, shared, b.name, 0, shared); order != 0)
        return order;
    const auto next = [shared](const NamedTreeEntry& entry) {
        if (entry.name.size() > shared)
            return static_cast<unsigned char>(entry.name[shared]);
        return static_cast<unsigned char>(entry.entry.is_tree() ? '/' : '\0');
    };
    return static_cast<int>(next(a)) - static_cast<int>(next(b));
}

namespace {

constexpr std::size_t longest_path = 8192;
constexpr std::size_t most_changes = 10'000'000;

class TreeDiff {
public:
    explicit TreeDiff(TreeReader& reader) : m_reader(&reader) {}

    void directories(const ObjectId& before, const ObjectId& after, const std::string& prefix) {
        if (before == after)
            return;
        // what this costs grows with the square of the depth, and no file system holds such a path
        if (prefix.size() > longest_path)
            throw Error(ErrorKind::refused,
                        fmt::format("a path is longer than {} bytes: {}…", longest_path, quoted(prefix.substr(0, 60))));
        // trees that hold each other several times over have more paths than bytes
        if (m_changes.size() > most_changes)
            throw Error(ErrorKind::refused, fmt::format("more than {} paths differ between two trees", most_changes));
        const auto& old_entries = m_reader->entries(before);
        const auto& new_entries = m_reader->entries(after);
        auto was = old_entries.begin();
        auto is = new_entries.begin();
        while (was != old_entries.end() || is != new_entries.end()) {
            // A file and a directory of one name stand at two places: one is removed, one is added.
            const int order = was == old_entries.end()  ? 1
                              : is == new_entries.end() ? -1
                                                        : compare_in_tree_order(*was, *is);
            if (order < 0) {
                one_side(*was++, prefix, false);
            } else if (order > 0) {
                one_side(*is++, prefix, true);
            } else {
                both(*was++, *is++, prefix);
            }
        }
    }

    std::vector<TreeChange> take() { return std::move(m_changes); }

private:
    void one_side(const NamedTreeEntry& entry, const std::string& prefix, bool added) {
        const std::string path = prefix + entry.name;
        if (entry.entry.is_tree() && added)
            directories({}, entry.entry.id, path + "/");
        else if (entry.entry.is_tree())
            directories(entry.entry.id, {}, path + "/");
        else if (added)
            m_changes.push_back({path, std::nullopt, entry.entry});
        else
            m_changes.push_back({path, entry.entry, std::nullopt});
    }

    void both(const NamedTreeEntry& was, const NamedTreeEntry& is, const std::string& prefix) {
        if (was.entry == is.entry)
            return;
        if (was.entry.is_tree())
            directories(was.entry.id, is.entry.id, prefix + was.name + "/");
        else
            m_changes.push_back({prefix + was.name, was.entry, is.entry});
    }

    TreeReader* m_reader;
    std::vector<TreeChange> m_changes;
};

} // namespace

std::vector<TreeChange> TreeReader::diff(const ObjectId& before, const ObjectId& after) {
    TreeDiff walk(*this);
    walk.directories(before, after, {});
    return walk.take();
}

} // namespace carry::git
