/// Which cases a differential test looks at.
#pragma once

#include <vector>

namespace carry::test {

/// `count` seeds from `first` on; CARRY_SEED and CARRY_CASES in the environment choose others, for a longer search.
std::vector<unsigned> seeds(unsigned first, unsigned count);

/// How many cases share a checkout, so that what a command costs is paid once for all of them.
constexpr unsigned batch_size = 40;
/// `seeds` in portions of that.
std::vector<std::vector<unsigned>> batches(const std::vector<unsigned>& seeds);

} // namespace carry::test
