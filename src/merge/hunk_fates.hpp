/// The fate of each local hunk, from the chunks that git's merge works with.
#pragma once

#include "merge/text_merge.hpp"

#include <string_view>
#include <vector>

namespace carry::merge {

/// Fates of the local hunks, in order; hunks in one conflict are one outcome.
std::vector<HunkOutcome> hunk_fates(std::string_view base, std::string_view upstream, std::string_view local,
                                    const git::MergeOptions& options);

/// Git has the last word on whether a file is in conflict: makes the fates agree with it.
void follow_verdict(bool clean, std::vector<HunkOutcome>& hunks);

} // namespace carry::merge
