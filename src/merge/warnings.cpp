#include "merge/warnings.hpp"

#include "base/text.hpp"
#include "git/buffers.hpp"
#include "merge/enclosing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

bool is_part_of(const std::vector<std::string>& some, const std::vector<std::string>& all) {
    auto next = all.begin();
    return std::ranges::all_of(some, [&](const auto& name) {
        next = std::find(next, all.end(), name);
        return next != all.end() && next++ != all.end();
    });
}

void warn_of_other_block(const Sides& sides, const HunkOutcome& hunk, std::vector<MergeWarning>& warnings) {
    const bool removes = hunk.local.count == 0;
    if (removes && !hunk.upstream)
        return;
    const auto& lines_then = removes ? sides.base : sides.local;
    const auto& lines_now = removes ? sides.upstream : sides.merged;
    auto at_then = removes ? hunk.base.start : hunk.local.start;
    auto at_now = removes ? hunk.upstream->start : hunk.result->start;
    for (auto count = hunk.local.count; count > 1 && trim(lines_then[at_then]).empty(); --count) {
        ++at_then;
        ++at_now;
    }
    const auto then = enclosing_blocks(lines_then, at_then);
    const auto now = enclosing_blocks(lines_now, at_now);
    // A level more or less around it is the same place; and where its old place is gone, it was renamed.
    if (then.empty() || is_part_of(then, now) || is_part_of(now, then) || !has_block(lines_now, then))
        return;
    const auto differs = std::mismatch(then.begin(), then.end(), now.begin(), now.end());
    warnings.push_back(
        {"other-function", hunk.result->start + 1,
         fmt::format("the change was made in {} and landed in {}", quoted(*differs.first), quoted(*differs.second))});
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
        if (hunk.fate == Fate::absorbed || hunk.fate == Fate::resolved || !hunk.result)
            continue;
        if (only_inserts(hunk))
            warn_of_duplicate(sides, hunk, warnings);
        warn_of_other_block(sides, hunk, warnings);
    }
    return warnings;
}

} // namespace carry::merge
