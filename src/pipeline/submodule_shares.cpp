// The submodules of a plan as shares of a run, and as the report and errors name them.
#include "base/file.hpp"
#include "base/text.hpp"
#include "pipeline/submodule_parked.hpp"
#include "pipeline/submodules.hpp"
#include "pipeline/upgrade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carry::pipeline {

namespace {

std::string in_directory(const std::string& hint, const std::string& directory) {
    constexpr std::string_view git = "git ";
    constexpr std::string_view git_carry = "git carry ";
    for (const auto command : {git_carry, git})
        if (hint.rfind(command, 0) == 0)
            return fmt::format("{}-C {} {}", command, shell_quote(directory), hint.substr(command.size()));
    return hint;
}

} // namespace

std::vector<std::string> checked_out_submodules(Workspace& workspace, const snapshot::Snapshot& snapshot,
                                                bool changed_only) {
    std::vector<std::string> paths;
    if (!workspace.repository().capabilities().submodules)
        return paths;
    if (changed_only) {
        for (const auto& entry : snapshot.status.entries)
            if (entry.submodule.starts_with('S'))
                paths.push_back(entry.path);
    } else {
        for (const auto& [path, entry] : workspace.repository().trees().leaves(snapshot.unstaged_tree))
            if (entry.is_gitlink())
                paths.push_back(path);
    }
    std::erase_if(paths, [&](const std::string& path) {
        return !lstat_if_exists(workspace.repository().paths().worktree / path / ".git");
    });
    std::sort(paths.begin(), paths.end());
    return paths;
}

git::ObjectId last_published(const git::Repository& repository, const git::ObjectId& commit) {
    if (commit.is_null())
        return commit;
    const auto output = repository.program().output({"rev-list", "--boundary", commit.hex(), "--not", "--remotes"});
    for (const auto line : split_terminated(output, '\n'))
        if (line.starts_with('-'))
            return git::ObjectId::from_hex(line.substr(1));
    return output.empty() ? commit : git::ObjectId{};
}

bool submodules_clean(const Plan& plan) {
    return plan.abandoned.empty() && std::all_of(plan.nested.begin(), plan.nested.end(),
                                                 [](const NestedCheckout& nested) { return nested.plan.clean(); });
}

bool waits_when_marked(const Workspace& workspace, const Plan& plan) {
    return workspace.settings().on_conflict == OnConflict::mark && !only_parked_conflicts(plan);
}

void add_submodules(std::vector<Moving>& all, const Plan& plan, const RunRecord& record,
                    std::vector<SubmodulePending>* pending) {
    for (const auto& nested : plan.nested) {
        auto& workspace = *nested.workspace;
        Marked marked;
        const bool waits = pending != nullptr && waits_when_marked(workspace, nested.plan);
        if (waits)
            marked = mark_plan(workspace, nested.snapshot, nested.target, nested.plan, record.id);
        else
            marked.landing = land_plan(nested.snapshot, nested.plan);
        marked.landing.detaches = nested.detaches;
        auto move =
            pipeline::plan_move(workspace, nested.snapshot, marked.landing,
                                fmt::format("carry: {} to {}", record.command, nested.target.commit.short_hex()));
        all.push_back({&workspace, &nested.snapshot, nested.target.base, nested.target.commit,
                       std::move(marked.landing), std::move(move)});
        make_directories(workspace.runs().directory(record.id), 0700);
        record_parked_before(workspace, record.id);
        add_submodules(all, nested.plan, record, pending == nullptr ? nullptr : &marked.pending.submodules);
        if (waits)
            pending->push_back({nested.path, std::move(marked.pending)});
    }
}

void refuse_waiting_submodules(Workspace& workspace, const Plan& plan, const Pending& pending) {
    for (const auto& link : pending.links)
        for (const auto& change : workspace.repository().trees().diff(link.before, link.after))
            for (const auto& nested : plan.nested)
                if (change.path == nested.path)
                    throw Error(ErrorKind::refused,
                                fmt::format("a commit is in conflict, and changes that would have to wait move the "
                                            "submodule {}",
                                            quoted(workspace.prefix() + change.path)),
                                {"git carry upgrade --on-conflict=park   sets the commit in conflict aside"});
}

bool is_in_submodule(const Workspace& workspace, const Plan& plan, const std::string& shown_path) {
    return std::any_of(plan.nested.begin(), plan.nested.end(), [&](const NestedCheckout& nested) {
        return shown_path.starts_with(workspace.shown(nested.path + "/"));
    });
}

void tell_set_aside_commits(const Workspace& workspace, const NestedCheckout& nested, bool parked, Report& report) {
    const auto& links = nested.plan.chain.links;
    if (std::none_of(links.begin(), links.end(),
                     [](const merge::LinkOutcome& link) { return link.set_aside && link.link.parked_name.empty(); }))
        return;
    for (auto& patch : report.patches)
        if (patch.path == workspace.shown(nested.path) && patch.fate == Fate::absorbed) {
            patch.fate = parked ? Fate::parked : Fate::conflict;
            patch.by.reset();
            patch.note = parked ? "commits in it are set aside" : "commits in it are in conflict";
        }
}

Error named_error(const Workspace& submodule, const Error& error) {
    const auto directory = submodule.prefix().substr(0, submodule.prefix().size() - 1);
    Error named(error.kind(), fmt::format("in the submodule {}: {}", quoted(directory), error.message()));
    for (const auto& cause : error.causes())
        named.because(cause);
    for (const auto& hint : error.hints())
        named.hint(in_directory(hint, directory));
    return named;
}

} // namespace carry::pipeline
