/// From chunks to merged text.
#pragma once

#include "merge/merge_chunks.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carry::merge {

/// The items of a range, copied.
Items items_of(const Items& items, const git::LineRange& range);
std::string bytes_of(const Items& items);

/// The merged text, with `resolutions` (one for each chunk, or none at all) in the place of conflicts. Nothing where a
/// conflict has none, unless both sides say the same there.
std::optional<std::string> merged_text(const std::vector<MergeChunk>& chunks, const Items& upstream, const Items& local,
                                       const std::vector<std::optional<std::string>>& resolutions = {});

/// Three sequences, merged by diff_sequences(); nothing in a conflict.
std::optional<std::string> merge_sequences(const Items& base, const Items& upstream, const Items& local);

} // namespace carry::merge
