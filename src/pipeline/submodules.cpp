#include "pipeline/submodules.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "git/fetch.hpp"
#include "git/history.hpp"
#include "pipeline/policy.hpp"
#include "pipeline/preflight.hpp"
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
    if (!lstat_if_exists(m_workspace.repository().paths().worktree / path / ".git"))
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
    nested.plan =
        within(*nested.workspace, [&] { return make_plan(*nested.workspace, nested.snapshot, nested.target, {}); });
}

void SubmodulePlanner::add_moved(Plan& plan, const std::string& path, const git::ObjectId& onto) {
    auto* opened = open(path);
    if (opened == nullptr)
        return;
    auto& nested = opened->nested;
    if (nested.plan.chain.head != onto) {
        bring(m_workspace, nested, onto);
        plan_move(*opened, opened->captured.head.commit, onto);
    }
    plan.notes.push_back(fmt::format("submodule {}  {} -> {}", m_workspace.shown(path),
                                     opened->captured.head.commit.short_hex(), onto.short_hex()));
    plan.nested.push_back(std::move(nested));
}

void SubmodulePlanner::add_removed(Plan& plan, const std::string& path) {
    if (!lstat_if_exists(m_workspace.repository().paths().worktree / path / ".git"))
        return;
    const auto shown = m_workspace.prefix() + path;
    if (m_workspace.repository().trees().find(plan.chain.untracked_tree, path))
        throw Error(ErrorKind::refused,
                    fmt::format("the submodule {} is in the way of what upstream has there now", quoted(shown)),
                    {fmt::format("git submodule deinit {}   removes its working tree where nothing in it is changed",
                                 shell_quote(shown))});
    plan.notes.push_back(fmt::format("upstream removed the submodule {}: its directory stays as it is, a repository "
                                     "of its own that is not tracked any more",
                                     m_workspace.shown(path)));
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
            add_removed(plan, change.path);
        else if (is_gitlink(change.after))
            plan.notes.push_back(
                fmt::format("the submodule {} is new and not checked out: git submodule update --init {}",
                            m_workspace.shown(change.path), shell_quote(m_workspace.prefix() + change.path)));
    }
    plan.gitlinks = std::move(m_answers);
}

bool submodules_clean(const Plan& plan) {
    return std::all_of(plan.nested.begin(), plan.nested.end(),
                       [](const NestedCheckout& nested) { return nested.plan.clean(); });
}

void add_submodules(std::vector<Moving>& all, const Plan& plan, const RunRecord& record,
                    std::vector<SubmodulePending>* pending) {
    for (const auto& nested : plan.nested) {
        auto& workspace = *nested.workspace;
        Marked marked;
        if (pending != nullptr && !nested.plan.clean())
            marked = mark_plan(workspace, nested.snapshot, nested.target, nested.plan, record.id);
        else
            marked.landing = land_plan(nested.snapshot, nested.plan);
        marked.landing.detaches = nested.detaches;
        auto move =
            pipeline::plan_move(workspace, nested.snapshot, marked.landing,
                                fmt::format("carry: {} to {}", record.command, nested.target.commit.short_hex()));
        all.push_back({&workspace, &nested.snapshot, nested.target.base, nested.target.commit,
                       std::move(marked.landing), std::move(move)});
        add_submodules(all, nested.plan, record, pending == nullptr ? nullptr : &marked.pending.submodules);
        if (pending != nullptr && !nested.plan.clean())
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

Error named_error(const Workspace& submodule, const Error& error) {
    const auto directory = submodule.prefix().substr(0, submodule.prefix().size() - 1);
    Error named(error.kind(), fmt::format("in the submodule {}: {}", quoted(directory), error.message()));
    for (const auto& cause : error.causes())
        named.because(cause);
    for (const auto& hint : error.hints())
        named.hint(in_directory(hint, directory));
    return named;
}

std::optional<git::ObjectId> planned_gitlink(const Plan& plan, Layer layer, const merge::GitlinkSides& sides) {
    const auto found = plan.gitlinks.find({layer, sides.path, sides.base, sides.upstream, sides.local});
    return found == plan.gitlinks.end() ? std::nullopt : std::optional(found->second);
}

} // namespace carry::pipeline
