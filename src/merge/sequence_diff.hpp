/// Differences of sequences (lines, words) by the histogram method, which git's merge uses by default and libgit2
/// lacks.
#pragma once

#include "git/buffers.hpp"

#include <string_view>
#include <vector>

namespace carry::merge {

/// Changed ranges from `before` to `after`, in order. The rarest common items anchor the comparison; groups of changed
/// items then slide as git slides them. Where only very frequent items are common, the whole range counts as changed.
std::vector<git::LineChange> diff_sequences(const std::vector<std::string_view>& before,
                                            const std::vector<std::string_view>& after);

} // namespace carry::merge
