/// Which cases a differential test looks at.
#pragma once

#include <vector>

namespace carry::test {

/// `count` seeds from `first` on; CARRY_SEED and CARRY_CASES in the environment choose others, for a longer search.
std::vector<unsigned> seeds(unsigned first, unsigned count);

} // namespace carry::test
