/// Who did it: the upstream commits that touched given lines, absorbed a hunk, or deleted or renamed a path.
#pragma once

#include "git/buffers.hpp"
#include "git/history.hpp"
#include "git/repository.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

/// What the search may cost a run, all paths together, counted in work so that equal runs give equal reports: half a
/// minute or so where it is used up. From then on nothing more is looked up.
struct SearchBudget {
    std::size_t commits = 1'000'000;           ///< walked by git, for each path again
    std::size_t visits = 1'000'000;            ///< of a range of lines to a commit that touched its path
    std::size_t bytes = std::size_t{1} << 30U; ///< compared
    std::size_t commits_of_range = 0;          ///< base..tip: what a walk costs
    bool exhausted = false;

    /// Takes `amount` of one of the above; false where there is not that much.
    bool spend(std::size_t& what, std::size_t amount);
};

/// Follows lines of one path from base to tip through every commit between that touched it (`git log` of the path,
/// simplified as git does; a rename is followed to `new_path`). History is read once, on first use, and so is each
/// difference; keep one for each path. The repository must outlive it. Looks at the first 5,000 changes of a path and
/// passes over blobs of more than 16 MiB: then it answers what it knows. Without a budget it has one of its own.
class LineHistory {
public:
    LineHistory(git::Repository& repository, git::ObjectId base, git::ObjectId tip, std::string path,
                std::string new_path = {}, std::shared_ptr<SearchBudget> budget = {});
    ~LineHistory();
    LineHistory(LineHistory&&) noexcept;

    /// Commits (not merges, unless the merge itself changed them) that changed lines of `range` or inserted at its
    /// edge, 0-based in base's version; an empty range: that inserted there. Newest first.
    std::vector<git::CommitInfo> touched(git::LineRange range);
    /// The commit since which the lines that base's `range` became equal `text` (the local hunk's new lines; empty:
    /// they are gone); where that did not last, the first one. Nothing where none does.
    std::optional<git::CommitInfo> made_equal(git::LineRange range, std::string_view text);
    /// The commit since which the path has this entry (or, with nothing, is gone); where that did not last, the first
    /// one.
    std::optional<git::CommitInfo> made_state(const std::optional<git::TreeEntry>& state);
    /// Newest commit that touched the path at all.
    std::optional<git::CommitInfo> last_touched();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace carry::merge
