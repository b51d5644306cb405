/// Patches set aside: <gitdir>/carry/parked/<name>/, tried again at every upgrade.
#pragma once

#include "merge/rebase.hpp"
#include "pipeline/workspace.hpp"

#include <string>
#include <vector>

namespace carry::pipeline {

/// One unit: a whole commit, or one file's staged and unstaged (or untracked) change together.
struct ParkedPatch {
    std::string name;                    ///< directory name
    std::vector<merge::ChainLink> links; ///< with full trees, and `parked_name` set
    std::string title;                   ///< subject or path
    std::vector<std::string> paths;
    git::ObjectId base; ///< upstream commit that it was made on
    std::string run;    ///< the run that set it aside
};

std::vector<ParkedPatch> load_parked(const RunStore& runs);

/// What a chain set aside, as units; names are derived from the title and made unique.
std::vector<ParkedPatch> parked_from(Workspace& workspace, const merge::RebasedChain& chain, const git::ObjectId& base,
                                     const std::string& run, const std::vector<ParkedPatch>& before);

/// Writes what shall be parked once run `id` has landed into its directory, objects kept: a crash after the landing
/// loses none.
void stage_parked(Workspace& workspace, const std::string& id, const std::vector<ParkedPatch>& parked);

/// Notes in run `id`, whose directory exists, what is parked before it, so that an undo knows.
void record_parked_before(Workspace& workspace, const std::string& id);

/// Stages for run `id` (an undo) what was parked before run `target`.
void stage_parked_before(Workspace& workspace, const std::string& id, const std::string& target);

/// Makes the staged set of run `id` the one that is parked, with a patch file in each directory for people; does
/// nothing where the run staged none. Safe to repeat.
void install_parked(Workspace& workspace, const std::string& id);

/// True where everything in conflict in the chain was parked before.
bool only_parked_conflicts(const merge::RebasedChain& chain);

/// True where a report's entry is about this patch of the checkout.
bool is_part_of(const Workspace& workspace, const ParkedPatch& patch, const PatchReport& entry);

} // namespace carry::pipeline
