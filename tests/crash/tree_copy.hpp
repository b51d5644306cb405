/// A directory as a template that is copied hundreds of times.
#pragma once

#include <filesystem>

namespace carry::crash {

/// All of `from` as `to`, which must not be there: bytes, links, hard links among them, modes and times.
void copy_tree(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace carry::crash
