#include "pipeline/blame.hpp"

#include "base/text.hpp"
#include "git/buffers.hpp"
#include "pipeline/describe.hpp"

namespace carry::pipeline {

namespace {

/// Where a range of the later version lies in the earlier one. What was inserted in between lies at one point.
git::LineRange map_back(const std::vector<git::LineChange>& changes, const git::LineRange& range) {
    const auto position = [&](std::size_t line, bool end) {
        std::ptrdiff_t shift = 0;
        for (const auto& change : changes) {
            if (line < change.after.start || (end && line == change.after.start))
                break;
            if (line < change.after.end())
                return end ? change.before.end() : change.before.start;
            shift += static_cast<std::ptrdiff_t>(change.before.count) - static_cast<std::ptrdiff_t>(change.after.count);
        }
        return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(line) + shift);
    };
    const auto start = position(range.start, false);
    const auto end = range.count ? position(range.end(), true) : start;
    return {start, end > start ? end - start : 0};
}

std::string lines_of(std::string_view text, const git::LineRange& range) {
    std::string result;
    const auto lines = split_lines(text);
    for (auto line = range.start; line < range.end() && line < lines.size(); ++line)
        result += lines[line];
    return result;
}

std::optional<CommitRef> as_ref(const std::optional<git::CommitInfo>& info) {
    return info ? std::optional(commit_ref(*info)) : std::nullopt;
}

/// The name by which upstream knew the path at the base.
const std::string& base_path(const merge::PathOutcome& outcome) {
    return outcome.old_path.empty() ? outcome.display_path() : outcome.old_path;
}

} // namespace

Blame::Blame(git::Repository& repository, git::ObjectId base, git::ObjectId tip, std::size_t commits)
    : m_repository(repository), m_base(base), m_tip(tip), m_budget(std::make_shared<merge::SearchBudget>()) {
    m_budget->commits_of_range = commits;
}

merge::LineHistory& Blame::history(const merge::PathOutcome& outcome) {
    const auto& path = base_path(outcome);
    const auto found = m_histories.find(path);
    if (found != m_histories.end())
        return found->second;
    const auto moved =
        outcome.new_path.empty() || outcome.new_path == path || outcome.local_rename ? std::string() : outcome.new_path;
    return m_histories.emplace(path, merge::LineHistory(m_repository, m_base, m_tip, path, moved, m_budget))
        .first->second;
}

git::LineRange Blame::in_base(const merge::PathOutcome& outcome, const git::LineRange& range) {
    auto& trees = m_repository.trees();
    const auto at_base = trees.find(trees.tree_of_commit(m_base), base_path(outcome));
    if (!at_base || !outcome.base || !at_base->is_regular() || at_base->id == outcome.base->id)
        return range;
    auto& store = m_repository.objects();
    const auto changes = git::diff_lines(store.require(at_base->id, git::ObjectType::blob),
                                         store.require(outcome.base->id, git::ObjectType::blob));
    return map_back(changes, range);
}

std::vector<CommitRef> Blame::culprits(const merge::PathOutcome& outcome, const merge::HunkOutcome& hunk) {
    std::vector<CommitRef> refs;
    for (const auto& info : history(outcome).touched(in_base(outcome, hunk.base)))
        refs.push_back(commit_ref(info));
    return refs.empty() ? path_culprits(outcome) : refs;
}

std::vector<CommitRef> Blame::path_culprits(const merge::PathOutcome& outcome) {
    auto info = outcome.upstream ? history(outcome).last_touched() : history(outcome).made_state(std::nullopt);
    if (!info)
        info = history(outcome).last_touched();
    if (!info && outcome.conflict)
        info = obstructor(outcome);
    return info ? std::vector{commit_ref(*info)} : std::vector<CommitRef>{};
}

std::optional<git::CommitInfo> Blame::obstructor(const merge::PathOutcome& outcome) {
    const auto changes = m_repository.trees().diff(m_repository.trees().tree_of_commit(m_base),
                                                   m_repository.trees().tree_of_commit(m_tip));
    const auto is_above = [](const std::string& above, const std::string& below) {
        return below.size() > above.size() && below.starts_with(above) && below[above.size()] == '/';
    };
    const auto& path = outcome.display_path();
    for (const auto& change : changes)
        if (change.after && (is_above(change.path, path) || is_above(path, change.path)))
            return merge::LineHistory(m_repository, m_base, m_tip, change.path, {}, m_budget).last_touched();
    return std::nullopt;
}

std::optional<CommitRef> Blame::taker(const merge::PathOutcome& outcome, const merge::HunkOutcome& hunk) {
    if (!outcome.local || !outcome.local->is_regular())
        return std::nullopt;
    const auto local = m_repository.objects().require(outcome.local->id, git::ObjectType::blob);
    return as_ref(history(outcome).made_equal(in_base(outcome, hunk.base), lines_of(local, hunk.local)));
}

std::optional<CommitRef> Blame::absorber(const merge::PathOutcome& outcome, const merge::HunkOutcome& hunk) {
    if (!outcome.local || !outcome.local->is_regular())
        return std::nullopt;
    if (auto info = taker(outcome, hunk))
        return info;
    const auto touched = history(outcome).touched(in_base(outcome, hunk.base));
    return touched.empty() ? std::nullopt : std::optional(commit_ref(touched.front()));
}

std::optional<CommitRef> Blame::state_maker(const merge::PathOutcome& outcome,
                                            const std::optional<git::TreeEntry>& state) {
    return as_ref(history(outcome).made_state(state));
}

std::optional<CommitRef> Blame::vanisher(const merge::PathOutcome& outcome) {
    return as_ref(history(outcome).made_state(std::nullopt));
}

std::optional<merge::MovedLines> Blame::surroundings(const merge::PathOutcome& outcome, const git::LineRange& range) {
    auto& trees = m_repository.trees();
    if (!m_moves)
        m_moves.emplace(m_repository, trees.tree_of_commit(m_base), trees.tree_of_commit(m_tip));
    auto& store = m_repository.objects();
    const auto text = store.require(outcome.base->id, git::ObjectType::blob);
    const auto upstream = outcome.upstream && outcome.upstream->is_regular()
                              ? store.require(outcome.upstream->id, git::ObjectType::blob)
                              : std::string();
    return m_moves->find(text, upstream, range, outcome.new_path.empty() ? base_path(outcome) : outcome.new_path);
}

std::optional<CommitRef> Blame::deleter(const std::string& path) {
    merge::PathOutcome outcome;
    outcome.old_path = outcome.path = path;
    return vanisher(outcome);
}

} // namespace carry::pipeline
