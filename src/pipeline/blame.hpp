/// Upstream's part in what became of a patch: line histories, one for each path, in the words of the report.
#pragma once

#include "merge/culprit.hpp"
#include "merge/moved_lines.hpp"
#include "merge/tree_merge.hpp"

#include <carry/report.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carry::pipeline {

class Blame {
public:
    /// `commits`: how many there are from base to tip.
    Blame(git::Repository& repository, git::ObjectId base, git::ObjectId tip, std::size_t commits);

    /// The search was cut short, so some commits are not named.
    [[nodiscard]] bool is_cut_short() const noexcept { return m_budget->exhausted; }

    /// Upstream commits that touched the lines of a hunk, newest first.
    std::vector<CommitRef> culprits(const merge::PathOutcome& outcome, const merge::HunkOutcome& hunk);
    /// For a conflict without lines (binary, deleted, both added): who made upstream's side what it is.
    std::vector<CommitRef> path_culprits(const merge::PathOutcome& outcome);
    /// The commit that absorbed a hunk.
    std::optional<CommitRef> absorber(const merge::PathOutcome& outcome, const merge::HunkOutcome& hunk);
    /// The commit with which upstream had a hunk's very lines, whatever became of them.
    std::optional<CommitRef> taker(const merge::PathOutcome& outcome, const merge::HunkOutcome& hunk);
    /// The commit after which upstream has this entry at the path.
    std::optional<CommitRef> state_maker(const merge::PathOutcome& outcome, const std::optional<git::TreeEntry>& state);
    /// The commit that deleted or renamed the path.
    std::optional<CommitRef> vanisher(const merge::PathOutcome& outcome);
    std::optional<CommitRef> deleter(const std::string& path);
    /// Where upstream took the lines in and around a hunk of the version that the change was made on.
    std::optional<merge::MovedLines> surroundings(const merge::PathOutcome& outcome, const git::LineRange& range);

private:
    /// Who put something where the path has no room beside it: a directory for a file, a file for a directory.
    std::optional<git::CommitInfo> obstructor(const merge::PathOutcome& outcome);
    merge::LineHistory& history(const merge::PathOutcome& outcome);
    /// A range in the version a link was made on, as lines of the base commit's version: local links before it have
    /// shifted them.
    git::LineRange in_base(const merge::PathOutcome& outcome, const git::LineRange& range);

    git::Repository& m_repository;
    git::ObjectId m_base, m_tip;
    std::shared_ptr<merge::SearchBudget> m_budget;
    std::map<std::string, merge::LineHistory> m_histories;
    std::optional<merge::MoveSearch> m_moves;
};

} // namespace carry::pipeline
