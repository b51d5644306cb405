/// The version; its value comes from CMake.
#pragma once

#include <string_view>

namespace carry {

std::string_view version();

} // namespace carry
