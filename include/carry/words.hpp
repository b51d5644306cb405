/// The words of the trade, as enumerations shared by every layer and by the reports.
#pragma once

#include <string_view>

namespace carry {

/// Where a carried patch lives. Layers are re-applied in this order, each on the result of the one before.
enum class Layer {
    commit,    ///< a local commit
    staged,    ///< in the index, not in HEAD
    unstaged,  ///< in the working tree, not in the index (intent-to-add files too)
    untracked, ///< unknown to git, not ignored
    ignored,   ///< ignored, and in upstream's way
};
std::string_view to_string(Layer layer);

/// What became of a hunk, and, summed up, of a patch.
enum class Fate {
    kept,     ///< as it was, on the same or on other lines
    moved,    ///< in another file, or its surroundings went elsewhere
    merged,   ///< upstream changed the lines next to it, or part of it; both changes are in
    absorbed, ///< upstream has it already
    resolved, ///< a recorded resolution or a named rule decided
    conflict, ///< both sides changed the same lines
    parked,   ///< set aside, to be tried again
};
std::string_view to_string(Fate fate);

/// Kinds of conflict, as the report names them.
enum class ConflictKind {
    content,          ///< both changed the same lines
    binary,           ///< both changed a file that is never merged as text
    both_added,       ///< both added the path with other contents
    deleted_upstream, ///< upstream deleted what is changed here
    deleted_here,     ///< deleted (or removed from tracking) here, changed upstream
    renamed_twice,    ///< both renamed it, to different names
    type_changed,     ///< file, link or submodule: one side changed the type, the other the content
    mode,             ///< both changed the mode, differently
    directory_file,   ///< a directory on one side, a file on the other
    submodule,        ///< both moved a submodule
    in_the_way,       ///< an untracked or ignored file too large to keep is in upstream's way
};
std::string_view to_string(ConflictKind kind);

} // namespace carry
