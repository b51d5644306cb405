/// What is changed in a checkout, complete: no path is ever cut short.
#pragma once

#include "git/program.hpp"
#include "git/tree.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carry::snapshot {

/// One tracked path that differs somewhere. Renames are not paired here: a rename is a removal and an addition.
struct StatusEntry {
    std::string path;
    char index = '.';    ///< HEAD -> index: '.', M, T, A, D
    char worktree = '.'; ///< index -> working tree: '.', M, T, A (intent-to-add), D
    std::optional<git::TreeEntry> head_entry;
    std::optional<git::TreeEntry> index_entry; ///< nothing for an intent-to-add entry
    std::uint32_t worktree_mode = 0;           ///< git's mode of the file on disk; 0: missing
    std::string submodule;                     ///< "N..." or "S<c><m><u>", as porcelain v2 has it
    [[nodiscard]] bool intent_to_add() const noexcept { return worktree == 'A'; }
};

struct UnmergedStatus {
    std::string path;
    std::optional<git::TreeEntry> base, ours, theirs;
    std::uint32_t worktree_mode = 0;
};

struct Status {
    std::vector<StatusEntry> entries;
    std::vector<UnmergedStatus> unmerged;
    std::vector<std::string> untracked; ///< files; never ignored ones
    std::vector<std::string> nested;    ///< untracked directories that are repositories ("dir/")
    [[nodiscard]] bool clean() const { return entries.empty() && unmerged.empty() && untracked.empty(); }
};

/// By `git status --porcelain=v2 -z --no-renames --untracked-files=all`, right everywhere.
Status scan_with_git(const git::Program& program);

} // namespace carry::snapshot
