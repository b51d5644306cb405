#include "pipeline/plan.hpp"

#include "base/directory.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "git/commit.hpp"
#include "git/history.hpp"
#include "git/promisor.hpp"
#include "git/rules_tree.hpp"
#include "git/sparse.hpp"
#include "pipeline/submodules.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace carry::pipeline {

namespace {

using merge::ChainLink;

/// A link of this name would be read as the list of submodules, and lead git elsewhere.
bool is_gitmodules(std::string_view name) {
    while (name.ends_with(' ') || name.ends_with('.'))
        name.remove_suffix(1);
    constexpr std::string_view wanted = ".gitmodules";
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(name, wanted, {}, lower);
}

/// Nothing of upstream's may stand outside the tree or inside .git, whatever a file system takes for that.
void refuse_unsafe(const git::TreeChange& change) {
    const bool link = change.after->is_link() && is_gitmodules(name_of(change.path));
    if (is_safe_repo_path(change.path) && !link)
        return;
    throw Error(ErrorKind::refused,
                fmt::format("upstream holds {}, {} git would not check out either", quoted(change.path),
                            link ? "a link that" : "a path that"),
                {"git carry upgrade --to REV   goes to an earlier commit of upstream's, without it"});
}

/// Paths that upstream brings and that are on disk although the chain does not know them: ignored files, or untracked
/// ones over the budget.
std::vector<std::string> in_the_way(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target) {
    auto& repository = workspace.repository();
    auto& trees = repository.trees();
    DirectoryTree directories(repository.paths().worktree);
    std::vector<std::string> paths;
    const auto base_tree = trees.tree_of_commit(target.base);
    for (const auto& change : trees.diff(base_tree, trees.tree_of_commit(target.commit))) {
        if (!change.after)
            continue;
        refuse_unsafe(change);
        // A directory of ours may hold more than the chain knows.
        if (const auto ours = trees.find(snapshot.untracked_tree, change.path); ours && !ours->is_tree())
            continue;
        if (const auto status = directories.status(change.path)) {
            paths.push_back(change.path);
            continue;
        }
        // A file of ours where upstream wants a directory.
        for (auto parent = parent_of(change.path); !parent.empty(); parent = parent_of(parent)) {
            const auto status = directories.status(parent);
            if (status && !S_ISDIR(status->st_mode) && !trees.find(snapshot.untracked_tree, parent))
                paths.emplace_back(parent);
        }
    }
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    return paths;
}

void refuse_too_large(Workspace& workspace, const std::vector<std::string>& paths) {
    DirectoryTree directories(workspace.repository().paths().worktree);
    for (const auto& path : paths) {
        const auto status = directories.status(path);
        if (status && S_ISREG(status->st_mode) &&
            static_cast<std::uint64_t>(status->st_size) > workspace.settings().in_the_way_limit)
            throw Error(ErrorKind::refused,
                        fmt::format("{} is in upstream's way and larger than the limit of {} bytes", quoted(path),
                                    workspace.settings().in_the_way_limit),
                        {fmt::format("mv {} ELSEWHERE", shell_quote(path)),
                         "git config carry.inTheWayLimit 8g   raises the limit"});
    }
}

bool on_another_remote_ref(const git::Repository& repository, const git::ObjectId& commit, const Target& target) {
    const auto refs = repository.program().output(
        {"for-each-ref", "--contains", commit.hex(), "--format=%(refname)", "refs/remotes"});
    for (const auto ref : split_terminated(refs, '\n'))
        if (ref != target.tracking_ref && !ref.ends_with("/HEAD"))
            return true;
    return false;
}

/// Why the local commits cannot be replayed one by one; empty: they can.
std::string reason_to_merge(Workspace& workspace, const std::vector<git::RangeCommit>& commits, const Target& target) {
    switch (workspace.settings().integrate) {
    case Integrate::merge:
        return "as asked";
    case Integrate::rebase:
    case Integrate::automatic:
        break;
    }
    const bool merges =
        std::any_of(commits.begin(), commits.end(), [](const auto& commit) { return commit.parents.size() > 1; });
    if (merges && workspace.settings().integrate == Integrate::rebase)
        throw Error(ErrorKind::refused, "the local commits hold a merge and cannot be rebased",
                    {"git carry upgrade --integrate=merge   merges upstream into the branch instead"});
    if (merges)
        return "the local commits hold a merge";
    if (workspace.settings().integrate == Integrate::automatic && !commits.empty() &&
        on_another_remote_ref(workspace.repository(), commits.front().id, target))
        return "the local commits are on another remote branch already";
    return {};
}

ChainLink merge_link(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target) {
    ChainLink link;
    link.layer = Layer::commit;
    link.commit = snapshot.head.commit;
    link.before = workspace.repository().trees().tree_of_commit(target.base);
    link.after = snapshot.head_tree;
    link.label = "local commits";
    link.merge_parents = {snapshot.head.commit, target.commit};
    link.merge_message = fmt::format("Merge {} into {}\n", target.name, snapshot.head.display());
    return link;
}

void note_merge(Plan& plan, std::string_view reason) {
    plan.integrates_by_merge = true;
    plan.notes.push_back(fmt::format("upstream is merged in instead of rebasing: {}", reason));
    if (plan.local_commits > 1)
        plan.notes.back() +=
            fmt::format("; what the {} local commits change is listed under the last one", plan.local_commits);
}

void add_commits(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target, Plan& plan,
                 std::vector<ChainLink>& links) {
    auto& repository = workspace.repository();
    const auto commits = git::commits_between(repository.program(), target.base, snapshot.head.commit);
    plan.local_commits = commits.size();
    if (commits.empty())
        return;
    if (const auto reason = reason_to_merge(workspace, commits, target); !reason.empty()) {
        note_merge(plan, reason);
        links.push_back(merge_link(workspace, snapshot, target));
        return;
    }
    auto parent_tree = repository.trees().tree_of_commit(target.base);
    for (const auto& commit : commits) {
        const auto read = git::read_commit(repository.objects(), commit.id);
        ChainLink link;
        link.layer = Layer::commit;
        link.commit = commit.id;
        link.before = parent_tree;
        link.after = read.tree;
        link.label = fmt::format("{} {}", commit.id.short_hex(), escape_terminal(read.subject()));
        parent_tree = read.tree;
        links.push_back(std::move(link));
    }
}

ChainLink layer_link(Layer layer, const git::ObjectId& before, const git::ObjectId& after) {
    ChainLink link;
    link.layer = layer;
    link.before = before;
    link.after = after;
    link.label = fmt::format("yours ({})", to_string(layer));
    return link;
}

/// Paths with uncommitted changes that upstream stopped tracking and ignores now.
std::vector<std::string> released_paths(Workspace& workspace, const snapshot::Snapshot& snapshot,
                                        const Target& target) {
    auto& repository = workspace.repository();
    auto& trees = repository.trees();
    const auto base = trees.tree_of_commit(target.base);
    const auto upstream = trees.tree_of_commit(target.commit);
    std::vector<std::string> paths;
    for (const auto& change : trees.diff(snapshot.head_tree, snapshot.unstaged_tree))
        if (change.before && change.after && trees.find(base, change.path) && !trees.find(upstream, change.path))
            paths.push_back(change.path);
    return git::ignored_in_tree(repository.program(), trees, upstream, paths);
}

/// The uncommitted layers without the changes of released paths.
void release(Workspace& workspace, const snapshot::Snapshot& snapshot, Plan& plan) {
    auto& trees = workspace.repository().trees();
    git::TreeEdits edits;
    for (const auto& path : plan.released)
        edits[path] = trees.find(snapshot.head_tree, path);
    for (auto& link : plan.links) {
        if (link.layer == Layer::commit)
            continue;
        link.before = trees.edit(link.before, edits);
        link.after = trees.edit(link.after, edits);
    }
    std::erase_if(plan.links,
                  [](const ChainLink& link) { return link.layer != Layer::commit && link.before == link.after; });
}

/// What a partial clone will have to read: the three versions of what the links touch, and what upstream's change puts
/// on disk.
void fetch_what_is_missing(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target,
                           const Plan& plan) {
    auto& repository = workspace.repository();
    if (!repository.capabilities().partial_clone)
        return;
    auto& trees = repository.trees();
    const auto upstream = trees.tree_of_commit(target.commit);
    std::vector<git::ObjectId> blobs;
    const auto need = [&](const std::optional<git::TreeEntry>& entry) {
        if (entry && (entry->is_regular() || entry->is_link()))
            blobs.push_back(entry->id);
    };
    for (const auto& link : plan.links)
        for (const auto& change : trees.diff(link.before, link.after)) {
            need(change.before);
            need(change.after);
            need(trees.find(upstream, change.path));
        }
    const auto changes = trees.diff(snapshot.staged_tree, upstream);
    std::vector<std::string> brought;
    for (const auto& change : changes)
        if (change.after && !change.before)
            brought.push_back(change.path);
    std::set<std::string> left_out(snapshot.flags.skip_worktree.begin(), snapshot.flags.skip_worktree.end());
    if (repository.capabilities().sparse_checkout)
        left_out.merge(git::outside_sparse_checkout(repository.program(), repository.objects(), brought));
    for (const auto& change : changes)
        if (!left_out.contains(change.path))
            need(change.after);
    git::fetch_missing_blobs(repository, blobs);
}

/// Parked patches follow those of their own layer.
std::vector<ChainLink> with_parked(std::vector<ChainLink> links, const std::vector<ParkedPatch>& parked) {
    for (const auto& patch : parked)
        links.insert(links.end(), patch.links.begin(), patch.links.end());
    std::stable_sort(links.begin(), links.end(), [](const auto& a, const auto& b) { return a.layer < b.layer; });
    return links;
}

merge::RebasedChain rebase(Workspace& workspace, const Target& target, const Plan& plan,
                           const std::vector<ChainLink>& links, SubmodulePlanner& submodules) {
    merge::RebaseInput input;
    input.base = plan.onto.is_null() ? target.base : plan.onto;
    input.onto = plan.onto.is_null() ? target.commit : plan.onto;
    input.links = links;
    input.mode = merge::ConflictMode::set_aside;
    input.markers = marker_options(workspace.settings(), target);
    input.rules = workspace.settings().rules;
    input.committer = committer_line(workspace);
    input.gitlinks = [&](Layer layer, const merge::GitlinkSides& sides) { return submodules.merge(layer, sides); };
    input.resolutions = workspace.resolutions();
    return merge::rebase_chain(workspace.repository(), input);
}

bool is_own_commit(const ChainLink& link) {
    return link.layer == Layer::commit && link.parked_name.empty();
}

/// Commits that conflict one by one (one of them undoes what collides) may merge cleanly as a whole: then upstream is
/// merged in, unless the user wants a rebase.
void merge_where_replaying_conflicts(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target,
                                     Plan& plan, SubmodulePlanner& submodules) {
    if (workspace.settings().integrate != Integrate::automatic || plan.integrates_by_merge || plan.local_commits < 2)
        return;
    const auto conflict = std::find_if(plan.chain.links.begin(), plan.chain.links.end(), [](const auto& link) {
        return is_own_commit(link.link) && !link.merge.clean();
    });
    if (conflict == plan.chain.links.end())
        return;
    auto links = plan.links;
    std::erase_if(links, is_own_commit);
    links.insert(links.begin(), merge_link(workspace, snapshot, target));
    auto chain = rebase(workspace, target, plan, links, submodules);
    if (chain.links.front().set_aside)
        return;
    note_merge(plan, fmt::format("commit {} alone conflicts, the local commits together do not", conflict->link.label));
    plan.links = std::move(links);
    plan.chain = std::move(chain);
}

} // namespace

Plan::Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

bool Plan::clean() const {
    return chain.clean() && submodules_clean(*this);
}

bool changes_nothing(Workspace& workspace, const snapshot::Snapshot& snapshot, const Plan& plan,
                     const std::vector<ParkedPatch>& parked) {
    return plan.chain.head == snapshot.head.commit && plan.chain.staged_tree == snapshot.staged_tree &&
           plan.chain.untracked_tree == snapshot.untracked_tree && plan.nested.empty() &&
           parked_from(workspace, plan.chain, {}, {}, parked).size() == parked.size();
}

git::ConflictStyle conflict_style(const Settings& settings) {
    switch (settings.markers) {
    case ConflictMarkers::merge:
        return git::ConflictStyle::merge;
    case ConflictMarkers::diff3:
        return git::ConflictStyle::diff3;
    case ConflictMarkers::zdiff3:
        break;
    }
    return git::ConflictStyle::zdiff3;
}

git::MergeOptions marker_options(const Settings& settings, const Target& target) {
    git::MergeOptions options;
    options.ours_label = fmt::format("upstream {} ({})", target.commit.short_hex(), target.name);
    options.base_label = fmt::format("base {}", target.base.short_hex());
    options.theirs_label = "yours";
    options.style = conflict_style(settings);
    return options;
}

std::string committer_line(Workspace& workspace) {
    const auto result = workspace.repository().program().run({"var", "GIT_COMMITTER_IDENT"});
    return result.ok() ? std::string(trim(result.output)) : std::string();
}

std::vector<ChainLink> chain_links(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target,
                                   Plan& plan) {
    std::vector<ChainLink> links;
    add_commits(workspace, snapshot, target, plan, links);
    links.push_back(layer_link(Layer::staged, snapshot.head_tree, snapshot.staged_tree));
    links.push_back(layer_link(Layer::unstaged, snapshot.staged_tree, snapshot.unstaged_tree));
    links.push_back(layer_link(Layer::untracked, snapshot.unstaged_tree, snapshot.untracked_tree));
    std::erase_if(links,
                  [](const ChainLink& link) { return link.layer != Layer::commit && link.before == link.after; });
    return links;
}

Plan make_plan(Workspace& workspace, snapshot::Snapshot& snapshot, const Target& target,
               const std::vector<ParkedPatch>& parked) {
    auto& repository = workspace.repository();
    workspace.progress("plan");
    Plan plan;
    plan.links = chain_links(workspace, snapshot, target, plan);
    if (target.base == target.commit) { // upstream is in already: the commits stay what they are
        plan.onto = snapshot.head.commit;
        plan.notes.clear();
        std::erase_if(plan.links, [](const ChainLink& link) { return link.layer == Layer::commit; });
    }
    const auto known_tree = snapshot.untracked_tree;
    if (const auto paths = in_the_way(workspace, snapshot, target); !paths.empty()) {
        refuse_too_large(workspace, paths);
        snapshot.untracked_tree = snapshot::capture_in_the_way(repository, snapshot, paths);
        if (snapshot.untracked_tree != known_tree)
            plan.links.push_back(layer_link(Layer::ignored, known_tree, snapshot.untracked_tree));
    }
    plan.released = released_paths(workspace, snapshot, target);
    if (!plan.released.empty())
        release(workspace, snapshot, plan);
    plan.links = with_parked(std::move(plan.links), parked);
    fetch_what_is_missing(workspace, snapshot, target, plan);

    SubmodulePlanner submodules(workspace, snapshot);
    plan.chain = rebase(workspace, target, plan, plan.links, submodules);
    if (plan.onto.is_null())
        merge_where_replaying_conflicts(workspace, snapshot, target, plan, submodules);
    submodules.finish(plan);
    return plan;
}

} // namespace carry::pipeline
