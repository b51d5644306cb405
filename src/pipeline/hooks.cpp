#include "pipeline/hooks.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "git/history.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace carry::pipeline {

namespace {

std::string lines_of(const Rewritten& rewritten) {
    std::string lines;
    for (const auto& [before, after] : rewritten)
        lines += before.hex() + " " + after.hex() + "\n";
    return lines;
}

std::string last_line(std::string_view output) {
    const auto text = trim(output);
    return escape_terminal(text.substr(text.rfind('\n') + 1));
}

class Hooks {
public:
    Hooks(Workspace& workspace, std::string run, std::vector<std::string>& notes)
        : m_workspace(workspace), m_run(std::move(run)), m_notes(notes),
          m_directory(workspace.repository().program().line({"rev-parse", "--git-path", "hooks"})) {
        if (m_directory.is_relative())
            m_directory = workspace.repository().paths().worktree / m_directory;
    }

    [[nodiscard]] bool has(const std::string& name) const { return lstat_if_exists(m_directory / name).has_value(); }

    void run(const std::string& name, const std::vector<std::string>& args, const std::string& input = {}) {
        const auto file = m_directory / name;
        if (m_interrupted || !has(name))
            return;
        if (access(file.c_str(), X_OK) != 0) {
            m_notes.push_back(fmt::format("hook {} was ignored, for it is not executable", name));
            return;
        }
        m_workspace.progress("hooks", name);
        try {
            git::RunOptions options;
            options.input = input;
            options.time_limit = std::chrono::seconds(m_workspace.settings().hook_seconds);
            tell(name, m_workspace.repository().program().run_hook(file, args, options));
        } catch (const Error& error) {
            m_interrupted = error.kind() == ErrorKind::interrupted;
            m_notes.push_back(
                m_interrupted ? fmt::format("hook {} was interrupted, and no other was run", name)
                              : fmt::format("hook {} could not be run: {}", name, escape_terminal(error.message())));
        }
    }

private:
    void tell(const std::string& name, const ProcessResult& result) {
        if (!result.output.empty()) {
            m_log += fmt::format("$ {}\n{}exit {}\n", name, result.output, result.exit_code);
            write_file_atomic(m_workspace.runs().directory(m_run) / "hooks.log", m_log);
        }
        if (result.stalled)
            m_notes.push_back(
                fmt::format("hook {} took longer than {} s and was ended", name, m_workspace.settings().hook_seconds));
        else if (!result.ok())
            m_notes.push_back(fmt::format("hook {} exited with {}{}", name, result.exit_code,
                                          result.output.empty() ? "" : ": " + last_line(result.output)));
    }

    Workspace& m_workspace;
    std::string m_run;
    std::vector<std::string>& m_notes;
    std::filesystem::path m_directory;
    std::string m_log;
    bool m_interrupted = false;
};

/// As git does for a rebase: notes go along where notes.rewriteRef says which.
void copy_notes(const git::Repository& repository, const Rewritten& rewritten, std::vector<std::string>& notes) {
    if (rewritten.empty() || !repository.config().get("notes.rewriteRef"))
        return;
    git::RunOptions options;
    options.input = lines_of(rewritten);
    const auto result = repository.program().run({"notes", "copy", "--for-rewrite=rebase"}, options);
    if (!result.ok())
        notes.push_back(
            fmt::format("the notes of rebased commits were not copied: {}", escape_terminal(git::words_of(result))));
}

void run_all_hooks(Workspace& workspace, const std::string& run, const HeadMove& move,
                   std::vector<std::string>& notes) {
    auto& repository = workspace.repository();
    copy_notes(repository, move.rewritten, notes);
    if (!workspace.settings().hooks || move.before == move.after || move.before.is_null())
        return;
    Hooks hooks(workspace, run, notes);
    if (!hooks.has("post-checkout") && !hooks.has("post-merge") && !hooks.has("post-rewrite"))
        return;
    const bool forward =
        move.by_upgrade && move.rewritten.empty() && git::is_ancestor(repository.program(), move.before, move.after);
    if (forward) {
        hooks.run("post-merge", {"0"});
        return;
    }
    hooks.run("post-checkout", {move.before.hex(), move.after.hex(), "1"});
    if (!move.rewritten.empty())
        hooks.run("post-rewrite", {"rebase"}, lines_of(move.rewritten));
}

} // namespace

Rewritten rewritten_commits(const merge::RebasedChain& chain) {
    Rewritten rewritten;
    for (const auto& link : chain.links)
        if (link.link.merge_parents.empty() && !link.new_commit.is_null() && !link.link.commit.is_null() &&
            link.new_commit != link.link.commit)
            rewritten.emplace_back(link.link.commit, link.new_commit);
    return rewritten;
}

void run_hooks(Workspace& workspace, const std::string& run, const HeadMove& move, std::vector<std::string>& notes) {
    try {
        run_all_hooks(workspace, run, move, notes);
    } catch (const Error& error) {
        // HEAD has moved: what follows must be recorded all the same
        if (error.kind() != ErrorKind::interrupted)
            throw;
        notes.emplace_back("hooks were not run, for a signal came");
    }
}

void run_submodule_hooks(Workspace& submodule, const std::string& run, HeadMove move, std::vector<std::string>& notes) {
    move.by_upgrade = false;
    std::vector<std::string> inner;
    run_hooks(submodule, run, move, inner);
    for (const auto& note : inner)
        notes.push_back(fmt::format("{}: {}", submodule.shown({}), note));
}

} // namespace carry::pipeline
