#include "base/time.hpp"

#include "base/text.hpp"
#include "carry/error.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>

namespace carry {
namespace {

std::tm utc(std::int64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    if (gmtime_r(&time, &parts) == nullptr)
        throw Error(ErrorKind::failed, fmt::format("cannot tell the date of second '{}'", seconds));
    return parts;
}

std::string ago(std::int64_t n, std::string_view unit) {
    return count_of(static_cast<std::size_t>(n), unit) + " ago";
}

} // namespace

std::int64_t now_seconds() {
    return static_cast<std::int64_t>(std::time(nullptr));
}

std::string compact_utc(std::int64_t seconds) {
    return fmt::format("{:%Y%m%dT%H%M%SZ}", utc(seconds));
}

std::string iso_utc(std::int64_t seconds) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc(seconds));
}

std::string utc_date(std::int64_t seconds) {
    return fmt::format("{:%Y-%m-%d}", utc(seconds));
}

std::string relative_time(std::int64_t then, std::int64_t now) {
    // the steps and the rounding of show_date_relative() in git's date.c
    if (now < then)
        return "in the future";
    std::int64_t n = now - then;
    if (n < 90)
        return ago(n, "second");
    n = (n + 30) / 60;
    if (n < 90)
        return ago(n, "minute");
    n = (n + 30) / 60;
    if (n < 36)
        return ago(n, "hour");
    const std::int64_t days = (n + 12) / 24;
    if (days < 14)
        return ago(days, "day");
    if (days < 70)
        return ago((days + 3) / 7, "week");
    if (days < 365)
        return ago((days + 15) / 30, "month");
    if (days >= 1825)
        return ago((days + 183) / 365, "year");
    const std::int64_t months = (days * 24 + 365) / 730;
    const std::string years = count_of(static_cast<std::size_t>(months / 12), "year");
    return months % 12 == 0 ? years + " ago" : years + ", " + ago(months % 12, "month");
}

std::string random_suffix(std::size_t length) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    // bytes from here on are left out, or the first letters would come up more often
    constexpr unsigned limit = 256 - 256 % letters.size();
    std::string text;
    std::array<unsigned char, 32> bytes{};
    while (text.size() < length) {
        const ssize_t n = getrandom(bytes.data(), bytes.size(), 0);
        if (n < 0 && errno != EINTR)
            throw Error(ErrorKind::failed, "cannot read the system's random source")
                .because(std::generic_category().message(errno));
        for (ssize_t i = 0; i < n && text.size() < length; ++i) {
            const unsigned char byte = bytes[static_cast<std::size_t>(i)];
            if (byte < limit)
                text += letters[byte % letters.size()];
        }
    }
    return text;
}

} // namespace carry
