#include "merge/warnings.hpp"

#include "base/text.hpp"
#include "git/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

namespace carry::merge {

namespace {

using Lines = std::vector<std::string_view>;

/// Of two blocks' words this much must be shared for one to be taken for a version of the other.
constexpr double k_alike = 0.7;
/// Fewer letters and digits than this say nothing: "}" and "return 0;" stand everywhere.
constexpr std::size_t k_telling = 24;

std::set<std::string> words_of(const Lines& lines, const git::LineRange& range) {
    std::set<std::string> words;
    std::string word;
    const auto flush = [&] {
        if (!word.empty())
            words.insert(std::move(word));
        word.clear();
    };
    for (auto line = range.start; line < range.end() && line < lines.size(); ++line) {
        for (const char c : lines[line])
            if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
                word += c;
            else
                flush();
        flush();
    }
    return words;
}

std::size_t letters_of(const std::set<std::string>& words) {
    std::size_t letters = 0;
    for (const auto& word : words)
        letters += word.size();
    return letters;
}

double likeness(const std::set<std::string>& a, const std::set<std::string>& b) {
    const auto shared =
        static_cast<double>(std::count_if(a.begin(), a.end(), [&](const auto& word) { return b.count(word) != 0; }));
    return shared / static_cast<double>(std::max(a.size(), b.size()));
}

/// The line that git's hunk header would show for `line`: the nearest one above that starts with a letter, `_` or `$`.
std::optional<std::string_view> function_above(const Lines& lines, std::size_t line) {
    for (auto i = std::min(line, lines.size()); i-- > 0;) {
        const auto text = trim(lines[i]);
        const auto first = lines[i].empty() ? ' ' : lines[i].front();
        if (!text.empty() && (std::isalpha(static_cast<unsigned char>(first)) || first == '_' || first == '$'))
            return text;
    }
    return std::nullopt;
}

/// What a function is called, without its parameters: "def alpha(queue):" and "def alpha():" are one.
std::string_view name_of_function(std::string_view line) {
    return trim(line.substr(0, line.find_first_of("({:=")));
}

bool only_inserts(const HunkOutcome& hunk) {
    return hunk.base.count == 0;
}

struct Sides {
    Lines base, upstream, local, merged;
    std::vector<git::LineChange> upstream_changes;
};

void warn_of_duplicate(const Sides& sides, const HunkOutcome& hunk, std::vector<MergeWarning>& warnings) {
    const auto ours = words_of(sides.local, hunk.local);
    if (letters_of(ours) < k_telling)
        return;
    for (const auto& change : sides.upstream_changes) {
        const auto theirs = words_of(sides.upstream, change.after);
        // What is replaced on both sides was there before: only what upstream put where nothing like it stood counts.
        if (letters_of(theirs) < k_telling || likeness(ours, theirs) < k_alike ||
            likeness(theirs, words_of(sides.base, change.before)) >= k_alike)
            continue;
        const bool same = ours == theirs;
        warnings.push_back({"duplicate-block", hunk.result->start + 1,
                            fmt::format("{} stands twice now: upstream added {} at its line {}",
                                        same ? "the block" : "much the same block", same ? "it" : "a version of it",
                                        change.after.start + 1)});
        return;
    }
}

void warn_of_other_function(const Sides& sides, const HunkOutcome& hunk, std::vector<MergeWarning>& warnings) {
    const auto then = function_above(sides.local, hunk.local.start);
    const auto now = function_above(sides.merged, hunk.result->start);
    if (!then || !now || name_of_function(*then) == name_of_function(*now))
        return;
    // Where upstream only renamed the function, its old name is gone: the place is right.
    const bool still_there = std::any_of(sides.merged.begin(), sides.merged.end(), [&](std::string_view line) {
        return name_of_function(trim(line)) == name_of_function(*then);
    });
    if (still_there)
        warnings.push_back({"other-function", hunk.result->start + 1,
                            fmt::format("the change was made in {} and landed in {}", quoted(name_of_function(*then)),
                                        quoted(name_of_function(*now)))});
}

} // namespace

std::vector<MergeWarning> suspicious(std::string_view base, std::string_view upstream, std::string_view local,
                                     const TextMerge& merged) {
    std::vector<MergeWarning> warnings;
    if (!merged.clean || base == upstream || base == local)
        return warnings;
    const Sides sides{split_lines(base), split_lines(upstream), split_lines(local), split_lines(merged.bytes),
                      git::diff_lines(base, upstream)};
    for (const auto& hunk : merged.hunks) {
        if (hunk.fate == Fate::absorbed || !hunk.result || hunk.local.count == 0)
            continue;
        if (only_inserts(hunk))
            warn_of_duplicate(sides, hunk, warnings);
        warn_of_other_function(sides, hunk, warnings);
    }
    return warnings;
}

} // namespace carry::merge
