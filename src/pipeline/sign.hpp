/// Signatures of the commits that a run writes: anew where git is configured to sign, told of where they are lost.
#pragma once

#include "git/commit.hpp"
#include "merge/rebase.hpp"
#include "pipeline/workspace.hpp"

#include <carry/report.hpp>

#include <vector>

namespace carry::pipeline {

/// Signs the chain's new commits where commit.gpgsign is set; their ids, and the chain's head, change with it. A
/// commit that cannot be signed lands unsigned. Adds a warning "unsigned" for those, and for signatures that went with
/// the commits that were rebased.
void sign_chain(Workspace& workspace, merge::RebasedChain& chain, std::vector<Warning>& warnings);

/// The same for one commit that is yet to be written: writes it and returns its id.
git::ObjectId write_signed(Workspace& workspace, const git::Commit& commit, std::vector<Warning>& warnings);

} // namespace carry::pipeline
