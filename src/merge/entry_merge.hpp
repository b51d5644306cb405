/// One path's three versions, merged: modes, kinds, contents.
#pragma once

#include "git/repository.hpp"
#include "merge/merge_driver.hpp"
#include "merge/resolution.hpp"
#include "merge/text_merge.hpp"
#include "merge/tree_merge.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carry::merge {

/// Larger files get no hunks where only one side changed them: nobody reads them, and reading them takes time.
inline constexpr std::uint64_t hunk_size_limit = std::uint64_t{32} << 20;

struct EntryMergeInput {
    std::string path; ///< in the new world: drivers and messages go by it
    std::optional<git::TreeEntry> base;
    git::TreeEntry upstream;
    git::TreeEntry local;
    MergeDriver driver = {};
    git::MergeOptions markers = {};
    RuleSet rules = {};                      ///< those that decide
    const GitlinkMerger* gitlinks = nullptr; ///< none: submodules that both sides moved are in conflict
    ResolutionMemory* resolutions = nullptr; ///< what was decided before; may be null
};

/// Either `merged` or `conflict` is set.
struct EntryMergeResult {
    std::optional<git::TreeEntry> merged;
    std::optional<Conflict> conflict;
    std::vector<HunkOutcome> hunks;
    bool binary = false;
    std::string note;
};

/// True where both sides changed the contents of a regular file, differently: only then is a driver asked for.
bool needs_driver(const std::optional<git::TreeEntry>& base, const git::TreeEntry& upstream,
                  const git::TreeEntry& local);

EntryMergeResult merge_entries(git::Repository& repository, const EntryMergeInput& input);

/// Hunks of a change that upstream left alone, or has whole, or cannot take; nothing for binary and very large files.
/// Either version may be absent.
struct EntryHunks {
    std::vector<HunkOutcome> hunks;
    bool binary = false;
    std::string note; ///< "only its line endings differ": then it has no hunks
};
EntryHunks entry_hunks(git::Repository& repository, const std::optional<git::TreeEntry>& base,
                       const std::optional<git::TreeEntry>& local, Fate fate);

} // namespace carry::merge
