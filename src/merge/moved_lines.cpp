#include "merge/moved_lines.hpp"

#include "base/text.hpp"
#include "merge/line_tracking.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace carry::merge {

namespace {

constexpr std::size_t most_files = 1000;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
/// Lines before and after a hunk that are its surroundings: the more of them went along the better, but a short
/// function that was taken out of its neighbours has few.
constexpr std::array<std::size_t, 4> surroundings = {5, 3, 2, 1};
/// Fewer letters and digits than this say nothing: "}" and "return 0;" stand everywhere.
constexpr std::size_t telling = 20;

std::set<std::string_view> trimmed_lines(std::string_view text) {
    std::set<std::string_view> lines;
    for (const auto line : split_lines(text))
        lines.insert(trim(line));
    return lines;
}

} // namespace

MoveSearch::MoveSearch(git::Repository& repository, git::ObjectId base_tree, git::ObjectId upstream_tree)
    : m_repository(repository), m_base_tree(base_tree), m_upstream_tree(upstream_tree) {}

MoveSearch::Lines MoveSearch::new_lines(const git::TreeEntry& after, const std::optional<git::TreeEntry>& before) {
    auto& store = m_repository.objects();
    const auto bytes = [&](const git::TreeEntry& entry) {
        const auto header = store.header(entry.id);
        if (!header || header->size > most_bytes)
            return std::string();
        auto text = store.require(entry.id, git::ObjectType::blob);
        return git::is_binary(text) ? std::string() : text;
    };
    const auto old_text = before && before->is_regular() ? bytes(*before) : std::string();
    const auto old_lines = trimmed_lines(old_text);
    const auto text = bytes(after);
    Lines lines;
    std::size_t number = 0;
    for (const auto whole : split_lines(text)) {
        ++number;
        const auto line = trim(whole);
        if (letters_of(line) > 0 && !old_lines.contains(line))
            lines.try_emplace(std::string(line), number);
    }
    return lines;
}

void MoveSearch::load() {
    if (m_loaded)
        return;
    m_loaded = true;
    for (const auto& change : m_repository.trees().diff(m_base_tree, m_upstream_tree)) {
        if (m_files.size() >= most_files)
            return;
        if (change.after && change.after->is_regular())
            m_files.emplace(change.path, new_lines(*change.after, change.before));
    }
}

std::optional<MovedLines> MoveSearch::find(std::string_view text, std::string_view upstream_text,
                                           const git::LineRange& range, std::string_view path) {
    const auto lines = split_lines(text);
    const auto still_there = trimmed_lines(upstream_text);
    for (const auto around : surroundings) {
        std::set<std::string_view> gone;
        std::size_t letters = 0;
        const auto end = std::min(range.end() + around, lines.size());
        for (auto i = range.start - std::min(range.start, around); i < end; ++i) {
            const auto line = trim(lines[i]);
            if (letters_of(line) > 0 && !still_there.contains(line) && gone.insert(line).second)
                letters += letters_of(line);
        }
        if (gone.size() < 2 || letters < telling)
            continue;
        if (auto place = best_place(gone, path))
            return place;
    }
    return std::nullopt;
}

std::optional<MovedLines> MoveSearch::best_place(const std::set<std::string_view>& gone, std::string_view path) {
    load();
    std::optional<MovedLines> best;
    std::size_t most = 0;
    for (const auto& [candidate, there] : m_files) {
        if (candidate == path)
            continue;
        std::size_t found = 0;
        std::size_t first = 0;
        for (const auto& line : gone) {
            const auto at = there.find(line);
            if (at == there.end())
                continue;
            ++found;
            first = first == 0 ? at->second : std::min(first, at->second);
        }
        // most of them, not counting the very line that a refactoring may have touched on its way
        if (found < 2 || found * 2 <= gone.size() || found <= most)
            continue;
        most = found;
        best = MovedLines{candidate, first};
    }
    return best;
}

} // namespace carry::merge
