#include "support/temp_repo.hpp"

#include "base/text.hpp"
#include "support/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <stdexcept>

namespace carry::test {
namespace {

namespace fs = std::filesystem;

/// Seconds; one clock for all repositories of a test program, so that a later commit is later in any of them.
std::int64_t commit_clock = 1767225600; // 2026-01-01

std::unique_ptr<TemporaryDirectory> fresh_directory() {
    return std::make_unique<TemporaryDirectory>(fs::temp_directory_path(), "carry-repo-");
}

ProcessResult run_git(const fs::path& directory, std::vector<std::string> args, std::string input = {}) {
    args.insert(args.begin(), "git");
    const std::string date = fmt::format("{} +0000", commit_clock);
    return run_program(std::move(args), directory, {{"GIT_AUTHOR_DATE", date}, {"GIT_COMMITTER_DATE", date}},
                       std::move(input));
}

std::string checked(const std::vector<std::string>& args, ProcessResult result) {
    if (!result.ok())
        throw std::runtime_error(fmt::format("git {}: exit {}\n{}{}", join(args, " "), result.exit_code,
                                             result.error_output, result.output));
    return std::move(result.output);
}

void write_file(const fs::path& path, std::string_view bytes, std::ios::openmode mode) {
    std::ofstream out(path, std::ios::binary | mode);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out)
        throw std::runtime_error("cannot write " + path.string());
}

} // namespace

TempRepo::TempRepo() : TempRepo(fresh_directory()) {
    fs::create_directory(m_path);
    static_cast<void>(git_args({"init", "-q", "-b", "main"}));
}

TempRepo::TempRepo(std::unique_ptr<TemporaryDirectory> directory)
    : m_directory(std::move(directory)), m_path(m_directory->path() / "repo") {}

TempRepo TempRepo::clone_of(const TempRepo& origin, const std::vector<std::string>& options) {
    TempRepo repo(fresh_directory());
    std::vector<std::string> args = {"clone", "-q"};
    args.insert(args.end(), options.begin(), options.end());
    args.insert(args.end(), {origin.url(), repo.m_path.string()});
    checked(args, run_git(repo.m_directory->path(), args));
    repo.git("config", "user.name", "W Orker");
    repo.git("config", "user.email", "worker@example.com");
    return repo;
}

TempRepo TempRepo::copy_of(const TempRepo& repo) {
    TempRepo copy(fresh_directory());
    fs::copy(repo.m_path, copy.m_path, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    return copy;
}

std::string TempRepo::git_args(const std::vector<std::string>& args) const {
    return checked(args, git_run(args));
}

ProcessResult TempRepo::git_run(const std::vector<std::string>& args, std::string input) const {
    return run_git(m_path, args, std::move(input));
}

std::string TempRepo::without_newline(std::string text) {
    if (text.ends_with('\n'))
        text.pop_back();
    return text;
}

void TempRepo::write(std::string_view path, std::string_view bytes) const {
    const fs::path target = file(path);
    const auto status = fs::symlink_status(target);
    if (fs::exists(status) && !fs::is_regular_file(status))
        fs::remove_all(target);
    fs::create_directories(target.parent_path());
    write_file(target, bytes, std::ios::trunc);
}

void TempRepo::append(std::string_view path, std::string_view bytes) const {
    write_file(file(path), bytes, std::ios::app);
}

std::string TempRepo::read(std::string_view path) const {
    return read_file(file(path));
}

bool TempRepo::exists(std::string_view path) const {
    return fs::exists(fs::symlink_status(file(path)));
}

void TempRepo::remove(std::string_view path) const {
    if (fs::remove_all(file(path)) == 0)
        throw std::runtime_error("there is no " + std::string(path));
}

void TempRepo::make_executable(std::string_view path) const {
    using fs::perms;
    fs::permissions(file(path), perms::owner_exec | perms::group_exec | perms::others_exec, fs::perm_options::add);
}

void TempRepo::symlink(std::string_view target, std::string_view path) const {
    const fs::path link = file(path);
    fs::create_directories(link.parent_path());
    fs::remove_all(link);
    fs::create_symlink(target, link);
}

std::string TempRepo::commit(std::string_view message) const {
    git("add", "-A");
    return commit_staged(message);
}

std::string TempRepo::commit_staged(std::string_view message) const {
    commit_clock += 60;
    const std::vector<std::string> args = {"commit", "-q", "--allow-empty", "-F", "-"};
    checked(args, git_run(args, std::string(message)));
    return head();
}

void TempRepo::stage(std::string_view path) const {
    git("--literal-pathspecs", "add", "--", path);
}

std::string TempRepo::url() const {
    return "file://" + m_path.string();
}

std::string TempRepo::head() const {
    return git_line("rev-parse", "HEAD");
}

UpstreamAndCheckout UpstreamAndCheckout::with(const std::map<std::string, std::string>& files) {
    TempRepo upstream;
    for (const auto& [path, bytes] : files)
        upstream.write(path, bytes);
    upstream.commit("Begin");
    TempRepo work = TempRepo::clone_of(upstream);
    return {std::move(upstream), std::move(work)};
}

} // namespace carry::test
