#include "checkout.hpp"
#include "git/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

namespace carry::git {
namespace {

using test::TempRepo;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Config config_of(const TempRepo& repo, std::string_view text) {
    repo.write(".git/config",
               std::string("[core]\n\trepositoryformatversion = 0\n\tbare = false\n") + std::string(text));
    return Config::read(program_of(repo));
}

TEST(Config, LastValueWinsAndAllAreKept) {
    const TempRepo repo;
    const Config config = config_of(repo, "[Remote \"Mine.Org\"]\n\tFetch = a\n\tfetch = b\n\turl = \"x\\ny\"\n");
    EXPECT_EQ(config.get("remote.Mine.Org.fetch"), "b");
    EXPECT_EQ(config.get("REMOTE.Mine.Org.FETCH"), "b");
    EXPECT_EQ(config.get("remote.mine.org.fetch"), std::nullopt);
    EXPECT_THAT(config.get_all("remote.Mine.Org.fetch"), ElementsAre("a", "b"));
    EXPECT_EQ(config.get("remote.Mine.Org.url"), "x\ny");
    EXPECT_EQ(config.get("nothing.here"), std::nullopt);
}

TEST(Config, ReadsBooleansAsGitDoes) {
    const TempRepo repo;
    const Config config = config_of(
        repo,
        "[b]\n\talone\n\tyes = YES\n\ton = on\n\tone = 1\n\tempty =\n\tno = no\n\toff = Off\n\tzero = 0\n\tk = 1k\n"
        "\tbad = perhaps\n");
    for (const char* key : {"alone", "yes", "on", "one", "empty", "no", "off", "zero", "k"}) {
        const std::string name = std::string("b.") + key;
        EXPECT_EQ(config.get_bool(name), repo.git_line("config", "--type=bool", name) == "true") << name;
    }
    EXPECT_EQ(config.get_bool("b.none"), std::nullopt);
    const auto error = error_of([&] { return config.get_bool("b.bad"); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::usage);
    EXPECT_THAT(error->message(), HasSubstr("'b.bad' in file:.git/config"));
    EXPECT_EQ(config.get("b.alone"), "");
}

TEST(Config, ReadsNumbersWithUnits) {
    const TempRepo repo;
    const Config config = config_of(
        repo, "[n]\n\tplain = 42\n\tk = 3k\n\tm = -2M\n\tg = 1g\n\thex = 0x10\n\tbad = 3 apples\n\talone\n\tbig = "
              "9223372036854775807g\n");
    for (const char* key : {"plain", "k", "m", "g", "hex"}) {
        const std::string name = std::string("n.") + key;
        EXPECT_EQ(config.get_int(name), std::stoll(repo.git_line("config", "--type=int", name))) << name;
    }
    EXPECT_THROW(std::ignore = config.get_int("n.bad"), Error);
    EXPECT_THROW(std::ignore = config.get_int("n.alone"), Error);
    EXPECT_THROW(std::ignore = config.get_int("n.big"), Error);
    EXPECT_EQ(config.get_int("n.none"), std::nullopt);
}

TEST(Config, KnowsWhereAnEntryComesFrom) {
    const TempRepo repo;
    const ScopedVariable parameters("GIT_CONFIG_PARAMETERS", "'carry.x'='2'");
    const Config config = config_of(repo, "[carry]\n\tx = 1\n\ty = 5\n");
    const auto entries = config.with_prefix("carry.");
    ASSERT_EQ(entries.size(), 3U);
    EXPECT_EQ(entries[0].origin, "file:.git/config");
    EXPECT_EQ(entries[0].scope, "local");
    EXPECT_EQ(entries[2].scope, "command");
    EXPECT_EQ(config.get("carry.x"), "2");
}

} // namespace
} // namespace carry::git
