#include "state.hpp"

#include "base/file.hpp"
#include "support/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace carry::crash {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    const auto status = lstat_if_exists(path).value();
    if (S_ISLNK(status.st_mode))
        return "link to " + read_link(path);
    if (S_ISDIR(status.st_mode))
        return fmt::format("directory {:04o}", status.st_mode & 07777U);
    return fmt::format("{:04o} {:016x}", status.st_mode & 07777U, std::hash<std::string>{}(read_file(path)));
}

/// All files and directories outside of .git.
void add_tree(const fs::path& root, test::Fingerprint& result) {
    for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator(); ++at) {
        if (at->path().filename() == ".git") {
            at.disable_recursion_pending();
            continue;
        }
        result["path " + at->path().lexically_relative(root).native()] = text_of(at->path());
    }
}

/// Where .git is a file, as in a submodule.
fs::path git_directory(const fs::path& checkout) {
    const auto dot_git = checkout / ".git";
    if (fs::is_directory(dot_git))
        return dot_git;
    auto text = read_file(dot_git).substr(std::string_view("gitdir: ").size());
    text.pop_back();
    return (checkout / text).lexically_normal();
}

void add_git_files(const fs::path& checkout, const std::string& name, test::Fingerprint& result) {
    const auto git = git_directory(checkout);
    for (const auto* file : {"HEAD", "index", "packed-refs"})
        if (fs::exists(git / file))
            result[fmt::format("{} {}", name, file)] = text_of(git / file);
    if (!fs::exists(git / "refs/heads"))
        return;
    for (const auto& entry : fs::recursive_directory_iterator(git / "refs/heads"))
        if (entry.is_regular_file())
            result[fmt::format("{} {}", name, entry.path().lexically_relative(git).native())] = text_of(entry.path());
}

test::Fingerprint quick_state(const fs::path& root, const std::vector<std::string>& checkouts) {
    test::Fingerprint result;
    add_tree(root, result);
    for (const auto& checkout : checkouts)
        add_git_files(root / checkout, checkout, result);
    return result;
}

test::Fingerprint exact_state(const fs::path& root, const std::vector<std::string>& checkouts) {
    test::Fingerprint result;
    add_tree(root, result);
    for (const auto& checkout : checkouts)
        for (auto& [name, value] : test::fingerprint(root / checkout))
            result[fmt::format("{} {}", checkout, name)] = value;
    return result;
}

bool is_temporary(std::string_view name) {
    constexpr std::array<std::string_view, 13> beginnings = {".git-carry-", ".carry-", "journal", "index-", "sparse-",
                                                             "hash-",       "mail-",   "merge-",  "tmp-",   "tmp_",
                                                             "scratch",     "rules-",  "index."};
    return name.ends_with(".lock") || std::any_of(beginnings.begin(), beginnings.end(),
                                                  [&](auto beginning) { return name.starts_with(beginning); });
}

bool is_unsettled(const fs::path& run) {
    const auto record = read_file_if_exists(run / "run.json");
    constexpr std::array<std::string_view, 3> states = {"\"open\"", "\"applying\"", "\"verifying\""};
    return !record || std::any_of(states.begin(), states.end(), [&](auto state) {
        return record->find(fmt::format("\"state\": {}", state)) != std::string::npos;
    });
}

} // namespace

State::State(const fs::path& root, std::vector<std::string> checkouts)
    : m_root(root), m_checkouts(std::move(checkouts)), m_quick(quick_state(m_root, m_checkouts)),
      m_exact(exact_state(m_root, m_checkouts)) {}

bool State::is_surely_now() const {
    return quick_state(m_root, m_checkouts) == m_quick;
}

std::vector<std::string> State::differences_now() const {
    if (is_surely_now())
        return {};
    return test::differences(m_exact, exact_state(m_root, m_checkouts));
}

std::vector<std::string> leftovers(const fs::path& root) {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const auto name = entry.path().filename().native();
        const bool in_runs = entry.path().parent_path().filename() == "runs";
        if (is_temporary(name) || (in_runs && is_unsettled(entry.path())))
            found.push_back(entry.path().lexically_relative(root).native());
    }
    return found;
}

bool is_sound(const fs::path& root, const std::vector<std::string>& checkouts) {
    return std::all_of(checkouts.begin(), checkouts.end(), [&](const auto& checkout) {
        const auto fsck = test::run_program({"git", "fsck", "--connectivity-only", "--no-dangling", "--no-progress"},
                                            root / checkout);
        return fsck.ok() && fsck.error_output.find("error") == std::string::npos;
    });
}

} // namespace carry::crash
