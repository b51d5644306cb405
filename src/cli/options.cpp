#include "cli/options.hpp"

#include "config/settings.hpp"

#include <carry/error.hpp>

namespace carry::cli {
namespace {

constexpr const char* common_group = "Options of every command";

/// A value of its own, the last one counting where it is given twice, as in git.
CLI::Option* last_wins(CLI::Option* option) {
    return option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->allow_extra_args(false);
}

CLI::Option* repeatable(CLI::Option* option) {
    return option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
}

void set(Invocation& invocation, const std::string& key, const std::vector<std::string>& values) {
    Settings probe;
    config::set_value(probe, key, values, "");
    invocation.words.emplace_back([key, values](Settings& settings) { config::set_value(settings, key, values, ""); });
}

} // namespace

CLI::App& add_command(CLI::App& root, Invocation& invocation, const std::string& name, const std::string& about) {
    CLI::App& command = *root.add_subcommand(name, about);
    command.set_help_flag();
    add_common_options(command, invocation);
    return command;
}

void add_common_options(CLI::App& app, Invocation& invocation) {
    CommonOptions& common = invocation.common;
    const auto words = [](std::vector<std::string>& target) {
        return [&target](const std::vector<std::string>& values) {
            target.insert(target.end(), values.begin(), values.end());
        };
    };
    repeatable(app.add_option_function<std::vector<std::string>>(
                   "-C", words(common.directories),
                   "Work in DIR instead of the current directory; each counts from the one before (can be repeated)"))
        ->type_name("DIR");
    app.add_flag("--json", common.json, "Print one JSON document instead of text");
    app.add_flag("-q,--quiet", common.quiet, "Say only what needs a person");
    app.add_flag("-v,--verbose", common.verbose, "Show each hunk, and every upstream commit behind a conflict");
    last_wins(app.add_option("--color", common.color,
                             "Colour the text: auto, always or never; auto colours on a terminal where NO_COLOR is not "
                             "set (default: auto)"))
        ->type_name("WHEN")
        ->check([](const std::string& word) {
            return word == "auto" || word == "always" || word == "never"
                       ? std::string()
                       : "'" + word + "' is not auto, always or never";
        });
    last_wins(app.add_option("--config", common.config_file, "Read settings from FILE (YAML)"))->type_name("FILE");
    add_setting(app, invocation, "--upstream", "upstream", "REV",
                "Follow this branch, where git has none configured for the current one");
    last_wins(app.add_option_function<std::string>(
                  "--object-store",
                  [&invocation](const std::string& word) {
                      if (word != "git" && word != "libgit2")
                          throw Error(ErrorKind::usage, "'object-store' is not git or libgit2: '" + word + "'");
                      invocation.words.emplace_back(
                          [word](Settings& settings) { settings.program_objects = word == "git"; });
                  },
                  "Which implementation reads and writes objects: libgit2 or git"))
        ->type_name("NAME");
    add_plain_flag(app, "-h,--help", "Show this help");
    for (const char* name : {"-C", "--json", "--quiet", "--verbose", "--color", "--config", "--upstream", "--help"})
        app.get_option(name)->group(common_group);
    app.get_option("--object-store")->group(""); // hidden
}

CLI::Option* add_setting(CLI::App& app, Invocation& invocation, const std::string& flag, const std::string& key,
                         const std::string& value_name, const std::string& help) {
    const bool list = key == "verify";
    if (list) {
        const auto take = [&invocation, key](const std::vector<std::string>& values) { set(invocation, key, values); };
        return repeatable(app.add_option_function<std::vector<std::string>>(flag, take, help))->type_name(value_name);
    }
    const auto take = [&invocation, key](const std::string& value) { set(invocation, key, {value}); };
    return last_wins(app.add_option_function<std::string>(flag, take, help))->type_name(value_name);
}

CLI::Option* add_plain_flag(CLI::App& app, const std::string& names, const std::string& help) {
    return app.add_flag(names, help); // a literal in the place of `help` would be ambiguous
}

void on_command(CLI::App& command, Invocation& invocation, std::function<int(CommandRun&)> action) {
    command.callback([&command, &invocation, action = std::move(action)] {
        invocation.command = command.get_name();
        invocation.action = action;
    });
}

void add_no_resolutions(CLI::App& app, Invocation& invocation, const std::string& help) {
    app.add_flag_function(
        "--no-resolutions",
        [&invocation](std::int64_t) {
            invocation.words.emplace_back([](Settings& settings) { settings.resolutions = false; });
        },
        help);
}

void add_on_conflict(CLI::App& app, Invocation& invocation) {
    add_setting(app, invocation, "--on-conflict", "on-conflict", "POLICY",
                "What to do with what does not merge: stop leaves the checkout as it is, mark writes conflict markers "
                "into the files, park sets those patches aside and lands the rest (default: stop)");
}

void add_no_hooks(CLI::App& app, Invocation& invocation) {
    app.add_flag_function(
        "--no-hooks",
        [&invocation](std::int64_t) {
            invocation.words.emplace_back([](Settings& settings) { settings.hooks = false; });
        },
        "Run none of git's hooks when HEAD has moved");
}

void add_rules(CLI::App& app, Invocation& invocation) {
    add_setting(app, invocation, "--rules", "rules", "LIST",
                "Rules that decide what three-way merging leaves in conflict: names with commas between them, none, "
                "default or all (docs/merging.md)");
}

void add_upgrade_options(CLI::App& app, Invocation& invocation) {
    const auto take_to = [&invocation](const std::string& revision) {
        if (revision.empty())
            throw Error(ErrorKind::usage, "'--to' needs a revision");
        invocation.words.emplace_back([revision](Settings& settings) { settings.to = revision; });
    };
    last_wins(app.add_option_function<std::string>(
                  "--to", take_to, "Upgrade to this revision instead of the tip of the upstream branch"))
        ->type_name("REV");
    const auto take_base = [&invocation](const std::string& revision) {
        if (revision.empty())
            throw Error(ErrorKind::usage, "'--base' needs a revision");
        invocation.words.emplace_back([revision](Settings& settings) { settings.base = revision; });
    };
    last_wins(app.add_option_function<std::string>(
                  "--base", take_base,
                  "The commit that the local changes sit on, where the history does not tell: what comes after it is "
                  "carried"))
        ->type_name("REV");
    add_on_conflict(app, invocation);
    add_setting(app, invocation, "--integrate", "integrate", "HOW",
                "How local commits get onto the new upstream: rebase, merge, or auto, which rebases them where they "
                "are linear (default: auto)");
    add_rules(app, invocation);
    app.add_flag_function(
        "--offline",
        [&invocation](std::int64_t) {
            invocation.words.emplace_back([](Settings& settings) { settings.offline = true; });
        },
        "Take upstream as it was last fetched");
    add_no_resolutions(app, invocation, "Resolve no conflict as it was resolved before");
}

} // namespace carry::cli
