/// The whole chain onto new ground, away from the checkout: link after link by merge_link().
#pragma once

#include "git/commit.hpp"
#include "git/repository.hpp"
#include "merge/tree_merge.hpp"

#include <carry/words.hpp>

#include <optional>
#include <string>
#include <vector>

namespace carry::merge {

struct ChainLink {
    Layer layer = Layer::commit;
    git::ObjectId commit;        ///< of a commit link
    git::ObjectId before, after; ///< trees
    std::string label;           ///< for conflict markers: "1a2b3c4 Fix the scale", "staged", …
    std::string parked_name;     ///< where it was parked before and is tried again
    /// Set for the net change of a history that is merged instead of rebased: parents of the merge commit to make.
    std::vector<git::ObjectId> merge_parents;
    std::string merge_message;
};

/// What happens at a conflict.
enum class ConflictMode {
    set_aside, ///< the unit (a whole commit; a path's staged and unstaged change together) stays out, later links on
               ///< the same paths too
    halt, ///< the first commit in conflict ends the walk: it is the last of `links`; the uncommitted layers all go in,
          ///< with their conflicts
};

struct LinkOutcome {
    ChainLink link;
    LinkMerge merge;
    git::ObjectId new_commit;              ///< null: dropped (absorbed), set aside, or no commit link
    bool dropped = false;                  ///< a commit of which nothing is left: upstream has it all
    bool set_aside = false;                ///< whole link (commit)
    std::set<std::string> set_aside_paths; ///< uncommitted layers
    std::string needs; ///< set aside only because an earlier link on the same paths was: that link's label
};

struct RebasedChain {
    std::vector<LinkOutcome> links; ///< as many as were walked
    bool halted = false;            ///< at a commit in conflict (halt mode)
    git::ObjectId head;             ///< the new HEAD commit
    git::ObjectId head_tree, staged_tree, unstaged_tree, untracked_tree;
    PathMap map; ///< for what comes later (continue)
    [[nodiscard]] bool clean() const;
};

struct RebaseInput {
    git::ObjectId base; ///< commit (or null with `before_tree` of the first link)
    git::ObjectId onto; ///< commit
    std::vector<ChainLink> links;
    ConflictMode mode = ConflictMode::set_aside;
    git::MergeOptions markers;
    RuleSet rules; ///< those that decide
    /// "Name <mail> seconds zone" for rebased commits; empty: each keeps its own committer.
    std::string committer;
    std::optional<PathMap> map; ///< continue: the map so far
    /// As in LinkMergeInput, told the link's layer.
    std::function<std::optional<git::ObjectId>(Layer layer, const GitlinkSides& sides)> gitlinks = {};
    ResolutionMemory* resolutions = nullptr; ///< what was decided before; may be null
};

/// Rebased commits keep author, message bytes and encoding; signatures (gpgsig) are dropped (the caller signs). A
/// commit whose parent and tree are already right keeps its id, so that nothing to do changes nothing.
RebasedChain rebase_chain(git::Repository& repository, const RebaseInput& input);

} // namespace carry::merge
