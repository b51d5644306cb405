/// The environment that tests run git in: no configuration of this machine, fixed names and dates.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carry::test {

/// Set (value) or removed (nullopt); the form that carry::ProcessSpec takes.
using EnvironmentChanges = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// An empty directory of this test program that stands for HOME; removed when the program ends.
const std::filesystem::path& home();

/// HOME, XDG_CONFIG_HOME, GIT_CONFIG_*, LC_ALL, TZ, names and dates fixed; every other GIT_* removed.
EnvironmentChanges environment();

/// environment() applied to this process, so that code under test which inherits it is isolated too. The main
/// of every test program calls it once, before anything else.
void apply_environment();

} // namespace carry::test
