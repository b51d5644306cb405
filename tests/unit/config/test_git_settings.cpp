#include "config/settings.hpp"
#include "git/repository.hpp"
#include "support/temp_repo.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Settings settings_of(const TempRepo& repo) {
    Settings settings;
    config::read_git_config(settings, git::Repository::open(repo.path()).config());
    return settings;
}

TEST(GitSettings, AreReadByTheirNames) {
    const TempRepo repo;
    repo.git("config", "carry.onConflict", "mark");
    repo.git("config", "carry.onconflict", "park"); // the same key
    repo.git("config", "--add", "carry.verify", "make");
    repo.git("config", "--add", "carry.verify", "make check");
    repo.git("config", "carry.inTheWayLimit", "5m");
    repo.append(".git/config", "[carry]\n\toffline\n");
    const auto settings = settings_of(repo);
    EXPECT_EQ(settings.on_conflict, OnConflict::park);
    EXPECT_THAT(settings.verify, ElementsAre("make", "make check"));
    EXPECT_EQ(settings.in_the_way_limit, 5ULL << 20U);
    EXPECT_TRUE(settings.offline);
}

TEST(GitSettings, TheLastValueWins) {
    const TempRepo repo;
    repo.git("config", "carry.keepRuns", "3");
    repo.git("config", "--add", "carry.keepRuns", "4");
    EXPECT_EQ(settings_of(repo).keep_runs, 4U);
}

std::string error_of(const TempRepo& repo) {
    try {
        settings_of(repo);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.hints().empty() ? error.message() : error.message() + " | " + error.hints().front();
    }
    return "no error";
}

TEST(GitSettings, AWrongValueNamesKeyAndOrigin) {
    const TempRepo repo;
    repo.git("config", "carry.keepRuns", "many");
    EXPECT_THAT(error_of(repo), HasSubstr("config: 'keep-runs' is not a whole number: 'many'"));
    EXPECT_THAT(error_of(repo), HasSubstr("file:"));
}

TEST(GitSettings, AnUnknownKeyIsAnErrorWithWhatWasMeant) {
    const TempRepo repo;
    repo.git("config", "carry.onConflit", "park");
    EXPECT_THAT(error_of(repo), HasSubstr("unknown key 'carry.onconflit' | did you mean 'carry.onConflict'?"));
}

TEST(GitSettings, AKeyWithoutAValueIsAnError) {
    const TempRepo repo;
    repo.append(".git/config", "[carry]\n\tkeepRuns\n");
    EXPECT_THAT(error_of(repo), HasSubstr("'carry.keepRuns' has no value"));
}

} // namespace
} // namespace carry::test
