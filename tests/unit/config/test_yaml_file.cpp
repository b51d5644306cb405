#include "base/file.hpp"
#include "config/settings.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

#include <fstream>

namespace carry::test {
namespace {

namespace fs = std::filesystem;
using config::Source;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class YamlFile : public ::testing::Test {
protected:
    fs::path write(std::string_view text, std::string_view name = "team.yaml") {
        fs::path path = m_directory.path() / name;
        std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
        return path;
    }

    Settings read(std::string_view text, Source source = Source::config_file) {
        Settings settings;
        config::read_yaml_file(settings, write(text), source);
        return settings;
    }

    /// The message without the directory, and the first hint behind a bar.
    std::string error_of(std::string_view text, Source source = Source::config_file) {
        try {
            read(text, source);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            std::string message = error.message();
            const std::string directory = m_directory.path().native() + '/';
            if (message.starts_with(directory))
                message.erase(0, directory.size());
            return error.hints().empty() ? message : message + " | " + error.hints().front();
        }
        return "no error";
    }

    TemporaryDirectory m_directory{fs::temp_directory_path(), "carry-yaml-"};
};

TEST_F(YamlFile, IsReadOverTheSettings) {
    const auto settings = read("# ours\n"
                               "on-conflict: park\n"
                               "verify:\n"
                               "  - make -j4\n"
                               "  - 'make check'\n"
                               "offline: yes\n"
                               "untracked-max-bytes: 64m\n");
    EXPECT_EQ(settings.on_conflict, OnConflict::park);
    EXPECT_THAT(settings.verify, ElementsAre("make -j4", "make check"));
    EXPECT_TRUE(settings.offline);
    EXPECT_EQ(settings.untracked_max_bytes, 64ULL << 20U);
    EXPECT_EQ(settings.keep_runs, Settings().keep_runs);
}

TEST_F(YamlFile, OneCommandNeedsNoList) {
    EXPECT_THAT(read("verify: make check\n").verify, ElementsAre("make check"));
}

TEST_F(YamlFile, AnEmptyOneSaysNothing) {
    EXPECT_EQ(read("").keep_runs, Settings().keep_runs);
    EXPECT_EQ(read("# only a comment\n").keep_runs, Settings().keep_runs);
}

TEST_F(YamlFile, SaysFileLineAndColumn) {
    EXPECT_EQ(error_of("# first\n\non-conflct: park\n"),
              "team.yaml:3:1: unknown key 'on-conflct' | did you mean 'on-conflict'?");
    EXPECT_EQ(error_of("offline: true\nkeep-runs: many\n"),
              "team.yaml:2:12: 'keep-runs' is not a whole number: 'many'");
    EXPECT_EQ(error_of("keep-runs: '3'\n"), "team.yaml:1:12: 'keep-runs' is a string in quotes, not an integer");
    EXPECT_EQ(error_of("verify:\n  - [make]\n"), "team.yaml:2:5: an item of 'verify' is not a string");
    EXPECT_EQ(error_of("on-conflict: [park]\n"), "team.yaml:1:14: 'on-conflict' is not a stop|mark|park");
    EXPECT_EQ(error_of("offline: true\noffline: false\n"), "team.yaml:2:1: 'offline' stands here a second time");
    EXPECT_EQ(error_of("- offline\n"), "team.yaml:1:1: expected 'key: value' lines");
    EXPECT_EQ(error_of("offline:\n"), "team.yaml:1:1: 'offline' has no value");
    EXPECT_THAT(error_of("a: [b\n"), HasSubstr("team.yaml:2:1: "));
    EXPECT_THAT(error_of("offline: true\n---\noffline: false\n"), HasSubstr("second document"));
    EXPECT_THAT(error_of("offline: true\n--- |\n,  no document begins so\n"), HasSubstr("second document"));
    EXPECT_THAT(error_of("? [a]\n: b\n"), HasSubstr("expected the name of a setting"));
}

TEST_F(YamlFile, ACheckoutSetsHarmlessKeysOnlyUnlessItIsTrusted) {
    EXPECT_EQ(read("keep-runs: 4\n", Source::checkout_file).keep_runs, 4U);
    const auto untrusted = read("verify: rm -rf /\nhooks: false\nkeep-runs: 4\n", Source::checkout_file);
    EXPECT_TRUE(untrusted.verify.empty());
    EXPECT_TRUE(untrusted.hooks);
    EXPECT_EQ(untrusted.keep_runs, 4U);
    const auto trusted = read("verify: make\nhooks: false\n", Source::trusted_checkout_file);
    EXPECT_EQ(trusted.verify, std::vector<std::string>{"make"});
    EXPECT_FALSE(trusted.hooks);
}

TEST_F(YamlFile, EverySettingThatIsNotTheDefaultIsSeen) {
    const Settings plain;
    EXPECT_TRUE(config::same_settings(plain, Settings()));
    for (const auto& key : config::keys()) {
        bool seen = false;
        for (const std::string value : {"mark", "rebase", "false", "true", "7", "all", "merge", "x"}) {
            Settings changed;
            try {
                config::set_value(changed, key.yaml_name, {value}, "");
            } catch (const Error&) {
                continue; // not of its type
            }
            seen = seen || !config::same_settings(plain, changed);
        }
        EXPECT_TRUE(seen) << key.yaml_name;
    }
}

TEST_F(YamlFile, ACheckoutCannotMakeUsReadSomethingElse) {
    const fs::path link = m_directory.path() / ".carry.yaml";
    fs::create_symlink("/etc/passwd", link);
    Settings settings;
    EXPECT_THROW(config::read_yaml_file(settings, link, Source::checkout_file), Error);
    EXPECT_THAT(error_of(std::string((1U << 20U) + 1, '#'), Source::checkout_file), HasSubstr("larger than 1 MiB"));
}

TEST_F(YamlFile, AMissingOneIsAnError) {
    Settings settings;
    EXPECT_THROW(config::read_yaml_file(settings, m_directory.path() / "none.yaml", Source::config_file), Error);
}

TEST_F(YamlFile, HostileTextEndsInAnError) {
    EXPECT_THAT(error_of(std::string(5000, '[')), HasSubstr("team.yaml"));
    EXPECT_THAT(error_of(std::string("\x1b[2J: 1\n")), ::testing::Not(HasSubstr("\x1b")));
    EXPECT_THAT(error_of(std::string("a\0b: 1\n", 7)), HasSubstr("team.yaml"));
    EXPECT_THAT(error_of("&a [*a]: 1\n"), HasSubstr("team.yaml"));
    EXPECT_THAT(error_of("verify: &v [*v]\n"), HasSubstr("team.yaml"));
}

TEST(SampleConfigurations, LoadWithoutAnError) {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(CARRY_SOURCE_DIR) / "configs")) {
        if (entry.path().extension() != ".yaml")
            continue;
        ++count;
        Settings settings;
        const bool checkout = entry.path().filename() == "checkout.carry.yaml";
        EXPECT_NO_THROW(
            config::read_yaml_file(settings, entry.path(), checkout ? Source::checkout_file : Source::config_file))
            << entry.path();
    }
    EXPECT_GE(count, 3U);
}

/// The commented lines of the sample are settings as well: with their '#' removed the file still loads.
TEST(SampleConfigurations, CommentedLinesAreRight) {
    std::istringstream lines(read_file(fs::path(CARRY_SOURCE_DIR) / "configs/carry.yaml"));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(':');
        const bool setting = colon != std::string::npos && line.find(' ', 2) >= colon; // no sentence
        const bool item = line.starts_with("#   - ");
        if ((line.starts_with("# ") && setting) || item)
            text += line.substr(2) + '\n';
    }
    const TemporaryDirectory directory(fs::temp_directory_path(), "carry-yaml-");
    std::ofstream(directory.path() / "all.yaml") << text;
    Settings settings;
    try {
        config::read_yaml_file(settings, directory.path() / "all.yaml", Source::config_file);
    } catch (const Error& error) {
        FAIL() << error.message() << "\n" << text;
    }
    EXPECT_FALSE(settings.verify.empty()) << text;
}

} // namespace
} // namespace carry::test
