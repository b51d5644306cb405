/// Modes, owners and extended attributes of files: read, and set on a file that takes another's place.
#pragma once

#include "base/directory.hpp"
#include "transaction/transition.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace carry::transaction {

/// Of a regular file or a link (a link's extended attributes are not read). Nothing where there is neither. Throws
/// Error{failed}.
std::optional<Metadata> read_metadata(DirectoryTree& tree, const std::string& path);

/// What a regular file has to have that takes the place of one with `replaced`: the same, execution allowed to whoever
/// may read, or to nobody, as `executable` says.
Metadata kept_metadata(Metadata replaced, bool executable);

/// Gives the open file `wanted`, owner first, since a change of owner takes the set-user-id bits away. Where the
/// system does not let us give the file to its owner (we are not root), it stays ours, without those bits. Attributes
/// that the file system or the system refuses are left out.
void set_metadata(int fd, const Metadata& wanted, const std::filesystem::path& path);

/// The owner alone, of a link.
void set_link_owner(int directory, const std::string& name, const Metadata& wanted, const std::filesystem::path& path);

} // namespace carry::transaction
