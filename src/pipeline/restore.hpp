/// Bringing back the state that a run's snapshot holds: what undo, abort, and a failed verification do. One
/// transaction, like any other.
#pragma once

#include "pipeline/workspace.hpp"
#include "snapshot/capture.hpp"
#include "transaction/transition.hpp"

#include <string>
#include <vector>

namespace carry::pipeline {

struct Restoration {
    transaction::CheckoutMove move;
    /// What is there now and was not when the later runs ended: stored already, and named for the report.
    std::vector<std::string> saved;
    [[nodiscard]] bool empty() const {
        return move.transitions.empty() && !move.index && move.refs.empty() && move.head_after.empty();
    }
};

/// The move from the present state (`now`, captured and secured) to the one before run `id`. Untracked files that came
/// later stay where they are unless they are in the way.
Restoration plan_restoration(Workspace& workspace, const std::string& id, const snapshot::Snapshot& now);

} // namespace carry::pipeline
