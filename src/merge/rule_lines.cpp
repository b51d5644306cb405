#include "merge/chunk_text.hpp"
#include "merge/rule_functions.hpp"
#include "merge/sequence_diff.hpp"

#include <algorithm>

namespace carry::merge {

namespace {

/// Lines that are less alike than this may be other lines, not a new version of them …
constexpr double sure_likeness = 0.75;
/// … and from here on they may be one.
constexpr double possible_likeness = 0.6;
/// Pairs of lines to compare before a rule would rather be silent.
constexpr std::size_t most_pairs = 4000;

/// For each item: is it within the changed part of its side?
std::vector<bool> changed(const std::vector<git::LineChange>& changes, git::LineRange git::LineChange::*side,
                          std::size_t size) {
    std::vector<bool> result(size, false);
    for (const auto& change : changes)
        std::fill_n(result.begin() + static_cast<std::ptrdiff_t>((change.*side).start), (change.*side).count, true);
    return result;
}

/// As many lines as before, and each hunk a new version of the lines that it replaces.
bool rewrites_lines(const Items& base, const Items& side, const std::vector<git::LineChange>& changes) {
    return !changes.empty() && std::ranges::all_of(changes, [&](const git::LineChange& change) {
        return change.before.count == change.after.count &&
               likeness(bytes_of(items_of(base, change.before)), bytes_of(items_of(side, change.after))) >=
                   sure_likeness;
    });
}

/// What `inner` took away, `outer` may have kept in another version.
bool may_rewrite_what_is_gone(const Items& base, const Items& outer, const Items& inner) {
    const auto gone = changed(diff_sequences(base, inner), &git::LineChange::before, base.size());
    const auto added = changed(diff_sequences(base, outer), &git::LineChange::after, outer.size());
    const auto not_in_inner = changed(diff_sequences(inner, outer), &git::LineChange::after, outer.size());
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < base.size(); ++i) {
        if (!gone[i] || !has_word(base[i]))
            continue;
        for (std::size_t k = 0; k < outer.size(); ++k)
            if (added[k] && not_in_inner[k] &&
                (++pairs > most_pairs || likeness(base[i], outer[k]) >= possible_likeness))
                return true;
    }
    return false;
}

RuleResult side_that_holds(const Items& base, const Items& outer, const Items& inner) {
    if (!holds_change(base, outer, inner, has_word) || may_rewrite_what_is_gone(base, outer, inner))
        return std::nullopt;
    return bytes_of(outer);
}

} // namespace

bool holds_change(const Items& base, const Items& outer, const Items& inner, bool (*counts)(std::string_view)) {
    const auto made = diff_sequences(base, inner);
    const auto added = changed(made, &git::LineChange::after, inner.size());
    const auto removed = changed(made, &git::LineChange::before, base.size());
    const auto gone = changed(diff_sequences(base, outer), &git::LineChange::before, base.size());
    const auto lacking = changed(diff_sequences(inner, outer), &git::LineChange::before, inner.size());
    for (std::size_t i = 0; i < base.size(); ++i)
        if (removed[i] && !gone[i])
            return false;
    bool any = false;
    for (std::size_t i = 0; i < inner.size(); ++i) {
        if (added[i] && lacking[i])
            return false;
        any = any || (added[i] && counts(inner[i]));
    }
    return any;
}

RuleResult rule_absorbed(const ConflictLines& conflict) {
    return side_that_holds(conflict.base, conflict.upstream, conflict.local);
}

RuleResult rule_includes(const ConflictLines& conflict) {
    return side_that_holds(conflict.base, conflict.local, conflict.upstream);
}

RuleResult rule_adjacent_lines(const ConflictLines& conflict) {
    const auto upstream = diff_sequences(conflict.base, conflict.upstream);
    const auto local = diff_sequences(conflict.base, conflict.local);
    if (!rewrites_lines(conflict.base, conflict.upstream, upstream) ||
        !rewrites_lines(conflict.base, conflict.local, local))
        return std::nullopt;
    // every line keeps its place on both sides, so that a merge is a choice line by line
    std::string bytes;
    for (std::size_t i = 0; i < conflict.base.size(); ++i) {
        const bool by_upstream = conflict.upstream[i] != conflict.base[i];
        if (by_upstream && conflict.local[i] != conflict.base[i])
            return std::nullopt;
        bytes += by_upstream ? conflict.upstream[i] : conflict.local[i];
    }
    return bytes;
}

RuleResult rule_common_ends(const ConflictLines& conflict) {
    const auto& upstream = conflict.upstream;
    const auto& local = conflict.local;
    const auto& shorter = upstream.size() < local.size() ? upstream : local;
    const auto& longer = upstream.size() < local.size() ? local : upstream;
    const auto head = std::ranges::mismatch(shorter, longer).in1 - shorter.begin();
    const auto tail = std::mismatch(shorter.rbegin(), shorter.rend() - head, longer.rbegin()).first - shorter.rbegin();
    const bool nothing_else = static_cast<std::size_t>(head + tail) == shorter.size();
    if (!nothing_else || std::ranges::none_of(shorter, has_word))
        return std::nullopt;
    return bytes_of(longer);
}

RuleResult rule_both_items(const ConflictLines& conflict) {
    if (!conflict.base.empty() || conflict.upstream.empty() || conflict.local.empty())
        return std::nullopt;
    return bytes_of(conflict.upstream) + bytes_of(conflict.local);
}

} // namespace carry::merge
