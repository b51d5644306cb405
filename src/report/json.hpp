/// What the JSON writer and reader share.
#pragma once

#include <nlohmann/json.hpp>

namespace carry::report {

/// Of docs/report.schema.json. It grows with a change that an older reader would misunderstand; fields that are
/// only added do not count.
constexpr int schema_version = 1;

} // namespace carry::report
