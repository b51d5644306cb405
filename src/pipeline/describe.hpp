/// From a plan to the report value: each carried patch with its fate, each conflict with its culprits.
#pragma once

#include "patch/patch.hpp"
#include "pipeline/plan.hpp"

#include <string>
#include <vector>

namespace carry::pipeline {

/// Fills counts, with those of the submodules that move, upstream range, patches, conflicts, warnings and notes of
/// `report`. `parked`: what is set aside counts as parked, not as a conflict that stops.
void describe_plan(Workspace& workspace, Report& report, const snapshot::Snapshot& snapshot, const Target& target,
                   const Plan& plan, bool parked);

/// Adds a submodule's plan to the report.
void describe_submodule(Workspace& workspace, Report& report, const snapshot::Snapshot& snapshot, const Target& target,
                        const Plan& plan, bool parked);

/// Adds what is said of a submodule; `name` is how notes name it.
void add_submodule_report(Report& report, Report& inner, const std::string& name);

/// Names the patch file in each entry of this checkout; `directory` is that of the files, below the run's.
void name_patch_files(const Workspace& workspace, Report& report, const std::vector<patch::PatchFile>& files,
                      const std::string& directory);

/// Counts of what a snapshot carries (commits are counted by the plan).
void describe_snapshot(const Workspace& workspace, Report& report, const snapshot::Snapshot& snapshot);

/// The carried patches themselves, without fates: for status, snapshot and export.
void describe_snapshot_patches(Workspace& workspace, Report& report, const snapshot::Snapshot& snapshot,
                               const std::vector<merge::ChainLink>& links);

CommitRef commit_ref(const git::CommitInfo& info);

HunkReport hunk_report(const merge::HunkOutcome& hunk);

/// Where a conflict lies, and what rules propose for it.
void describe_lines(ConflictReport& conflict, const merge::HunkOutcome& hunk);

/// Lines as people count them.
LineSpan line_span(const git::LineRange& range);

} // namespace carry::pipeline
