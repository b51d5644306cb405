#include "generated_checkout.hpp"

#include "base/text.hpp"
#include "write_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

namespace carry::test {
namespace {

namespace fs = std::filesystem;

/// Everything that all of them have in common, so that a case costs no `git init`.
const TempRepo& empty_checkout() {
    static const TempRepo repo = [] {
        TempRepo made;
        for (const auto& [key, value] : {std::pair("user.name", "W Orker"),
                                         {"user.email", "worker@example.com"},
                                         {"remote.origin.url", "/nowhere"},
                                         {"remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"},
                                         {"branch.main.remote", "origin"},
                                         {"branch.main.merge", "refs/heads/main"},
                                         {"fastimport.unpackLimit", "1"},
                                         {"gc.auto", "0"}})
            made.git("config", key, value);
        fs::remove_all(made.git_directory() / "hooks");
        made.write(".git/info/exclude", "*.ign\n");
        return made;
    }();
    return repo;
}

/// Input for `git fast-import`.
class Import {
public:
    /// A commit on `ref`, which is at `before`.
    void commit(const std::string& ref, const std::string& message, const ScratchFiles& before,
                const ScratchFiles& files) {
        m_time += 60;
        m_text += fmt::format("commit {}\nmark :{}\nauthor A Uthor <author@example.com> {} +0100\n"
                              "committer C Ommitter <committer@example.com> {} +0000\ndata {}\n{}\n",
                              ref, ++m_mark, m_time, m_time, message.size(), message);
        for (const auto& [path, file] : before)
            if (!files.contains(path))
                m_text += "D " + quote_path(path) + "\n";
        for (const auto& [path, file] : files)
            if (const auto old = before.find(path); old == before.end() || old->second != file)
                m_text += fmt::format("M {:o} inline {}\ndata {}\n{}\n", file.mode, quote_path(path), file.bytes.size(),
                                      file.bytes);
    }
    void branch(const std::string& ref, const std::string& from) {
        m_text += fmt::format("reset {}\nfrom {}\n\n", ref, from);
    }
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    std::string m_text;
    int m_mark = 0;
    long m_time = 1767225600;
};

void run(const TempRepo& repo, const std::vector<std::string>& args, std::string input) {
    const auto result = repo.git_run(args, std::move(input));
    if (!result.ok())
        throw std::logic_error("git " + args.front() + " in a generated checkout: " + result.error_output);
}

void import(const TempRepo& repo, const Versions& versions, bool local) {
    Import import;
    const std::string upstream = "refs/remotes/origin/main", main = "refs/heads/main";
    import.commit(upstream, "Begin", {}, versions.base);
    import.branch(main, ":1");
    import.branch("refs/heads/other", ":1");
    const auto commit_all = [&](const std::string& ref, const std::string& word,
                                const std::vector<ScratchFiles>& commits) {
        const auto* before = &versions.base;
        for (const auto& files : commits) {
            import.commit(ref, fmt::format("{} {}", word, &files - commits.data()), *before, files);
            before = &files;
        }
    };
    commit_all(upstream, "Upstream", versions.upstream);
    if (local)
        commit_all(main, "Local", versions.commits);
    run(repo, {"fast-import", "--quiet"}, import.text());
    repo.git("reset", "-q", "--hard");
}

/// For --stdin or --pathspec-from-file.
std::string lines_of(const TempRepo& repo, const std::vector<std::string>& paths) {
    std::string text;
    for (const auto& path : paths)
        if (repo.exists(path))
            text += path + '\0';
    return text;
}

void set_flag(const TempRepo& repo, const char* option, const std::vector<std::string>& paths) {
    if (const auto input = lines_of(repo, paths); !input.empty())
        run(repo, {"update-index", option, "-z", "--stdin"}, input);
}

} // namespace

TempRepo make_base(const Scripts& scripts) {
    auto repo = TempRepo::copy_of(empty_checkout());
    import(repo, play(scripts), false);
    return repo;
}

TempRepo make_checkout(const Scripts& scripts) {
    auto repo = TempRepo::copy_of(empty_checkout());
    const auto versions = play(scripts);
    import(repo, versions, true);
    const auto& head = versions.commits.empty() ? versions.base : versions.commits.back();
    if (versions.staged != head) {
        write_files(repo, "", head, versions.staged);
        repo.git("add", "-A");
    }
    write_files(repo, "", versions.staged, versions.unstaged);
    for (const auto& path : versions.ignored)
        repo.write(path, "ignored\n");
    for (const auto& path : versions.bits)
        if (const auto status = fs::symlink_status(repo.file(path)); fs::is_regular_file(status))
            fs::permissions(repo.file(path), fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove);
    if (const auto input = lines_of(repo, versions.intent); !input.empty())
        run(repo, {"--literal-pathspecs", "add", "-f", "-N", "--pathspec-from-file=-", "--pathspec-file-nul"}, input);
    set_flag(repo, "--assume-unchanged", versions.assume_unchanged);
    set_flag(repo, "--skip-worktree", versions.skip_worktree);
    return repo;
}

} // namespace carry::test
