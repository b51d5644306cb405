/// "did you mean": the known word that a mistyped one is closest to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::config {

/// Nothing where none is close enough to be meant.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

} // namespace carry::config
