/// Clean but suspicious: merges without a textual conflict that may still be wrong.
#pragma once

#include "merge/text_merge.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

struct MergeWarning {
    std::string kind;     ///< "duplicate-block", "other-function"
    std::size_t line = 0; ///< in the merged file, from 1
    std::string message;  ///< one sentence
};

/// Looks at what landed of a cleanly merged file: a block that upstream added too, elsewhere, word for word or in
/// another version; a hunk that landed in another function, section or list item than it was made in, while that one is
/// still there (blocks as enclosing_blocks() tells them).
std::vector<MergeWarning> suspicious(std::string_view base, std::string_view upstream, std::string_view local,
                                     const TextMerge& merged);

} // namespace carry::merge
