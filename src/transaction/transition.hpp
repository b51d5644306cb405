/// One path's change, and the whole move of one checkout from one state to another. Undo is the same value with the
/// states exchanged.
#pragma once

#include "git/object_id.hpp"
#include "git/program.hpp"
#include "git/refs.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carry::transaction {

/// What git does not record and a replacement must keep.
struct Metadata {
    mode_t mode = 0; ///< permission bits, 07777
    uid_t uid = 0;
    gid_t gid = 0;
    /// Extended attributes, name and value (user.*, security.* and system.posix_acl_* as far as they can be read).
    std::vector<std::pair<std::string, std::string>> xattrs;
    friend bool operator==(const Metadata&, const Metadata&) = default;
};

enum class FileKind { absent, regular, link };

/// A path on disk: absent, or raw bytes (a link: its target) by object id in the private object directory or the
/// repository.
struct FileState {
    FileKind kind = FileKind::absent;
    git::ObjectId content;
    bool executable = false; ///< regular files
    std::optional<Metadata>
        metadata; ///< wanted exactly; nothing: kept from the file that is replaced, else by the umask
    friend bool operator==(const FileState&, const FileState&) = default;
};

struct Transition {
    std::string path;
    FileState before; ///< must be what is on disk, or nothing is done
    FileState after;
    friend bool operator==(const Transition&, const Transition&) = default;
};

/// The index file's bytes before and after, as blobs of the private store; null: no index file.
struct IndexMove {
    git::ObjectId before;
    git::ObjectId after;
    /// When the file was last written, nanoseconds since 1970: git takes an entry that is as young as that for unsure
    /// and looks at the file's bytes. Bytes that come back with a new time would hide an edit of the same moment. 0:
    /// now.
    std::uint64_t before_time = 0;
    std::uint64_t after_time = 0;
    friend bool operator==(const IndexMove&, const IndexMove&) = default;
};

/// Everything that changes in one checkout.
struct CheckoutMove {
    git::RepositoryPaths paths;
    std::vector<Transition> transitions;
    /// Directories that are there in the end even where nothing is in them, and such that go where they are empty: of
    /// submodules that are not checked out. A path in the first is absent or a directory before.
    std::vector<std::string> made_directories, dropped_directories;
    std::optional<IndexMove> index;
    std::vector<git::RefUpdate> refs; ///< HEAD when detached, or the branch
    /// A change of what HEAD names (undo of a run that left a branch): before and after as "refs/heads/x" or a hex id;
    /// empty: unchanged.
    std::string head_before, head_after;
    std::string reflog_message;
};

/// States exchanged, order kept; `reflog_message` is the new one's.
CheckoutMove reversed(const CheckoutMove& move, std::string reflog_message);

/// Text form for run directories ("transaction" file) and the journal: versioned, one line a field, paths quoted as git
/// does, a checksum at the end.
std::string serialize(const std::vector<CheckoutMove>& moves);
/// Throws Error{failed} on anything that is not exactly what serialize() wrote.
std::vector<CheckoutMove> parse_moves(std::string_view text);

} // namespace carry::transaction
