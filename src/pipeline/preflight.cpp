#include "pipeline/preflight.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "config/settings.hpp"
#include "git/history.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace carry::pipeline {

namespace {

constexpr int lock_patience = 20; // pauses
constexpr std::chrono::milliseconds lock_pause{50};

using git::Operation;

struct WayOut {
    std::string_view name, finish, abort;
};

WayOut way_out(Operation operation) {
    switch (operation) {
    case Operation::merge:
        return {"merge", "git commit", "git merge --abort"};
    case Operation::rebase:
        return {"rebase", "git rebase --continue", "git rebase --abort"};
    case Operation::cherry_pick:
        return {"cherry-pick", "git cherry-pick --continue", "git cherry-pick --abort"};
    case Operation::revert:
        return {"revert", "git revert --continue", "git revert --abort"};
    case Operation::bisect:
        return {"bisect", "git bisect reset", "git bisect reset"};
    case Operation::am:
        return {"am", "git am --continue", "git am --abort"};
    case Operation::sequencer:
    case Operation::none:
        break;
    }
    return {"sequence of commits", "git cherry-pick --continue", "git cherry-pick --quit"};
}

void refuse_operation(const git::Repository& repository) {
    const auto operation = repository.operation();
    if (operation == Operation::none)
        return;
    const auto way = way_out(operation);
    Error error(ErrorKind::refused, fmt::format("{} {} is in progress in {}", operation == Operation::am ? "an" : "a",
                                                way.name, quoted(repository.paths().worktree.string())));
    error.hint(fmt::format("{}   finishes it", way.finish));
    if (way.abort != way.finish)
        error.hint(fmt::format("{}   gives it up", way.abort));
    throw error;
}

void refuse_index_lock(const git::Repository& repository) {
    const auto path = repository.paths().git_dir / "index.lock";
    auto status = lstat_if_exists(path);
    // a git status in an editor or a prompt holds it for a moment
    for (int waited = 0; status && waited < lock_patience && now_seconds() - status->st_mtim.tv_sec < 5; ++waited) {
        std::this_thread::sleep_for(lock_pause);
        status = lstat_if_exists(path);
    }
    if (!status)
        return;
    const auto age = relative_time(status->st_mtim.tv_sec, now_seconds());
    throw Error(ErrorKind::refused, fmt::format("the index is locked: {} was made {}", quoted(path.string()), age),
                {fmt::format("rm {}   when no git process is at work in this repository", shell_quote(path.string()))});
}

void refuse_unmerged(const git::Repository& repository) {
    const auto output = repository.program().output({"ls-files", "-u", "-z"});
    const auto records = split_terminated(output, '\0');
    if (records.empty())
        return;
    const auto tab = records.front().find('\t');
    const auto path = records.front().substr(tab == std::string_view::npos ? 0 : tab + 1);
    throw Error(
        ErrorKind::refused, fmt::format("{} has unresolved conflicts", quoted(path)),
        {fmt::format("git add {}   when it is resolved", shell_quote(path)), "git status   shows what is in conflict"});
}

/// The other working tree would be left behind on a commit that its branch has left.
void refuse_checked_out_twice(const git::Repository& repository) {
    const auto branch = repository.head().branch;
    if (!branch || !lstat_if_exists(repository.paths().common_dir / "worktrees"))
        return;
    for (const auto& other : git::worktrees_on(repository.program(), *branch))
        throw Error(ErrorKind::refused,
                    fmt::format("{} is checked out in {} as well", quoted(repository.head().display()), quoted(other)),
                    {fmt::format("git -C {} checkout --detach   leaves the branch to this one", shell_quote(other))});
}

void refuse_waiting(Workspace& workspace) {
    if (const auto id = workspace.runs().current())
        throw Error(
            ErrorKind::refused, fmt::format("the conflicts of run {} wait to be resolved", *id),
            {"git carry continue   when they are resolved and staged", "git carry abort   gives the upgrade up"});
}

void refuse_features(const git::Repository& repository) {
    const auto& has = repository.capabilities();
    const auto refuse = [&](std::string_view what, std::string hint) {
        throw Error(ErrorKind::refused,
                    fmt::format("{} in {} is not handled yet", what, quoted(repository.paths().worktree.string())),
                    {std::move(hint)});
    };
    if (has.reftable)
        refuse("the reftable format", "git refs migrate --ref-format=files   changes the format");
}

} // namespace

void refuse_untrusted_settings(Workspace& workspace) {
    if (!workspace.prefix().empty())
        return; // a submodule has the settings of the checkout around it
    const auto& repository = workspace.repository();
    const auto file = config::read_checkout_file(repository.paths().worktree);
    if (!file || file->decisions.empty())
        return;
    // What the user has set elsewhere for the same keys counts anyway.
    auto trusted = config::settings_with(*file, repository.config(), workspace.request().config_file);
    if (workspace.request().command_line)
        workspace.request().command_line(trusted);
    if (config::same_settings(trusted, workspace.settings()))
        return;
    std::vector<std::string> keys;
    for (const auto& [key, values] : file->decisions)
        keys.push_back(fmt::format("'{}'", key));
    throw Error(ErrorKind::refused,
                fmt::format("'.carry.yaml' sets {}, and you have not trusted it as it stands now", join(keys, ", ")),
                {"git carry trust --show   shows what it decides", "git carry trust   lets it decide",
                 "a setting of your own (git config, --config, an option) counts instead of it"});
}

void refuse_foreign_operation(Workspace& workspace) {
    const auto& repository = workspace.repository();
    refuse_operation(repository);
    refuse_index_lock(repository);
}

void preflight(Workspace& workspace) {
    const auto& repository = workspace.repository();
    refuse_untrusted_settings(workspace);
    refuse_waiting(workspace);
    refuse_foreign_operation(workspace);
    refuse_unmerged(repository);
    refuse_checked_out_twice(repository);
    refuse_features(repository);
    if (repository.head().commit.is_null())
        throw Error(ErrorKind::refused, fmt::format("{} has no commit yet", quoted(repository.head().display())),
                    {"git pull   brings the first commits"});
}

} // namespace carry::pipeline
