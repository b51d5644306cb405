#include "pipeline/submodules.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "git/fetch.hpp"
#include "git/history.hpp"
#include "pipeline/preflight.hpp"
#include "pipeline/submodule_parked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carry::pipeline {

namespace {

[[noreturn]] void refuse_missing(const Workspace& workspace, const std::string& path, const git::ObjectId& commit,
                                 const Error* cause) {
    const auto directory = workspace.prefix() + path;
    Error error(ErrorKind::refused, fmt::format("commit {} of the submodule {} {}", commit.short_hex(),
                                                quoted(directory), cause ? "cannot be fetched" : "is not to be had"));
    if (cause) {
        error.because(cause->message());
        for (const auto& text : cause->causes())
            error.because(text);
    }
    error.hint(fmt::format("git -C {} fetch   shows what is wrong", shell_quote(directory)));
    error.hint(fmt::format("git submodule sync {}   takes over a URL that has changed", shell_quote(directory)));
    throw error;
}

/// Brings a commit that the checkout around `nested` records, from the submodule's own remote.
void bring(Workspace& outer, NestedCheckout& nested, const git::ObjectId& commit) {
    auto& repository = nested.workspace->repository();
    const auto is_here = [&] { return repository.objects().contains(commit); };
    if (is_here())
        return;
    git::FetchRequest request;
    request.remote = default_remote(repository);
    request.stall_timeout = std::chrono::seconds(outer.settings().fetch_stall_seconds);
    if (outer.settings().offline || request.remote.empty())
        refuse_missing(outer, nested.path, commit, nullptr);
    outer.progress("fetch", nested.workspace->prefix());
    try {
        git::fetch(repository, request, outer.request().progress);
        if (is_here())
            return;
        request.extra_refspecs = {commit.hex()}; // on no branch that is fetched
        git::fetch(repository, request, outer.request().progress);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::failed)
            throw;
        refuse_missing(outer, nested.path, commit, &error);
    }
    if (!is_here())
        refuse_missing(outer, nested.path, commit, nullptr);
}

/// True where some remote has the commit: it is somebody's version, not work of this checkout.
bool is_published(const git::Repository& repository, const git::ObjectId& commit) {
    return !repository.program()
                .output({"for-each-ref", "--count=1", "--contains", commit.hex(), "refs/remotes"})
                .empty();
}

bool is_checked_out(Workspace& workspace, const std::string& path) {
    return lstat_if_exists(workspace.repository().paths().worktree / path / ".git").has_value();
}

bool is_gitlink(const std::optional<git::TreeEntry>& entry) {
    return entry && entry->is_gitlink();
}

bool in_conflict(const merge::RebasedChain& chain, const std::string& path) {
    return std::any_of(chain.links.begin(), chain.links.end(), [&](const merge::LinkOutcome& link) {
        return std::any_of(link.merge.paths.begin(), link.merge.paths.end(), [&](const merge::PathOutcome& outcome) {
            return outcome.conflict && outcome.new_path == path;
        });
    });
}

} // namespace

struct SubmodulePlanner::Opened {
    NestedCheckout nested;
    snapshot::Snapshot captured; ///< a plan adds to its own copy
};

SubmodulePlanner::SubmodulePlanner(Workspace& workspace, const snapshot::Snapshot& snapshot)
    : m_workspace(workspace), m_snapshot(snapshot) {}

SubmodulePlanner::~SubmodulePlanner() = default;

SubmodulePlanner::Opened* SubmodulePlanner::open(const std::string& path) {
    if (const auto found = m_opened.find(path); found != m_opened.end())
        return found->second.get();
    auto& slot = m_opened[path];
    if (!is_checked_out(m_workspace, path))
        return nullptr;
    auto opened = std::make_unique<Opened>();
    opened->nested.path = path;
    opened->nested.workspace = std::make_unique<Workspace>(m_workspace.nested(path));
    within(*opened->nested.workspace, [&] {
        preflight(*opened->nested.workspace);
        opened->captured =
            snapshot::capture(opened->nested.workspace->repository(), opened->nested.workspace->settings());
    });
    const auto recorded = m_workspace.repository().trees().find(m_snapshot.unstaged_tree, path);
    if (!recorded || recorded->id != opened->captured.head.commit)
        throw Error(ErrorKind::refused,
                    fmt::format("the submodule {} was changed while the upgrade was being planned",
                                quoted(m_workspace.prefix() + path)),
                    {"run the command again"});
    slot = std::move(opened);
    return slot.get();
}

std::optional<git::ObjectId> SubmodulePlanner::merge(Layer layer, const merge::GitlinkSides& sides) {
    auto* opened = open(sides.path);
    if (opened == nullptr)
        return std::nullopt;
    const auto merged = merge_in(*opened, layer, sides);
    if (merged)
        m_answers[{layer, sides.path, sides.base, sides.upstream, sides.local}] = *merged;
    return merged;
}

std::optional<git::ObjectId> SubmodulePlanner::merge_in(Opened& opened, Layer layer, const merge::GitlinkSides& sides) {
    auto& repository = opened.nested.workspace->repository();
    const auto& program = repository.program();
    bring(m_workspace, opened.nested, sides.upstream);
    if (!repository.objects().contains(sides.base) || !repository.objects().contains(sides.local))
        return std::nullopt;
    if (!git::is_ancestor(program, sides.base, sides.local))
        return std::nullopt; // a step back, or aside: whoever made it did not ask for upstream's
    if (git::is_ancestor(program, sides.base, sides.upstream)) {
        if (git::is_ancestor(program, sides.upstream, sides.local))
            return sides.local;
        if (git::is_ancestor(program, sides.local, sides.upstream))
            return sides.upstream;
    }
    if (layer != Layer::unstaged || sides.local != opened.captured.head.commit || is_published(repository, sides.local))
        return std::nullopt;
    const auto shared = git::merge_base(program, sides.local, sides.upstream);
    plan_move(opened, shared && git::is_ancestor(program, sides.base, *shared) ? *shared : sides.base, sides.upstream);
    return opened.nested.plan.chain.head;
}

void SubmodulePlanner::plan_move(Opened& opened, const git::ObjectId& base, const git::ObjectId& onto) {
    auto& nested = opened.nested;
    if (!nested.plan.chain.head.is_null() && nested.target.base == base && nested.target.commit == onto)
        return;
    nested.snapshot = opened.captured;
    nested.target = {};
    nested.target.name = m_workspace.shown(nested.path);
    nested.target.base = base;
    nested.target.commit = onto;
    nested.detaches = base == opened.captured.head.commit;
    nested.parked = load_parked(nested.workspace->runs());
    nested.plan = within(*nested.workspace,
                         [&] { return make_plan(*nested.workspace, nested.snapshot, nested.target, nested.parked); });
}

std::string SubmodulePlanner::update_mode(const std::string& path) {
    if (!m_entries)
        m_entries = read_gitmodules(m_workspace.repository(), m_snapshot.unstaged_tree);
    const auto entry = m_entries->find(path);
    if (entry == m_entries->end())
        return {};
    return m_workspace.repository().config().get("submodule." + entry->second.name + ".update").value_or("");
}

void SubmodulePlanner::add_moved(Plan& plan, const std::string& path, const git::ObjectId& onto) {
    if (!is_checked_out(m_workspace, path))
        return;
    const auto mode = update_mode(path);
    if (mode == "none") {
        plan.notes.push_back(
            fmt::format("submodule {} stays where it is: its update is configured as none", m_workspace.shown(path)));
        return;
    }
    if (mode.starts_with('!'))
        throw Error(
            ErrorKind::refused,
            fmt::format("the submodule {} is updated by a command of its own", quoted(m_workspace.prefix() + path)),
            {fmt::format("git config submodule.{}.update none   leaves it where it is", shell_quote(path))});
    auto& opened = *open(path);
    auto& nested = opened.nested;
    const auto old = opened.captured.head.commit;
    if (nested.plan.chain.head != onto) {
        bring(m_workspace, nested, onto);
        plan_move(opened, old, onto);
    }
    // A commit that was set aside and lands now is the branch's.
    const bool follows = mode == "rebase" || mode == "merge" || nested.plan.chain.head != onto;
    if (follows && git::is_ancestor(nested.workspace->repository().program(), old, onto))
        nested.detaches = false;
    plan.notes.push_back(
        fmt::format("submodule {}  {} -> {}", m_workspace.shown(path), old.short_hex(), onto.short_hex()));
    plan.nested.push_back(std::move(nested));
}

void SubmodulePlanner::add_removed(Plan& plan, const std::string& path, const git::TreeEntry& before) {
    if (!is_checked_out(m_workspace, path))
        return;
    const auto shown = m_workspace.prefix() + path;
    if (m_workspace.repository().trees().find(plan.chain.untracked_tree, path))
        throw Error(ErrorKind::refused,
                    fmt::format("the submodule {} is in the way of what upstream has there now", quoted(shown)),
                    {fmt::format("git submodule deinit {}   removes its working tree where nothing in it is changed",
                                 shell_quote(shown))});
    auto& opened = *open(path);
    const auto& status = opened.captured.status;
    const bool changed = !status.clean() || !status.nested.empty();
    if (!changed && is_published(opened.nested.workspace->repository(), opened.captured.head.commit)) {
        plan.notes.push_back(fmt::format("upstream removed the submodule {}: its directory stays as it is, a "
                                         "repository of its own that is not tracked any more",
                                         m_workspace.shown(path)));
        return;
    }
    merge::PathOutcome outcome;
    outcome.old_path = outcome.path = outcome.new_path = path;
    outcome.base = outcome.local = before;
    outcome.fate = Fate::conflict;
    outcome.conflict =
        merge::Conflict{.kind = ConflictKind::deleted_upstream,
                        .stages = {before, std::nullopt, before},
                        .marked = std::nullopt,
                        .message = fmt::format("the submodule {} holds {} and was removed upstream", quoted(shown),
                                               changed ? "uncommitted changes" : "commits that no remote has")};
    plan.abandoned.push_back(std::move(outcome));
}

void SubmodulePlanner::retry_parked(Plan& plan) {
    auto& trees = m_workspace.repository().trees();
    for (const auto& [path, names] : parked_in_submodules(m_workspace.runs())) {
        const auto entry = trees.find(m_snapshot.unstaged_tree, path);
        if (!is_gitlink(entry) || entry != trees.find(plan.chain.unstaged_tree, path) ||
            !is_checked_out(m_workspace, path) || update_mode(path) == "none")
            continue;
        try {
            auto& opened = *open(path);
            auto& nested = opened.nested;
            const auto commit = opened.captured.head.commit;
            plan_move(opened, commit, commit);
            nested.detaches = false;
            if (!changes_nothing(*nested.workspace, nested.snapshot, nested.plan, nested.parked))
                plan.nested.push_back(std::move(nested));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::refused)
                throw;
            plan.notes.push_back(
                fmt::format("what is set aside in {} is not tried: {}", m_workspace.shown(path), error.message()));
        }
    }
}

void SubmodulePlanner::note_urls(Plan& plan) {
    auto& repository = m_workspace.repository();
    constexpr std::string_view file = ".gitmodules";
    if (repository.trees().find(m_snapshot.unstaged_tree, file) ==
        repository.trees().find(plan.chain.unstaged_tree, file))
        return;
    const auto before = read_gitmodules(repository, m_snapshot.unstaged_tree);
    for (const auto& [path, entry] : read_gitmodules(repository, plan.chain.unstaged_tree)) {
        const auto old = before.find(path);
        if (old == before.end() || old->second.url == entry.url || !is_checked_out(m_workspace, path))
            continue;
        plan.notes.push_back(fmt::format("the URL of the submodule {} changed: git submodule sync {} takes it over",
                                         m_workspace.shown(path), shell_quote(m_workspace.prefix() + path)));
    }
}

void SubmodulePlanner::finish(Plan& plan) {
    auto& trees = m_workspace.repository().trees();
    const bool parks = m_workspace.settings().on_conflict == OnConflict::park;
    for (const auto& change : trees.diff(m_snapshot.unstaged_tree, plan.chain.unstaged_tree)) {
        if (is_gitlink(change.before) && is_gitlink(change.after)) {
            // What is in conflict itself stays where it is, unless it is set aside.
            if (parks || !in_conflict(plan.chain, change.path))
                add_moved(plan, change.path, change.after->id);
        } else if (is_gitlink(change.before))
            add_removed(plan, change.path, *change.before);
        else if (is_gitlink(change.after))
            plan.notes.push_back(
                fmt::format("the submodule {} is new and not checked out: git submodule update --init {}",
                            m_workspace.shown(change.path), shell_quote(m_workspace.prefix() + change.path)));
    }
    retry_parked(plan);
    note_urls(plan);
    plan.gitlinks = std::move(m_answers);
}

std::optional<git::ObjectId> planned_gitlink(const Plan& plan, Layer layer, const merge::GitlinkSides& sides) {
    const auto found = plan.gitlinks.find({layer, sides.path, sides.base, sides.upstream, sides.local});
    return found == plan.gitlinks.end() ? std::nullopt : std::optional(found->second);
}

} // namespace carry::pipeline
