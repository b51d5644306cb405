#include "base/file.hpp"
#include "config/nearest.hpp"
#include "config/settings.hpp"
#include "git/repository.hpp"
#include "support/temp_repo.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

#include <set>

namespace carry::test {
namespace {

using ::testing::HasSubstr;

std::string error_of(std::string_view name, const std::vector<std::string>& values) {
    Settings settings;
    try {
        config::set_value(settings, name, values, "team.yaml:3:5");
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.message();
    }
    return "no error";
}

TEST(Settings, EveryKeyTakesItsDefault) {
    for (const auto& key : config::keys()) {
        if (key.default_text.empty())
            continue;
        Settings settings;
        settings.keep_runs = 1;
        EXPECT_NO_THROW(config::set_value(settings, key.yaml_name, {key.default_text}, "here")) << key.yaml_name;
    }
    Settings defaults;
    for (const auto& key : config::keys()) {
        if (!key.default_text.empty())
            config::set_value(defaults, key.yaml_name, {key.default_text}, "here");
    }
    const Settings fresh;
    EXPECT_EQ(defaults.on_conflict, fresh.on_conflict);
    EXPECT_EQ(defaults.integrate, fresh.integrate);
    EXPECT_EQ(defaults.offline, fresh.offline);
    EXPECT_EQ(defaults.keep_runs, fresh.keep_runs);
    EXPECT_EQ(defaults.untracked_max_files, fresh.untracked_max_files);
    EXPECT_EQ(defaults.untracked_max_bytes, fresh.untracked_max_bytes);
    EXPECT_EQ(defaults.in_the_way_limit, fresh.in_the_way_limit);
    EXPECT_EQ(defaults.fetch_stall_seconds, fresh.fetch_stall_seconds);
    EXPECT_EQ(defaults.hooks, fresh.hooks);
    EXPECT_EQ(defaults.hook_seconds, fresh.hook_seconds);
    EXPECT_EQ(defaults.markers, fresh.markers);
    EXPECT_EQ(defaults.rules, fresh.rules);
}

TEST(Settings, EachKeyReachesItsField) {
    Settings s;
    const auto set = [&s](std::string_view name, const std::vector<std::string>& values) {
        config::set_value(s, name, values, "here");
    };
    set("on-conflict", {"park"});
    set("integrate", {"merge"});
    set("upstream", {"fork/trunk"});
    set("verify", {"make", "make check"});
    set("offline", {"On"});
    set("keep-runs", {"5"});
    set("untracked-max-files", {"7"});
    set("untracked-max-bytes", {"2K"});
    set("in-the-way-limit", {"3g"});
    set("fetch-stall-seconds", {"0"});
    set("hooks", {"no"});
    set("hook-seconds", {"9"});
    set("markers", {"diff3"});
    EXPECT_EQ(s.on_conflict, OnConflict::park);
    EXPECT_EQ(s.integrate, Integrate::merge);
    EXPECT_EQ(s.upstream, "fork/trunk");
    EXPECT_THAT(s.verify, ::testing::ElementsAre("make", "make check"));
    EXPECT_TRUE(s.offline);
    EXPECT_EQ(s.keep_runs, 5U);
    EXPECT_EQ(s.untracked_max_files, 7U);
    EXPECT_EQ(s.untracked_max_bytes, 2048U);
    EXPECT_EQ(s.in_the_way_limit, 3ULL << 30U);
    EXPECT_EQ(s.fetch_stall_seconds, 0U);
    EXPECT_FALSE(s.hooks);
    EXPECT_EQ(s.hook_seconds, 9U);
    EXPECT_EQ(s.markers, ConflictMarkers::diff3);
}

TEST(Settings, RulesAreNamedTogether) {
    const auto rules = [](const std::vector<std::string>& values) {
        Settings s;
        config::set_value(s, "rules", values, "here");
        return s.rules;
    };
    RuleSet two;
    two.add(Rule::words);
    two.add(Rule::absorbed);
    EXPECT_EQ(rules({"absorbed, words"}), two);
    EXPECT_EQ(rules({"words", "absorbed"}), two);
    EXPECT_EQ(rules({"none"}), RuleSet());
    EXPECT_EQ(rules({}), RuleSet());
    EXPECT_EQ(rules({"all"}), RuleSet::all());
    EXPECT_EQ(rules({"default"}), RuleSet::defaults());
    RuleSet more = RuleSet::defaults();
    more.add(Rule::words);
    EXPECT_EQ(rules({"default,words"}), more);
    EXPECT_EQ(error_of("rules", {"absorbed,guess"}), "team.yaml:3:5: 'rules' names no rule 'guess'");
}

TEST(Settings, SaysWhereAndWhatIsWrong) {
    EXPECT_EQ(error_of("on-conflict", {"explode"}),
              "team.yaml:3:5: 'on-conflict' is not stop, mark or park: 'explode'");
    EXPECT_EQ(error_of("keep-runs", {"-1"}), "team.yaml:3:5: 'keep-runs' is not a whole number: '-1'");
    EXPECT_EQ(error_of("offline", {"maybe"}), "team.yaml:3:5: 'offline' is not true or false: 'maybe'");
    EXPECT_THAT(error_of("untracked-max-bytes", {"99999999999g"}), HasSubstr("is not a size in bytes"));
    EXPECT_THAT(error_of("untracked-max-bytes", {"k"}), HasSubstr("is not a size in bytes"));
    EXPECT_THAT(error_of("fetch-stall-seconds", {"4294967296"}), HasSubstr("range"));
    EXPECT_THAT(error_of("verify", {" "}), HasSubstr("is not a command"));
    EXPECT_THAT(error_of("keep-runs", {}), HasSubstr("has no value"));
    EXPECT_THAT(error_of("colour", {"x"}), HasSubstr("unknown key 'colour'"));
}

TEST(Settings, NothingThatRunsOrDecidesIsHarmless) {
    std::set<std::string> harmless;
    for (const auto& key : config::keys()) {
        if (key.harmless)
            harmless.insert(key.yaml_name);
    }
    EXPECT_THAT(harmless, ::testing::UnorderedElementsAre("keep-runs", "untracked-max-files", "untracked-max-bytes",
                                                          "fetch-stall-seconds", "markers"));
}

TEST(Settings, TheDocumentsKnowEveryKey) {
    const std::filesystem::path source = CARRY_SOURCE_DIR;
    const auto guide = read_file(source / "docs/configuration.md");
    const auto sample = read_file(source / "configs/carry.yaml");
    for (const auto& key : config::keys()) {
        EXPECT_THAT(guide, HasSubstr("`" + key.yaml_name + "`"));
        EXPECT_THAT(guide, HasSubstr("`" + key.git_name + "`"));
        EXPECT_THAT(sample, HasSubstr("# " + key.yaml_name + ":"));
        EXPECT_FALSE(key.help.empty());
    }
}

TEST(Settings, LaterSourcesWin) {
    const TempRepo repo;
    repo.write(".carry.yaml", "keep-runs: 3\nuntracked-max-files: 3\nfetch-stall-seconds: 3\n");
    repo.git("config", "carry.untrackedMaxFiles", "4");
    repo.git("config", "carry.fetchStallSeconds", "4");
    repo.write("../team.yaml", "fetch-stall-seconds: 5\n");
    const auto repository = git::Repository::open(repo.path());
    const auto settings = config::load_settings(repository.paths(), repository.config(), repo.file("../team.yaml"));
    EXPECT_EQ(settings.keep_runs, 3U);
    EXPECT_EQ(settings.untracked_max_files, 4U);
    EXPECT_EQ(settings.fetch_stall_seconds, 5U);
}

TEST(Nearest, FindsWhatWasMeant) {
    const std::vector<std::string> known = {"on-conflict", "offline", "verify"};
    EXPECT_EQ(config::nearest("on-conflct", known), "on-conflict");
    EXPECT_EQ(config::nearest("ofline", known), "offline");
    EXPECT_EQ(config::nearest("frobnicate", known), std::nullopt);
    EXPECT_EQ(config::nearest("", known), std::nullopt);
    EXPECT_EQ(config::nearest(std::string(100'000, 'x'), known), std::nullopt);
}

} // namespace
} // namespace carry::test
