/// Time as text. Seconds since 1970 throughout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carry {

std::int64_t now_seconds();
/// "20260308T021502Z"
std::string compact_utc(std::int64_t seconds);
/// "2026-03-08T02:15:02Z"
std::string iso_utc(std::int64_t seconds);
/// "2026-03-08"
std::string utc_date(std::int64_t seconds);
/// "2 days ago", as git says it
std::string relative_time(std::int64_t then, std::int64_t now);
/// `length` characters of a-z0-9, from the system's random source.
std::string random_suffix(std::size_t length);

} // namespace carry
