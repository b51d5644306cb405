/// extract: each carried patch as a file in the run directory.
#pragma once

#include "patch/patch.hpp"
#include "pipeline/plan.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace carry::pipeline {

/// Into <run>/patches.
std::vector<patch::PatchFile> extract(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target,
                                      const Plan& plan, const std::string& run);

/// The same for the submodules of a plan, into their shares of the run (`directory` is the plan's own, below the
/// run's), named in the report.
void extract_submodules(Report& report, const Plan& plan, const std::string& run, const std::string& directory = {});

/// The same into any directory (export); the files have `mode`, less the umask.
std::vector<patch::PatchFile> extract_to(Workspace& workspace, const std::vector<merge::ChainLink>& links,
                                         const git::ObjectId& base, const std::string& upstream, std::int64_t time,
                                         const std::filesystem::path& directory, mode_t mode = 0666);

} // namespace carry::pipeline
