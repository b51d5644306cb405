/// Files that a program makes from others: lock files, compiled and minified output. Merging their lines helps nobody.
#pragma once

#include "git/repository.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carry::merge {

/// By the attribute linguist-generated where it says something, else by the name, else by what the first lines say
/// ("@generated", "DO NOT EDIT").
bool is_generated(git::Repository& repository, std::string_view path, const std::optional<git::TreeEntry>& entry,
                  std::optional<bool> attribute = {});

/// The shell command that makes a lock file anew; empty where it is not known.
std::string remake_command(std::string_view path);

} // namespace carry::merge
