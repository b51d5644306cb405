#include "git/tree.hpp"

#include "base/text.hpp"
#include "git/commit.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace carry::git {
namespace {

constexpr std::uint32_t type_mask = 0170000;
constexpr std::uint32_t regular_type = 0100000;
constexpr std::uint32_t owner_execute = 0000100;

/// Old trees hold modes like 100664; git reads all of them as one of five.
std::uint32_t canonical_mode(std::uint32_t raw) {
    switch (raw & type_mask) {
    case regular_type:
        return (raw & owner_execute) != 0 ? mode::executable : mode::file;
    case mode::link:
        return mode::link;
    case mode::tree:
        return mode::tree;
    default:
        return mode::gitlink;
    }
}

[[noreturn]] void throw_malformed() {
    throw Error(ErrorKind::failed, "cannot read a tree object: it is malformed");
}

/// Changes to one directory: the edits of its entries by name, taken apart once so that "a", "a-b" and "a/x" (which
/// sort in this order) end up where they belong.
struct EditNode {
    bool edited = false;
    std::optional<TreeEntry> entry; ///< what this path becomes, where `edited`
    std::map<std::string, EditNode, std::less<>> children;
};

EditNode make_edit_nodes(const TreeEdits& edits) {
    EditNode root;
    for (const auto& [path, entry] : edits) {
        EditNode* node = &root;
        for (const std::string_view name : split(path, '/')) {
            if (name.empty())
                throw Error(ErrorKind::failed,
                            "cannot change " + quoted(path) + " in a tree: it is no repository path");
            node = &node->children.try_emplace(std::string(name)).first->second;
        }
        if (node == &root)
            throw Error(ErrorKind::failed, "cannot change a tree: the path is empty");
        node->edited = true;
        node->entry = entry;
    }
    return root;
}

class TreeEditor {
public:
    explicit TreeEditor(TreeReader& reader) : m_reader(&reader) {}

    /// The directory with the changes below `node`; nothing where it became empty.
    std::optional<ObjectId> directory(const ObjectId& tree, const EditNode& node, const std::string& path) {
        std::map<std::string, TreeEntry, std::less<>> entries;
        const auto& old_entries = m_reader->entries(tree);
        for (const auto& [name, entry] : old_entries)
            entries.emplace(name, entry);
        for (const auto& [name, child] : node.children) {
            const auto at = entries.find(name);
            const auto now = at == entries.end() ? std::nullopt : std::optional(at->second);
            const auto then = changed(now, child, fmt::format("{}{}{}", path, path.empty() ? "" : "/", name));
            if (then)
                entries.insert_or_assign(name, *then);
            else if (at != entries.end())
                entries.erase(at);
        }
        if (entries.empty())
            return std::nullopt;
        std::vector<NamedTreeEntry> list;
        list.reserve(entries.size());
        for (auto& [name, entry] : entries)
            list.push_back({name, entry});
        return m_reader->store().write(ObjectType::tree, serialize_tree(std::move(list)));
    }

private:
    std::optional<TreeEntry> changed(std::optional<TreeEntry> entry, const EditNode& node, const std::string& path) {
        if (node.edited && node.entry)
            entry = node.entry;
        else if (node.edited && entry && !entry->is_tree())
            entry.reset();
        if (node.children.empty())
            return entry;
        const bool is_directory = entry && entry->is_tree();
        const auto below = directory(is_directory ? entry->id : ObjectId(), node, path);
        if (below && entry && !is_directory && node.edited)
            throw Error(ErrorKind::failed, "cannot make " + quoted(path) + " both a file and a directory");
        if (below)
            return TreeEntry{mode::tree, *below};
        // Removals below a file concern nothing.
        return is_directory ? std::nullopt : entry;
    }

    TreeReader* m_reader;
};

void collect_leaves(TreeReader& reader, const ObjectId& tree, const std::string& prefix,
                    std::vector<std::pair<std::string, TreeEntry>>& found) {
    for (const auto& [name, entry] : reader.entries(tree)) {
        if (entry.is_tree())
            collect_leaves(reader, entry.id, prefix + name + "/", found);
        else
            found.emplace_back(prefix + name, entry);
    }
}

} // namespace

std::vector<NamedTreeEntry> parse_tree(std::string_view data, ObjectFormat format) {
    const std::size_t id_size = format == ObjectFormat::sha1 ? 20 : 32;
    std::vector<NamedTreeEntry> entries;
    while (!data.empty()) {
        std::uint32_t raw_mode = 0;
        const auto [end, error] = std::from_chars(data.data(), data.data() + data.size(), raw_mode, 8);
        const auto mode_size = static_cast<std::size_t>(end - data.data());
        const std::size_t nul = data.find('\0', mode_size);
        if (error != std::errc() || mode_size >= data.size() || data[mode_size] != ' ' ||
            nul == std::string_view::npos || nul == mode_size + 1 || data.size() - nul - 1 < id_size)
            throw_malformed();
        entries.push_back({std::string(data.substr(mode_size + 1, nul - mode_size - 1)),
                           {canonical_mode(raw_mode), ObjectId::from_raw(data.substr(nul + 1, id_size))}});
        data.remove_prefix(nul + 1 + id_size);
    }
    return entries;
}

std::string serialize_tree(std::vector<NamedTreeEntry> entries) {
    std::ranges::sort(entries, [](const auto& a, const auto& b) { return compare_in_tree_order(a, b) < 0; });
    std::string data;
    for (const auto& [name, entry] : entries) {
        std::array<char, 16> digits{};
        const auto end = std::to_chars(digits.begin(), digits.end(), entry.mode, 8).ptr;
        data.append(digits.data(), end);
        data += ' ';
        data += name;
        data += '\0';
        data += entry.id.raw();
    }
    return data;
}

const std::vector<NamedTreeEntry>& TreeReader::entries(const ObjectId& tree) {
    static const std::vector<NamedTreeEntry> none;
    if (tree.is_null())
        return none;
    if (const auto known = m_cache.find(tree); known != m_cache.end())
        return known->second;
    return m_cache.emplace(tree, parse_tree(m_store->require(tree, ObjectType::tree), m_store->format())).first->second;
}

std::optional<TreeEntry> TreeReader::find(const ObjectId& tree, std::string_view path) {
    if (tree.is_null())
        return std::nullopt;
    TreeEntry here{mode::tree, tree};
    for (const std::string_view name : split(path, '/')) {
        if (!here.is_tree())
            return std::nullopt;
        const auto& list = entries(here.id);
        const auto at = std::ranges::find(list, name, &NamedTreeEntry::name);
        if (at == list.end())
            return std::nullopt;
        here = at->entry;
    }
    return here;
}

std::vector<std::pair<std::string, TreeEntry>> TreeReader::leaves(const ObjectId& tree, std::string_view prefix) {
    std::vector<std::pair<std::string, TreeEntry>> found;
    if (const auto top = find(tree, prefix); top && top->is_tree())
        collect_leaves(*this, top->id, prefix.empty() ? std::string() : std::string(prefix) + "/", found);
    return found;
}

ObjectId TreeReader::edit(const ObjectId& tree, const TreeEdits& edits) {
    if (edits.empty() && !tree.is_null())
        return tree;
    const auto changed = TreeEditor(*this).directory(tree, make_edit_nodes(edits), {});
    return changed ? *changed : m_store->write(ObjectType::tree, {});
}

ObjectId TreeReader::tree_of_commit(const ObjectId& commit) {
    return read_commit(*m_store, commit).tree;
}

} // namespace carry::git
