#include "merge/merge_driver.hpp"

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "git/attributes.hpp"
#include "git/rules_tree.hpp"

#include <charconv>

namespace carry::merge {

namespace {

/// git's order: a driver of the configuration hides a built-in of the same name; an unknown name means text.
MergeDriver driver_by_name(const git::Config& config, const std::string& name) {
    MergeDriver driver;
    driver.name = name;
    if (const auto command = config.get("merge." + name + ".driver")) {
        driver.kind = MergeDriver::Kind::external;
        driver.command = *command;
    } else if (name == "binary") {
        driver.kind = MergeDriver::Kind::binary;
    } else if (name == "union") {
        driver.kind = MergeDriver::Kind::union_of_both;
    } else if (name != "text") {
        driver.note = "merge driver " + quoted(name) + " is not configured: merged as text";
    }
    return driver;
}

MergeDriver driver_by_attribute(const git::Config& config, const std::string& value) {
    MergeDriver driver;
    if (value == "set")
        return driver;
    if (value == "unset") {
        driver.kind = MergeDriver::Kind::binary;
        return driver;
    }
    if (value.empty() || value == "unspecified") {
        const auto name = config.get("merge.default");
        return name ? driver_by_name(config, *name) : driver;
    }
    return driver_by_name(config, value);
}

unsigned short marker_size_of(const std::string& value) {
    unsigned short size = 0;
    const char* end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, size);
    return error == std::errc{} && rest == end && size > 0 ? size : 7;
}

std::string expand(std::string_view command, const std::map<char, std::string>& words) {
    std::string result;
    for (std::size_t i = 0; i < command.size(); ++i) {
        if (command[i] != '%' || i + 1 == command.size()) {
            result += command[i];
            continue;
        }
        if (command[i + 1] == '%') {
            result += '%';
            ++i;
        } else if (const auto word = words.find(command[i + 1]); word != words.end()) {
            result += word->second;
            ++i;
        } else {
            result += '%';
        }
    }
    return result;
}

void add_untracked(git::Repository& repository, const git::ObjectId& local, git::RuleFiles& files) {
    DirectoryTree checkout(repository.paths().worktree);
    for (auto& [path, bytes] : files) {
        const auto status = bytes ? std::nullopt : checkout.status(path);
        if (status && S_ISREG(status->st_mode) && !repository.trees().find(local, path))
            bytes = checkout.read(path);
    }
}

} // namespace

std::map<std::string, MergeDriver> choose_drivers(git::Repository& repository, const git::ObjectId& onto,
                                                  const git::ObjectId& local, const std::vector<std::string>& paths) {
    std::map<std::string, MergeDriver> drivers;
    if (paths.empty())
        return drivers;
    auto files = rule_files(repository.trees(), onto, paths, ".gitattributes");
    add_untracked(repository, local, files);
    const git::RulesTree place(repository.program(), files);
    const auto attributes = git::check_attributes(
        repository.program(), {"merge", "conflict-marker-size", "linguist-generated"}, paths, place.options());
    for (const auto& path : paths) {
        const auto value_of = [&](const std::string& attribute) {
            const auto values = attributes.find(path);
            if (values == attributes.end())
                return std::string();
            const auto value = values->second.find(attribute);
            return value == values->second.end() ? std::string() : value->second;
        };
        auto driver = driver_by_attribute(repository.config(), value_of("merge"));
        driver.marker_size = marker_size_of(value_of("conflict-marker-size"));
        if (const auto generated = value_of("linguist-generated"); generated == "set" || generated == "true")
            driver.generated = true;
        else if (generated == "unset" || generated == "false")
            driver.generated = false;
        drivers.emplace(path, std::move(driver));
    }
    return drivers;
}

DriverResult run_driver(const git::Repository& repository, const MergeDriver& driver, const DriverInput& input) {
    make_directories(repository.paths().carry_dir());
    const TemporaryDirectory directory(repository.paths().carry_dir(), "merge-");
    const auto ancestor = directory.path() / "base";
    const auto current = directory.path() / "ours";
    const auto other = directory.path() / "theirs";
    write_file_atomic(ancestor, input.base);
    write_file_atomic(current, input.ours);
    write_file_atomic(other, input.theirs);

    const std::map<char, std::string> words = {
        {'O', shell_quote(ancestor.native())},
        {'A', shell_quote(current.native())},
        {'B', shell_quote(other.native())},
        {'L', std::to_string(input.markers.marker_size)},
        {'P', shell_quote(input.path)},
        {'S', shell_quote(input.markers.base_label)},
        {'X', shell_quote(input.markers.ours_label)},
        {'Y', shell_quote(input.markers.theirs_label)},
    };
    const auto run =
        run_process({.argv = {"sh", "-c", expand(driver.command, words)}, .directory = repository.paths().worktree});
    if (run.exit_code > 128)
        return {};
    DriverResult result;
    result.verdict = run.ok() ? DriverResult::Verdict::clean : DriverResult::Verdict::conflict;
    result.bytes = read_file(current);
    return result;
}

} // namespace carry::merge
