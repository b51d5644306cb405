/// The patch lines of the text report.
#pragma once

#include "report/page.hpp"

namespace carry::report {

/// One line a patch with its fate, conflicts below it; with style.quiet only what needs a person.
void add_patches(Page& page, const Report& report);

} // namespace carry::report
