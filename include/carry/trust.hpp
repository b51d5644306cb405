/// May the .carry.yaml of a checkout decide more than harmless things? It may have come with a pull, so only the user
/// says so, and of one version of it.
#pragma once

#include <carry/commands.hpp>

namespace carry {

/// Let it, as it stands now; show what it sets; or forget every version that was trusted here.
enum class Trust { give, show, revoke };
/// Throws Error{usage} where there is no such file, or a malformed one.
Report trust(const Request& request, Trust action);

} // namespace carry
