/// What this repository has, and who may do what with it. One probe decides, per ability
/// (docs/architecture.md has the table; the facts behind it are libgit2 1.5.1's silent errors).
#pragma once

#include "git/config.hpp"
#include "git/object_id.hpp"
#include "git/program.hpp"

#include <string>
#include <vector>

namespace carry::git {

struct Capabilities {
    ObjectFormat object_format = ObjectFormat::sha1;
    bool shallow = false;
    bool partial_clone = false;
    bool replace_refs_or_grafts = false;
    bool unknown_extension = false; ///< an extensions.* that is not known here
    bool worktree_config = false;
    bool split_index = false;
    bool sparse_checkout = false;
    bool sparse_index = false;
    bool reftable = false;
    bool submodules = false; ///< gitlinks in the index or a .gitmodules file

    /// libgit2 reads and writes this repository's objects rightly (git_odb); otherwise ObjectStore is git's.
    bool libgit2_objects = true;
    /// Why not, for -v and doctor: "extensions.objectFormat=sha256".
    std::vector<std::string> reasons;
};

Capabilities probe_capabilities(const Program& program, const Config& config);

} // namespace carry::git
