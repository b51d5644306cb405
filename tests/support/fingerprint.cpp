#include "support/fingerprint.hpp"

#include "base/file.hpp"
#include "support/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

namespace carry::test {
namespace {

namespace fs = std::filesystem;

std::string git(const fs::path& repository, std::vector<std::string> args) {
    args.insert(args.begin(), {"git", "-c", "safe.directory=*"});
    return run_program(std::move(args), repository, {{"GIT_OPTIONAL_LOCKS", "0"}}).output;
}

std::string describe(const fs::path& path, const struct stat& status) {
    if (S_ISLNK(status.st_mode))
        return "link to " + read_link(path);
    if (!S_ISREG(status.st_mode))
        return "special";
    const std::string bytes = read_file(path);
    return fmt::format("{:04o} {} bytes {:016x}", status.st_mode & 07777U, bytes.size(),
                       std::hash<std::string>{}(bytes));
}

void add_files(const fs::path& directory, const std::string& prefix, Fingerprint& result) {
    for (const auto& entry : fs::directory_iterator(directory)) {
        const std::string name = entry.path().filename().string();
        const auto status = lstat_if_exists(entry.path());
        if (name == ".git" || !status)
            continue;
        if (S_ISDIR(status->st_mode))
            add_files(entry.path(), fmt::format("{}{}/", prefix, name), result);
        else
            result[fmt::format("file {}{}", prefix, name)] = describe(entry.path(), *status);
    }
}

std::string visible(std::string text) {
    for (char& c : text) {
        if (c == '\0')
            c = '\n';
    }
    return text;
}

} // namespace

Fingerprint fingerprint(const fs::path& repository) {
    Fingerprint result;
    result["HEAD"] = git(repository, {"rev-parse", "HEAD", "--symbolic-full-name", "HEAD"});
    if (result["HEAD"].find("refs/") == std::string::npos) // detached, or a branch without a commit
        result["HEAD"] += git(repository, {"symbolic-ref", "-q", "HEAD"});
    auto& branches = result["branches"];
    branches = git(repository, {"for-each-ref", "refs/heads", "refs/stash", "--format=%(refname) %(objectname)"});
    const auto stash = branches.find("refs/stash"); // last, if there is one
    result["stash"] = stash == std::string::npos ? "" : git(repository, {"stash", "list", "--format=%H"});
    branches.resize(std::min(branches.size(), stash));
    result["index"] = git(repository, {"ls-files", "-s", "-v", "-z"});
    // tells an intent-to-add entry from an empty file that is staged
    result["index against HEAD"] = git(repository, {"diff", "--cached", "--raw", "--no-renames", "-z"});
    add_files(repository, "", result);
    return result;
}

Fingerprint every_file(const fs::path& directory) {
    constexpr std::array<std::string_view, 7> beside = {
        "objects/", "refs/remotes/", "logs/refs/remotes/", "packed-refs", "carry/objects/", "carry/lock", "carry/log/"};
    Fingerprint result;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        const auto name = entry.path().lexically_relative(directory).string();
        const auto at = name.find(".git/");
        const auto inside = at == std::string::npos ? std::string_view() : std::string_view(name).substr(at + 5);
        const auto status = lstat_if_exists(entry.path());
        if (!status || S_ISDIR(status->st_mode) ||
            std::any_of(beside.begin(), beside.end(), [&](auto prefix) { return inside.starts_with(prefix); }))
            continue;
        result[name] = describe(entry.path(), *status);
    }
    return result;
}

std::vector<std::string> differences(const Fingerprint& before, const Fingerprint& after) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : before) {
        const auto found = after.find(name);
        if (found == after.end())
            texts.push_back(fmt::format("{}: before {}, after nothing", name, visible(value)));
        else if (found->second != value)
            texts.push_back(fmt::format("{}: before {}, after {}", name, visible(value), visible(found->second)));
    }
    for (const auto& [name, value] : after) {
        if (before.find(name) == before.end())
            texts.push_back(fmt::format("{}: before nothing, after {}", name, visible(value)));
    }
    return texts;
}

::testing::AssertionResult same(const Fingerprint& before, const Fingerprint& after) {
    const auto found = differences(before, after);
    if (found.empty())
        return ::testing::AssertionSuccess();
    auto failure = ::testing::AssertionFailure();
    for (const auto& text : found)
        failure << "\n  " << text;
    return failure;
}

} // namespace carry::test
