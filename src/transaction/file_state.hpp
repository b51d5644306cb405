/// What stands at a path, told by kind and bytes; and the writing of a new file with a given state.
#pragma once

#include "base/directory.hpp"
#include "git/object_store.hpp"
#include "transaction/transition.hpp"

#include <optional>
#include <string>

namespace carry::transaction {

/// What a path is, for a transition that goes through it.
enum class Seen {
    before,
    after,
    missing, ///< nothing is there, though there was something before and will be after: nothing can be overwritten
    foreign, ///< somebody's
};

/// True where kind, bytes and executable bit are those of `state`; a directory counts as absent.
bool holds(DirectoryTree& tree, const std::string& path, const FileState& state, git::ObjectStore& store);

/// By kind and bytes; where these are the same before and after, by executable bit, mode and owner.
Seen classify(DirectoryTree& tree, const std::string& path, const Transition& transition, git::ObjectStore& store);

/// Writes the new file or link `path`, whose directory is there, with the bytes of `state`. `replaced` is whose place
/// it will take, for a state that keeps metadata; nothing: the umask decides. Not synced. Throws Error{failed}, where
/// something has the name as well; a part of the file may be left then.
void write_state(DirectoryTree& tree, const std::string& path, const FileState& state,
                 const std::optional<Metadata>& replaced, git::ObjectStore& store);

/// Opens and fsyncs a regular file; of a link only the directory could be synced.
void sync_state(DirectoryTree& tree, const std::string& path);

/// Equal kind, bytes and executable bit, and no other metadata wanted.
bool same_state(const FileState& before, const FileState& after);

} // namespace carry::transaction
