/// Real repositories in temporary directories, made and changed by the real git program.
#pragma once

#include "base/file.hpp"
#include "base/process.hpp"
#include "support/environment.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace carry::test {

/// A repository with a working tree on branch main. Paths are relative to it and may hold any bytes; a path's
/// directories are made. Everything throws std::runtime_error where it fails.
class TempRepo {
public:
    /// An empty repository without a commit.
    TempRepo();
    /// A clone of `origin` by file://, with user.name and user.email set. `options` go to git clone.
    static TempRepo clone_of(const TempRepo& origin, const std::vector<std::string>& options = {});

    /// The same files in another place, without a process; remotes still name what they named.
    static TempRepo copy_of(const TempRepo& repo);

    /// Runs git in the working tree and returns its standard output as it is. Throws with git's own words where it
    /// exits other than 0.
    template <typename... Args>
    std::string git(const Args&... args) const {
        return git_args({std::string(args)...});
    }
    [[nodiscard]] std::string git_args(const std::vector<std::string>& args) const;
    /// The same, for the exit code alone.
    template <typename... Args>
    int git_status(const Args&... args) const {
        return git_run({std::string(args)...}).exit_code;
    }
    /// The same, for everything that git had to say.
    [[nodiscard]] ProcessResult git_run(const std::vector<std::string>& args, std::string input = {}) const;
    /// Standard output of git without its last newline: for an id or a name.
    template <typename... Args>
    std::string git_line(const Args&... args) const {
        return without_newline(git_args({std::string(args)...}));
    }

    /// Writes a file anew (0644, or the mode it had); what stands in its place and is no file is replaced.
    void write(std::string_view path, std::string_view bytes) const;
    void append(std::string_view path, std::string_view bytes) const;
    /// A file's bytes; throws where there is none.
    [[nodiscard]] std::string read(std::string_view path) const;
    [[nodiscard]] bool exists(std::string_view path) const; ///< a dangling link exists
    /// A file, a link or a directory with all it holds.
    void remove(std::string_view path) const;
    void make_executable(std::string_view path) const;
    void symlink(std::string_view target, std::string_view path) const;

    /// Adds everything and commits it, 60 seconds after the commit before it. Returns its hex id.
    std::string commit(std::string_view message) const;
    /// Commits what is staged, in the same way.
    std::string commit_staged(std::string_view message) const;
    void stage(std::string_view path) const;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return m_path; }
    [[nodiscard]] std::filesystem::path file(std::string_view path) const {
        return m_path / std::filesystem::path(path);
    }
    [[nodiscard]] std::filesystem::path git_directory() const { return m_path / ".git"; }
    [[nodiscard]] std::string url() const;  ///< file://...
    [[nodiscard]] std::string head() const; ///< hex id

private:
    explicit TempRepo(std::unique_ptr<TemporaryDirectory> directory);
    static std::string without_newline(std::string text);

    std::unique_ptr<TemporaryDirectory> m_directory;
    std::filesystem::path m_path;
};

/// An upstream with one commit and a checkout cloned from it.
struct UpstreamAndCheckout {
    TempRepo upstream;
    TempRepo work;

    static UpstreamAndCheckout with(const std::map<std::string, std::string>& files);
};

} // namespace carry::test
