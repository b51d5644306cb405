#include "base/time.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>

#include <set>

using namespace carry;
using carry::test::TempRepo;

namespace {

TEST(Time, IsWrittenInUtc) {
    setenv("TZ", "Asia/Tokyo", 1);
    EXPECT_EQ(compact_utc(1772936102), "20260308T021502Z");
    EXPECT_EQ(iso_utc(1772936102), "2026-03-08T02:15:02Z");
    EXPECT_EQ(utc_date(1772936102), "2026-03-08");
    EXPECT_EQ(iso_utc(0), "1970-01-01T00:00:00Z");
    EXPECT_EQ(iso_utc(-1), "1969-12-31T23:59:59Z");
    EXPECT_EQ(iso_utc(4102444800), "2100-01-01T00:00:00Z");
    setenv("TZ", "UTC", 1);
}

TEST(Time, IsNow) {
    EXPECT_GT(now_seconds(), 1767225600);
    EXPECT_LT(now_seconds(), 7258118400);
}

TEST(RelativeTime, AgreesWithGit) {
    constexpr std::int64_t then = 1000000000;
    constexpr std::int64_t day = 86400;
    const TempRepo repo;
    const auto result = test::run_program({"git", "commit", "-q", "--allow-empty", "-m", "x"}, repo.path(),
                                          {{"GIT_COMMITTER_DATE", std::to_string(then) + " +0000"}});
    ASSERT_TRUE(result.ok());
    for (const std::int64_t age : {std::int64_t{0},
                                   std::int64_t{1},
                                   std::int64_t{89},
                                   std::int64_t{90},
                                   std::int64_t{5369},
                                   std::int64_t{5400},
                                   std::int64_t{36} * 3600 - 1801,
                                   std::int64_t{36} * 3600,
                                   2 * day,
                                   13 * day,
                                   14 * day,
                                   69 * day,
                                   70 * day,
                                   364 * day,
                                   365 * day,
                                   400 * day,
                                   730 * day,
                                   1000 * day,
                                   1824 * day,
                                   1825 * day,
                                   5000 * day,
                                   std::int64_t{-5}}) {
        const auto said = test::run_program({"git", "log", "-1", "--format=%cr"}, repo.path(),
                                            {{"GIT_TEST_DATE_NOW", std::to_string(then + age)}});
        EXPECT_EQ(relative_time(then, then + age) + "\n", said.output) << age;
    }
}

TEST(RandomSuffix, HoldsLettersAndDigitsAndDiffers) {
    std::set<std::string> seen;
    std::set<char> letters;
    for (int i = 0; i < 100; ++i) {
        const std::string text = random_suffix(40);
        EXPECT_EQ(text.size(), 40U);
        letters.insert(text.begin(), text.end());
        seen.insert(text);
    }
    EXPECT_EQ(seen.size(), 100U);
    EXPECT_EQ(std::string(letters.begin(), letters.end()), "0123456789abcdefghijklmnopqrstuvwxyz");
    EXPECT_EQ(random_suffix(0), "");
}

} // namespace
