#include "merge/removed_names.hpp"

#include "base/signal.hpp"
#include "base/text.hpp"
#include "git/buffers.hpp"
#include "merge/identifiers.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

namespace carry::merge {

namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 20;
constexpr std::uint64_t most_searched = std::uint64_t{32} << 20;
constexpr std::size_t most_names = 20;

struct Use {
    std::string path;
    std::size_t line = 0;
};

/// What the carried lines use.
struct Uses {
    std::map<std::string, std::vector<Use>, std::less<>> by_name; ///< once for each path
    std::set<std::string, std::less<>> languages;
};

Uses uses_of(const std::vector<AddedLines>& added) {
    Uses uses;
    std::set<std::string, std::less<>> defined;
    for (const auto& file : added) {
        const auto language = language_of(file.path);
        if (language.empty())
            continue;
        uses.languages.insert(language);
        for (const auto& line : file.lines)
            for (const auto& identifier : identifiers_in(line.text, language)) {
                if (identifier.defined)
                    defined.insert(std::string(identifier.name));
                auto& places = uses.by_name[std::string(identifier.name)];
                if (places.empty() || places.back().path != file.path)
                    places.push_back({file.path, line.number});
            }
    }
    for (const auto& name : defined)
        uses.by_name.erase(name);
    return uses;
}

/// Calls `on_word` for each word of a text.
template <typename Function>
void for_each_word(std::string_view text, Function&& on_word) {
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t i = 0; i < text.size();) {
        auto end = i;
        while (end < text.size() && in_word(text[end]))
            ++end;
        if (end > i)
            on_word(text.substr(i, end - i));
        i = end + 1;
    }
}

bool has_word(std::string_view text, std::string_view name) {
    bool found = false;
    for_each_word(text, [&](std::string_view word) { found = found || word == name; });
    return found;
}

/// The line that defines `name`; nothing where none does.
std::optional<std::size_t> defining_line(const std::vector<std::string_view>& lines, std::string_view name,
                                         std::string_view language) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].find(name) == std::string_view::npos)
            continue;
        for (const auto& identifier : identifiers_in(lines[i], language))
            if (identifier.defined && identifier.name == name)
                return i;
    }
    return std::nullopt;
}

/// What stands for `name` in a line that is the same otherwise.
std::string replacement_in(std::string_view before, std::string_view after, std::string_view name,
                           std::string_view language) {
    const auto names = identifiers_in(after, language);
    for (const auto& candidate : names) {
        std::string renamed(before);
        std::size_t shift = 0;
        for (const auto& identifier : identifiers_in(before, language)) {
            if (identifier.name != name)
                continue;
            renamed.replace(identifier.column + shift, name.size(), candidate.name);
            shift += candidate.name.size() - name.size();
        }
        if (trim(renamed) == trim(after))
            return std::string(candidate.name);
    }
    return {};
}

class Search {
public:
    Search(git::Repository& repository, const git::ObjectId& base, const git::ObjectId& target, Uses uses)
        : m_repository(repository), m_base(base), m_target(target), m_uses(std::move(uses)) {
        for (const auto& [name, places] : m_uses.by_name)
            m_wanted.insert(name);
    }

    std::vector<RemovedName> run() {
        read_changes();
        for (const auto& name : m_alive)
            m_definitions.erase(name);
        if (m_definitions.size() > most_names)
            m_definitions.erase(std::next(m_definitions.begin(), most_names), m_definitions.end());
        if (!m_definitions.empty())
            drop_those_in_target();
        std::vector<RemovedName> found;
        for (const auto& [name, path] : m_definitions) {
            RemovedName removed;
            removed.name = name;
            find_commit(path, removed);
            for (const auto& use : m_uses.by_name.find(name)->second) {
                removed.path = use.path;
                removed.line = use.line;
                found.push_back(removed);
            }
        }
        std::ranges::sort(found, {}, [](const RemovedName& name) { return std::tie(name.path, name.line, name.name); });
        return found;
    }

private:
    /// Names that a changed file defined and does not mention any more.
    void read_changes() {
        auto& trees = m_repository.trees();
        std::uint64_t bytes = 0;
        for (const auto& change : trees.diff(trees.tree_of_commit(m_base), trees.tree_of_commit(m_target))) {
            const auto language = language_of(change.path);
            if (!m_uses.languages.contains(language) || !is_readable(change.before) || !is_readable(change.after))
                continue;
            stop_point();
            const auto before = read(change.before);
            const auto after = read(change.after);
            bytes += before.size() + after.size();
            if (bytes > most_searched)
                return;
            compare(change.path, language, before, after);
        }
    }

    /// Absence is none of its names.
    bool is_readable(const std::optional<git::TreeEntry>& entry) {
        if (!entry)
            return true;
        const auto header = m_repository.objects().header(entry->id);
        return entry->is_regular() && header && header->size <= largest_file;
    }

    std::string read(const std::optional<git::TreeEntry>& entry) {
        return entry ? m_repository.objects().require(entry->id, git::ObjectType::blob) : std::string();
    }

    void compare(const std::string& path, const std::string& language, const std::string& before,
                 const std::string& after) {
        std::set<std::string_view> gone;
        for_each_word(before, [&](std::string_view word) {
            if (m_wanted.contains(word))
                gone.insert(word);
        });
        for_each_word(after, [&](std::string_view word) {
            if (m_wanted.contains(word)) {
                m_alive.insert(std::string(word));
                gone.erase(word);
            }
        });
        if (gone.empty())
            return;
        const auto lines = split_lines(before);
        for (const auto name : gone)
            if (defining_line(lines, name, language))
                m_definitions.try_emplace(std::string(name), path);
    }

    void drop_those_in_target() {
        std::vector<std::string> arguments{"grep",
                                           "-I",
                                           "-F",
                                           "-w",
                                           "-o",
                                           "-h",
                                           "--color=never",
                                           "--no-line-number",
                                           "--no-column",
                                           "--no-recurse-submodules"};
        for (const auto& [name, path] : m_definitions) {
            arguments.emplace_back("-e");
            arguments.push_back(name);
        }
        arguments.push_back(m_repository.trees().tree_of_commit(m_target).hex());
        arguments.emplace_back("--");
        const auto result = m_repository.program().run(arguments);
        if (result.exit_code > 1) // git cannot look: better no warning than a false one
            m_definitions.clear();
        for (const auto name : split_terminated(result.output, '\n'))
            m_definitions.erase(std::string(name));
    }

    void find_commit(const std::string& path, RemovedName& removed) {
        auto changes = git::path_history(m_repository.program(), m_base, m_target, {path});
        const auto language = language_of(path);
        for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
            if (!change->before || !change->before->is_regular() || (change->after && !change->after->is_regular()))
                continue;
            const auto before = read(change->before);
            const auto after = read(change->after);
            if (!has_word(before, removed.name) || has_word(after, removed.name))
                continue;
            removed.by = change->commit;
            find_new_name(before, after, language, removed);
            return;
        }
    }

    static void find_new_name(const std::string& before, const std::string& after, const std::string& language,
                              RemovedName& removed) {
        const auto lines_before = split_lines(before);
        const auto lines_after = split_lines(after);
        const auto line = defining_line(lines_before, removed.name, language);
        for (const auto& change : git::diff_lines(before, after)) {
            if (!line || *line < change.before.start || *line >= change.before.end())
                continue;
            for (auto now = change.after.start; now < change.after.end() && removed.renamed_to.empty(); ++now)
                removed.renamed_to = replacement_in(lines_before[*line], lines_after[now], removed.name, language);
        }
    }

    git::Repository& m_repository;
    const git::ObjectId& m_base;
    const git::ObjectId& m_target;
    Uses m_uses;
    std::unordered_set<std::string_view> m_wanted;
    std::set<std::string> m_alive;
    std::map<std::string, std::string> m_definitions; ///< name -> the path that defined it
};

} // namespace

std::vector<RemovedName> removed_names(git::Repository& repository, const git::ObjectId& base,
                                       const git::ObjectId& target, const std::vector<AddedLines>& added) {
    auto uses = uses_of(added);
    if (uses.by_name.empty() || base == target || repository.capabilities().partial_clone)
        return {};
    return Search(repository, base, target, std::move(uses)).run();
}

} // namespace carry::merge
