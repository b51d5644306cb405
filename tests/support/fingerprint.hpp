/// Everything that an undo has to bring back, as names and values to compare.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace carry::test {

/// HEAD, branches, stash, index with its flags, and for each file outside .git (ignored ones too) its mode and a
/// hash of its bytes, or its link target. Changes nothing in the repository.
using Fingerprint = std::map<std::string, std::string>;
Fingerprint fingerprint(const std::filesystem::path& repository);

/// Every file of the directory, those of .git too, but for what a refused run may have brought: fetched objects and
/// remote-tracking branches, git-carry's own objects, lock and log.
Fingerprint every_file(const std::filesystem::path& directory);

/// One text for each name that differs: "file a: before ..., after ...".
std::vector<std::string> differences(const Fingerprint& before, const Fingerprint& after);

/// For EXPECT_TRUE(same(before, after)): a failure lists the differences.
::testing::AssertionResult same(const Fingerprint& before, const Fingerprint& after);

} // namespace carry::test
