/// Resolutions that leave the repository, and come from elsewhere.
#pragma once

#include "pipeline/workspace.hpp"

#include <cstddef>
#include <filesystem>

namespace carry::pipeline {

/// Writes all that is remembered to <directory>/resolutions, in the format of git's rr-cache; nothing where nothing is.
/// Returns how many.
std::size_t export_resolutions(Workspace& workspace, const std::filesystem::path& directory);

} // namespace carry::pipeline
