/// Three trees, merged on the paths that one link of the chain touches. All else is the new side's tree.
#pragma once

#include "git/index.hpp"
#include "git/repository.hpp"
#include "merge/renames.hpp"
#include "merge/resolution.hpp"
#include "merge/text_merge.hpp"

#include <carry/words.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace carry::merge {

/// A conflict on one path, with all that `mark` needs.
struct Conflict {
    ConflictKind kind = ConflictKind::content;
    git::UnmergedEntry stages; ///< base, ours (upstream), theirs (local)
    /// What belongs in the working tree while it waits: a blob with markers, or one whole side; nothing: no file (in a
    /// directory_file conflict: what upstream has there stays).
    std::optional<git::TreeEntry> marked;
    std::string message;            ///< one sentence, paths quoted
    unsigned short marker_size = 7; ///< of the markers in `marked`
};

/// What became of one path of a link.
struct PathOutcome {
    std::string old_path; ///< in the link's parent; empty: the link adds it
    std::string path;     ///< in the link; empty: the link deletes it
    /// Where it is now; empty: gone. In a conflict: the path whose stages and marked file these are.
    std::string new_path;
    std::optional<git::TreeEntry> base, local, upstream; ///< the three versions
    std::optional<git::TreeEntry> merged;                ///< nothing: deleted, or in conflict
    Fate fate = Fate::kept;                              ///< summed up from the hunks
    std::vector<HunkOutcome> hunks;                      ///< of text files
    bool binary = false;
    bool local_rename = false;
    std::optional<bool> generated; ///< what its attributes say, where they were asked
    std::optional<Conflict> conflict;
    std::string needs; ///< label of the earlier link that it was passed over for
    std::string note;  ///< "upstream renamed it", "its directory was renamed upstream" …
    /// "modified", "added", "deleted", "renamed", "mode", "type", "binary", "submodule"
    [[nodiscard]] std::string change() const;
    /// The path by which a person knows it.
    [[nodiscard]] const std::string& display_path() const { return path.empty() ? old_path : path; }
};

struct LinkMerge {
    /// The new tree: what merged cleanly is in; a path in conflict has the new side's version there. Sorted by the
    /// path in the link; what was passed over is not among `paths`.
    git::ObjectId tree;
    std::vector<PathOutcome> paths;
    [[nodiscard]] bool clean() const;
};

/// A submodule that both sides moved, to different commits.
struct GitlinkSides {
    std::string path;
    git::ObjectId base, upstream, local;
};
/// The commit that has both sides in it; nothing: they are in conflict. The merge itself cannot look into submodules.
using GitlinkMerger = std::function<std::optional<git::ObjectId>(const GitlinkSides& sides)>;

struct LinkMergeInput {
    git::ObjectId before;   ///< the link's parent tree
    git::ObjectId after;    ///< the link's own tree
    git::ObjectId onto;     ///< the tree it lands on
    PathMap* map = nullptr; ///< old world -> new world; the link's own renames and additions are added
    std::set<std::string>* left_out = nullptr; ///< paths (in the link) to pass over; may be null
    git::MergeOptions markers;                 ///< labels and style
    RuleSet rules;                             ///< those that decide
    GitlinkMerger gitlinks = {};               ///< none: submodules that both sides moved are in conflict
    ResolutionMemory* resolutions = nullptr;   ///< what was decided before; may be null
};

/// Merge attributes (`merge`, `binary`, `-merge`, `union`) are asked of git for the paths that both sides changed.
/// Rename detection of the link's own renames is git's (only where the link both removes and adds paths).
LinkMerge merge_link(git::Repository& repository, const LinkMergeInput& input);

} // namespace carry::merge
