/// One line a run, for `runs` and `status`.
#pragma once

#include "pipeline/run_store.hpp"

namespace carry::pipeline {

RunSummary summarize(const RunStore& runs, const RunRecord& record);

} // namespace carry::pipeline
