/// What git itself would record of a checkout, to compare a snapshot with.
#pragma once

#include "snapshot/capture.hpp"
#include "support/fingerprint.hpp"
#include "support/temp_repo.hpp"

#include <filesystem>
#include <set>
#include <string>

namespace carry::snapshot {

struct ReferenceTrees {
    std::string staged, unstaged, untracked;
};
/// By `git write-tree`, `git add -u` and `git add -A` on a copy of the index; objects go to a directory of their own,
/// or to `objects`.
ReferenceTrees reference_trees(const test::TempRepo& repo, const std::filesystem::path& objects = {});

/// Names of all files below .git/objects, and everything that test::fingerprint sees.
struct Untouched {
    explicit Untouched(const test::TempRepo& repo);
    /// Whether nothing has changed since.
    [[nodiscard]] testing::AssertionResult still(const test::TempRepo& repo) const;
    test::Fingerprint fingerprint;
    std::set<std::string> objects;
    std::string index;
};

git::Repository open(const test::TempRepo& repo, bool program_store = false);
std::string blob(git::Repository& repository, const git::ObjectId& id);

} // namespace carry::snapshot
