/// One report of a stopped upgrade with everything in it.
#pragma once

#include <carry/report.hpp>

namespace carry::test {

/// 2026-03-08 02:15:02 UTC, when the sample was made.
constexpr std::int64_t sample_time = 1772936102;

constexpr std::int64_t day = 86400;

Report sample_report();

/// The sample, with what three rules propose for its conflict, two of them the same.
Report report_with_proposals();

PatchReport patch(Layer layer, Fate fate, std::string path, std::vector<HunkReport> hunks = {});
HunkReport hunk(Fate fate, std::string reason = {}, std::size_t first = 1, std::size_t last = 3);

} // namespace carry::test
