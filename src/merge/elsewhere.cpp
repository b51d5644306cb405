#include "merge/elsewhere.hpp"

#include "base/text.hpp"
#include "git/buffers.hpp"
#include "merge/line_tracking.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace carry::merge {

namespace {

constexpr std::uint64_t k_largest_file = 1U << 20U;
constexpr std::uint64_t k_budget = 32U << 20U;
/// Letters and digits: a shorter line stands in many places by chance, and so does a shorter block.
constexpr std::size_t k_telling_line = 8;
constexpr std::size_t k_telling_block = 24;
/// This much of a block makes a version of it.
constexpr double k_version = 0.7;

std::optional<std::string> text_of(git::Repository& repository, const std::optional<git::TreeEntry>& entry) {
    if (!entry)
        return std::string();
    if (!entry->is_regular())
        return std::nullopt;
    const auto header = repository.objects().header(entry->id);
    if (!header || header->size > k_largest_file)
        return std::nullopt;
    auto bytes = repository.objects().require(entry->id, git::ObjectType::blob);
    if (git::is_binary(bytes))
        return std::nullopt;
    return bytes;
}

} // namespace

UpstreamAdditions::UpstreamAdditions(git::Repository& repository, const git::ObjectId& base_tree,
                                     const git::ObjectId& upstream_tree)
    : m_repository(repository), m_base(base_tree), m_upstream(upstream_tree) {}

void UpstreamAdditions::read_changes() {
    if (m_changes)
        return;
    m_changes = m_repository.trees().diff(m_base, m_upstream);
    std::erase_if(*m_changes,
                  [](const git::TreeChange& change) { return !change.after || !change.after->is_regular(); });
}

void UpstreamAdditions::add_lines_of(std::size_t file, const std::string& before, const std::string& after) {
    const auto lines = split_lines(after);
    for (const auto& change : git::diff_lines(before, after))
        for (auto line = change.after.start; line < change.after.end() && line < lines.size(); ++line)
            if (const auto text = trim(lines[line]); letters_of(text) >= k_telling_line)
                m_lines[std::string(text)].push_back({file, line});
}

void UpstreamAdditions::read_lines() {
    read_changes();
    if (m_lines_read)
        return;
    m_lines_read = true;
    std::uint64_t read = 0;
    for (std::size_t file = 0; file < m_changes->size() && read < k_budget; ++file) {
        const auto& change = (*m_changes)[file];
        const auto after = text_of(m_repository, change.after);
        const auto before = text_of(m_repository, change.before);
        if (!after || !before)
            continue;
        read += after->size() + before->size();
        add_lines_of(file, *before, *after);
    }
}

std::optional<ElsewhereBlock> UpstreamAdditions::find_block(const std::vector<std::string_view>& block,
                                                            const std::string& except) {
    std::set<std::string> wanted;
    std::size_t letters = 0;
    for (const auto line : block)
        if (const auto text = trim(line); letters_of(text) >= k_telling_line && wanted.emplace(text).second)
            letters += letters_of(text);
    if (letters < k_telling_block)
        return std::nullopt;
    read_lines();
    struct Found {
        std::size_t lines = 0;
        std::size_t first = 0;
    };
    std::map<std::size_t, Found> by_file;
    for (const auto& text : wanted) {
        const auto places = m_lines.find(text);
        if (places == m_lines.end())
            continue;
        std::size_t last_file = m_changes->size();
        for (const auto& place : places->second) {
            auto& found = by_file[place.file];
            found.first = found.lines == 0 ? place.line : std::min(found.first, place.line);
            found.lines += place.file == last_file ? 0U : 1U; // places of one file stand together
            last_file = place.file;
        }
    }
    std::optional<ElsewhereBlock> best;
    std::size_t most = 0;
    for (const auto& [file, found] : by_file) {
        const auto& path = (*m_changes)[file].path;
        const auto share = static_cast<double>(found.lines) / static_cast<double>(wanted.size());
        if (path == except || found.lines <= most || share < k_version)
            continue;
        most = found.lines;
        best = {path, found.first, found.lines == wanted.size()};
    }
    return best;
}

std::optional<std::string> UpstreamAdditions::find_file(const git::ObjectId& blob, const std::string& except) {
    read_changes();
    const auto header = m_repository.objects().header(blob);
    if (!header || header->size == 0)
        return std::nullopt;
    for (const auto& change : *m_changes)
        if (!change.before && change.path != except && change.after->id == blob)
            return change.path;
    return std::nullopt;
}

} // namespace carry::merge
