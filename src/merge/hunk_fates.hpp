/// The fate of each local hunk, from the chunks that git's merge works with.
#pragma once

#include "merge/merge_chunks.hpp"
#include "merge/text_merge.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace carry::merge {

/// Fates of the local hunks, in order; hunks in one conflict are one outcome.
std::vector<HunkOutcome> hunk_fates(std::string_view base, std::string_view upstream, std::string_view local,
                                    const git::MergeOptions& options);

/// The same by chunks and local hunks of another comparison. `decisions`: for each chunk the rule that decides it, if
/// any does (or none at all); chunks in conflict are then whole ones (diff3 style).
std::vector<HunkOutcome> hunk_fates(const std::vector<MergeChunk>& chunks, const std::vector<git::LineChange>& hunks,
                                    const git::MergeOptions& options,
                                    const std::vector<std::optional<Proposal>>& decisions = {});

/// Git has the last word on whether a file is in conflict: makes the fates agree with it.
void follow_verdict(bool clean, std::vector<HunkOutcome>& hunks);

} // namespace carry::merge
