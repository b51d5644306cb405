/// The checkout that scripts describe.
#pragma once

#include "edit_script.hpp"
#include "support/temp_repo.hpp"

namespace carry::test {

/// On branch main, which follows origin/main; that is at the scripts' upstream already, so upgrades are offline.
TempRepo make_checkout(const Scripts& scripts);

/// The same with nothing carried: HEAD is the base.
TempRepo make_base(const Scripts& scripts);

} // namespace carry::test
