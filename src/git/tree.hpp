/// Trees by hand: reading, looking up, editing, comparing, with equal subtrees skipped. On any ObjectStore.
#pragma once

#include "git/object_store.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace carry::git {

namespace mode {
inline constexpr std::uint32_t tree = 0040000;
inline constexpr std::uint32_t file = 0100644;
inline constexpr std::uint32_t executable = 0100755;
inline constexpr std::uint32_t link = 0120000;
inline constexpr std::uint32_t gitlink = 0160000;
} // namespace mode

/// What a path is in a tree.
struct TreeEntry {
    std::uint32_t mode = 0; ///< git's six-digit mode
    ObjectId id;
    [[nodiscard]] bool is_tree() const noexcept { return mode == mode::tree; }
    [[nodiscard]] bool is_regular() const noexcept { return mode == mode::file || mode == mode::executable; }
    [[nodiscard]] bool is_link() const noexcept { return mode == mode::link; }
    [[nodiscard]] bool is_gitlink() const noexcept { return mode == mode::gitlink; }
    friend bool operator==(const TreeEntry&, const TreeEntry&) = default;
};

struct NamedTreeEntry {
    std::string name;
    TreeEntry entry;
};

/// Throws Error{failed} on a malformed tree. Modes are canonical (0100664 reads as 0100644).
std::vector<NamedTreeEntry> parse_tree(std::string_view data, ObjectFormat format);
/// Negative, zero or positive, as git sorts the entries of a tree: a directory as if its name ended in '/', so that
/// "a" < "a-b" < directory "a".
int compare_in_tree_order(const NamedTreeEntry& a, const NamedTreeEntry& b);
/// Sorts as git does (directories as if they ended in '/').
std::string serialize_tree(std::vector<NamedTreeEntry> entries);

/// Changes to a tree: path -> new entry, or nothing to remove it. As in the index, removal means that very path: one
/// that is a directory stays. An entry may be a whole tree.
using TreeEdits = std::map<std::string, std::optional<TreeEntry>, std::less<>>;

struct TreeChange {
    std::string path;
    std::optional<TreeEntry> before; ///< never a tree
    std::optional<TreeEntry> after;
};

/// Reads trees with a cache of what it has parsed; the store must outlive it.
class TreeReader {
public:
    explicit TreeReader(ObjectStore& store) : m_store(&store) {}

    /// Entry at `path`, a directory's too; "" is the tree itself. A null `tree` is the empty tree.
    std::optional<TreeEntry> find(const ObjectId& tree, std::string_view path);
    /// Valid as long as this object.
    const std::vector<NamedTreeEntry>& entries(const ObjectId& tree);
    /// Leaf entries that differ, sorted by path bytes; equal subtrees are not read. A file against a directory gives
    /// one removal and the directory's additions.
    std::vector<TreeChange> diff(const ObjectId& before, const ObjectId& after);
    /// All leaves below the directory `prefix` ("" for all), sorted by path bytes; none where it is a file.
    std::vector<std::pair<std::string, TreeEntry>> leaves(const ObjectId& tree, std::string_view prefix = {});
    /// The tree with `edits` laid over it; directories that become empty go. Adding below a path that is a file
    /// replaces that file; adding a file where a directory is replaces the directory; asking for both throws. Writes
    /// objects.
    ObjectId edit(const ObjectId& tree, const TreeEdits& edits);
    ObjectId tree_of_commit(const ObjectId& commit);

    ObjectStore& store() noexcept { return *m_store; }

private:
    ObjectStore* m_store;
    std::unordered_map<ObjectId, std::vector<NamedTreeEntry>> m_cache;
};

} // namespace carry::git
