/// What .gitmodules says of submodules, as git reads it.
#pragma once

#include "git/repository.hpp"

#include <map>
#include <string>

namespace carry::pipeline {

struct SubmoduleEntry {
    std::string name; ///< by which the configuration knows it: submodule.NAME.update
    std::string url;
};

/// By path. Nothing where the tree has no such file or git cannot read it.
std::map<std::string, SubmoduleEntry> read_gitmodules(git::Repository& repository, const git::ObjectId& tree);

} // namespace carry::pipeline
