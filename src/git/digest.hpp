/// Digests of plain bytes, by the hash that a repository names its objects with.
#pragma once

#include "git/object_id.hpp"

#include <string>
#include <string_view>

namespace carry::git {

/// Lower-case hex of SHA-1 or SHA-256 over `bytes` alone; an object's name has a header before them (ObjectStore).
std::string digest_hex(ObjectFormat format, std::string_view bytes);

} // namespace carry::git
