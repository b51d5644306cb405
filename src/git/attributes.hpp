/// gitattributes, answered by git itself (`git check-attr -z --stdin`).
#pragma once

#include "git/program.hpp"

#include <map>
#include <string>
#include <vector>

namespace carry::git {

/// "set", "unset", "unspecified" or a value, for each attribute asked for, by path.
using AttributeValues = std::map<std::string, std::map<std::string, std::string>>;

/// Attributes of `paths` as the working tree `directory` (a checkout, or an AttributeTree) has them.
AttributeValues check_attributes(const Program& program, const std::vector<std::string>& attributes,
                                 const std::vector<std::string>& paths, const RunOptions& options = {});

} // namespace carry::git
