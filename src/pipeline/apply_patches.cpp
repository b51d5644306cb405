// apply: patches from files become links of a chain on HEAD, and go the way of an upgrade.
#include "base/file.hpp"
#include "base/text.hpp"
#include "git/commit.hpp"
#include "patch/patch.hpp"
#include "pipeline/describe.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/preflight.hpp"
#include "pipeline/retention.hpp"
#include "pipeline/sign.hpp"
#include "pipeline/upgrade.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace carry::pipeline {

namespace {

/// A commit object that holds a mail's author and message, for the walk to take them from.
git::ObjectId commit_of_mail(Workspace& workspace, const patch::ReadPatch& read, const git::ObjectId& tree) {
    git::Commit commit;
    commit.tree = tree;
    commit.parents = {workspace.repository().head().commit};
    auto author = git::Signature::parse(read.author);
    commit.author = author.line();
    commit.committer = committer_line(workspace);
    if (commit.committer.empty())
        commit.committer = commit.author;
    commit.encoding = read.encoding;
    commit.message = read.message;
    return workspace.repository().objects().write(git::ObjectType::commit, commit.serialize());
}

/// A submodule that is checked out would be left behind.
void refuse_submodule_moves(Workspace& workspace, const std::string& name, const merge::ChainLink& link) {
    for (const auto& change : workspace.repository().trees().diff(link.before, link.after)) {
        const bool gitlink =
            (change.before && change.before->is_gitlink()) || (change.after && change.after->is_gitlink());
        if (gitlink && lstat_if_exists(workspace.repository().paths().worktree / change.path / ".git"))
            throw Error(
                ErrorKind::refused,
                fmt::format("{} moves the submodule {}, which is checked out", quoted(name), quoted(change.path)),
                {fmt::format("git -C {} checkout COMMIT   moves it by hand", shell_quote(change.path))});
    }
}

merge::ChainLink link_of(Workspace& workspace, const patch::ReadPatch& read, const git::ObjectId& head_tree) {
    const auto trees = patch::trees_of_patch(workspace.repository(), read, head_tree);
    if (!trees)
        throw Error(ErrorKind::failed,
                    fmt::format("{} was made on file versions that are not known here", quoted(read.file.name)),
                    {"git fetch --all   may bring them",
                     fmt::format("git apply --3way {}   tries it by git alone", shell_quote(read.file.name))});
    merge::ChainLink link;
    link.layer = read.file.layer;
    link.before = trees->before;
    link.after = trees->after;
    link.label = read.file.title;
    if (link.layer == Layer::commit)
        link.commit = commit_of_mail(workspace, read, trees->after);
    refuse_submodule_moves(workspace, read.file.name, link);
    return link;
}

Plan plan_patches(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target,
                  const std::vector<std::filesystem::path>& files) {
    Plan plan;
    plan.links = chain_links(workspace, snapshot, target, plan);
    for (const auto& read : patch::read_patches(files))
        plan.links.push_back(link_of(workspace, read, snapshot.head_tree));
    // What is applied follows what is there, layer by layer.
    std::stable_sort(plan.links.begin(), plan.links.end(),
                     [](const auto& a, const auto& b) { return a.layer < b.layer; });
    merge::RebaseInput input;
    input.base = target.base;
    input.onto = target.commit;
    input.links = plan.links;
    input.markers = marker_options(workspace.settings(), target);
    input.rules = workspace.settings().rules;
    input.committer = committer_line(workspace);
    input.resolutions = workspace.resolutions();
    plan.chain = merge::rebase_chain(workspace.repository(), input);
    return plan;
}

} // namespace

} // namespace carry::pipeline

namespace carry {

Report apply_patches(const Request& request, const std::vector<std::filesystem::path>& files) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, Access::change);
    auto report = workspace.report("apply");
    preflight(workspace);
    const auto snapshot = snapshot::capture(workspace.repository(), workspace.settings());
    Target target;
    target.name = snapshot.head.display();
    target.commit = target.base = snapshot.head.commit;
    auto plan = plan_patches(workspace, snapshot, target, files);
    sign_chain(workspace, plan.chain, plan.warnings);
    describe_plan(workspace, report, snapshot, target, plan, workspace.settings().on_conflict == OnConflict::park);
    report.upstream.clear();
    const auto parked = load_parked(workspace.runs());
    OpenRun run(workspace, "apply", report.time);
    carry_out(workspace, run, {snapshot, target, parked}, plan, report);
    if (report.outcome == Outcome::upgraded)
        report.outcome = Outcome::applied;
    report.next = next_commands(report);
    run.keep(report);
    retain_runs(workspace.runs(), workspace.repository(), workspace.settings().keep_runs);
    return report;
}

} // namespace carry
