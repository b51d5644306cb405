/// How names and words of any bytes stand in snapshot.json and status.txt.
#pragma once

#include "snapshot/status.hpp"

#include <string>
#include <string_view>

namespace carry::snapshot {

/// UTF-8 as it is; what is no UTF-8, or starts with a double quote, as git quotes paths. So a text that starts with '"'
/// is always a quoted one.
std::string encode_text(std::string_view bytes);
/// The inverse. Throws Error{usage} on a malformed quotation.
std::string decode_text(const std::string& text);

/// `git status --porcelain=v2` as lines, paths quoted.
std::string porcelain_text(const Status& status, git::ObjectFormat format);

} // namespace carry::snapshot
