/// The effective settings of one command, after command line, --config file, git configuration and .carry.yaml.
#pragma once

#include <carry/rules.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carry {

enum class OnConflict { stop, mark, park };
enum class Integrate { automatic, rebase, merge };
enum class ConflictMarkers { merge, diff3, zdiff3 };

struct Settings {
    OnConflict on_conflict = OnConflict::stop;
    Integrate integrate = Integrate::automatic;
    std::optional<std::string> to;            ///< upgrade to this revision instead of the upstream branch's tip
    std::optional<std::string> base;          ///< what the local changes sit on, where history does not tell
    std::optional<std::string> upstream;      ///< "origin/main", where the branch has none configured
    std::vector<std::string> verify;          ///< shell commands; each must exit 0 on the new state
    bool offline = false;                     ///< no fetch
    std::size_t keep_runs = 30;               ///< retention; counts runs that changed the checkout
    std::size_t untracked_max_files = 10'000; ///< budget for recording untracked files
    std::uint64_t untracked_max_bytes = 1ULL << 30;
    std::uint64_t in_the_way_limit = 1ULL << 30; ///< bytes; a larger file in upstream's way is a conflict
    unsigned fetch_stall_seconds = 120;
    bool hooks = true;           ///< run post-checkout, post-merge and post-rewrite as git does
    unsigned hook_seconds = 300; ///< a hook that takes longer is ended; 0: never
    ConflictMarkers markers = ConflictMarkers::zdiff3;
    bool resolutions = true;             ///< use and remember what conflicts were resolved to
    RuleSet rules = RuleSet::defaults(); ///< that decide what three-way merging leaves in conflict
    bool program_objects = false;        ///< use git's object store even where libgit2's would do (for tests)
};

} // namespace carry
