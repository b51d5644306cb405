#include "pipeline/target.hpp"

#include "base/text.hpp"
#include "git/fetch.hpp"
#include "git/history.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace carry::pipeline {

std::string default_remote(const git::Repository& repository) {
    if (const auto upstream = repository.upstream(); upstream && upstream->remote != ".")
        return upstream->remote;
    const auto remotes = repository.remotes();
    if (remotes.size() == 1)
        return remotes.front();
    return std::find(remotes.begin(), remotes.end(), "origin") != remotes.end() ? "origin" : std::string();
}

namespace {

/// What is to be fetched from where, before anything is.
struct Wanted {
    std::string name;
    std::string remote;             ///< empty: nothing to fetch
    std::string tracking_ref;       ///< may not exist before the fetch
    std::optional<std::string> tag; ///< full ref of a tag that may have moved upstream
};

/// The remote whose refspecs fill `ref`: "refs/remotes/origin/main" -> "origin".
std::string remote_of(const git::Repository& repository, const std::string& ref) {
    std::string best;
    for (const auto& remote : repository.remotes()) {
        const auto prefix = "refs/remotes/" + remote + "/";
        if (ref.rfind(prefix, 0) == 0 && remote.size() > best.size())
            best = remote;
    }
    return best;
}

Wanted wanted_revision(const git::Repository& repository, const std::string& revision) {
    Wanted wanted;
    wanted.name = revision;
    const auto ref = repository.full_ref_name(revision);
    if (ref && ref->rfind("refs/remotes/", 0) == 0) {
        wanted.tracking_ref = *ref;
        wanted.remote = remote_of(repository, *ref);
        return wanted;
    }
    for (const auto& remote : repository.remotes())
        if (revision.rfind(remote + "/", 0) == 0) { // a branch that is not here yet
            wanted.tracking_ref = "refs/remotes/" + revision;
            wanted.remote = remote;
            return wanted;
        }
    wanted.remote = default_remote(repository);
    if (ref && ref->rfind("refs/tags/", 0) == 0)
        wanted.tag = *ref;
    return wanted;
}

[[noreturn]] void refuse_no_upstream(const git::Repository& repository) {
    const auto head = repository.head();
    const auto remotes = repository.remotes();
    const auto remote = remotes.empty() ? std::string("origin") : remotes.front();
    Error error(ErrorKind::refused, head.branch ? fmt::format("branch {} follows no upstream", quoted(head.display()))
                                                : "HEAD is detached and follows no upstream");
    error.hint(fmt::format("git carry upgrade --to {}/main   names it once", remote));
    if (head.branch)
        error.hint(fmt::format("git branch --set-upstream-to={}/main   names it for good", remote));
    throw error;
}

Wanted wanted_upstream(Workspace& workspace) {
    const auto& repository = workspace.repository();
    const auto& settings = workspace.settings();
    if (settings.to)
        return wanted_revision(repository, *settings.to);
    if (const auto upstream = repository.upstream())
        return {upstream->display(), upstream->remote == "." ? "" : upstream->remote, upstream->tracking_ref,
                std::nullopt};
    if (settings.upstream)
        return wanted_revision(repository, *settings.upstream);
    // A detached HEAD, or a branch that follows nothing: the remote's own default branch, where there is just one
    // answer.
    const auto remote = default_remote(repository);
    if (!remote.empty() && !repository.head().branch)
        if (const auto ref = repository.remote_head(remote))
            return {ref->substr(std::string_view("refs/remotes/").size()), remote, *ref, std::nullopt};
    refuse_no_upstream(repository);
}

/// Brings it; answers with the moved tag's note where there is one.
void fetch_wanted(Workspace& workspace, const Wanted& wanted, Target& target) {
    if (wanted.remote.empty())
        return;
    auto& repository = workspace.repository();
    git::FetchRequest request;
    request.remote = wanted.remote;
    request.stall_timeout = std::chrono::seconds(workspace.settings().fetch_stall_seconds);
    std::optional<git::ObjectId> old_tag;
    if (wanted.tag) {
        old_tag = repository.read_ref(*wanted.tag);
        if (git::remote_ref(repository, wanted.remote, *wanted.tag))
            request.extra_refspecs.push_back("+" + *wanted.tag + ":" + *wanted.tag);
    }
    workspace.progress("fetch", wanted.remote);
    git::fetch(repository, request, workspace.request().progress);
    if (!wanted.tag || !old_tag)
        return;
    const auto new_tag = repository.read_ref(*wanted.tag);
    if (new_tag && *new_tag != *old_tag)
        target.notes.push_back(fmt::format("tag {} moved upstream: {} -> {}", quoted(wanted.name), old_tag->short_hex(),
                                           new_tag->short_hex()));
}

/// The commit that the local changes sit on.
git::ObjectId find_base(Workspace& workspace, const Wanted& wanted, const git::ObjectId& old_tracking,
                        const git::ObjectId& head, Target& target) {
    const auto& program = workspace.repository().program();
    const auto merge_base = git::merge_base(program, head, target.commit);
    std::optional<git::ObjectId> fork;
    if (!wanted.tracking_ref.empty())
        fork = git::fork_point(program, wanted.tracking_ref, head);
    // What upstream was before this fetch counts as well: a first fetch leaves no reflog behind it.
    if (!old_tracking.is_null() && old_tracking != target.commit && git::is_ancestor(program, old_tracking, head) &&
        (!fork || git::is_ancestor(program, *fork, old_tracking)))
        fork = old_tracking;
    if (const auto last = workspace.runs().last_base(workspace.repository().head().display());
        last && workspace.repository().objects().contains(*last) && git::is_ancestor(program, *last, head) &&
        (!fork || git::is_ancestor(program, *fork, *last)))
        fork = last;
    // Another revision than the branch's own upstream: the changes may sit on a newer commit than the one they share
    // with it.
    if (const auto own = workspace.repository().upstream(); own && workspace.settings().to)
        if (const auto tracked = workspace.repository().read_ref(own->tracking_ref))
            if (const auto shared = git::merge_base(program, head, *tracked);
                shared && (!fork || git::is_ancestor(program, *fork, *shared)))
                fork = shared;
    if (!fork && !merge_base)
        throw Error(ErrorKind::refused,
                    fmt::format("{} and {} have no commit in common", quoted(workspace.repository().head().display()),
                                quoted(target.name)),
                    {fmt::format("git fetch --deepen=1000 {}   brings more history into a shallow clone",
                                 wanted.remote.empty() ? "origin" : wanted.remote)});
    if (!fork || (merge_base && git::is_ancestor(program, *fork, *merge_base)))
        return *merge_base;
    if (merge_base && *merge_base == target.commit) {
        target.notes.push_back(
            fmt::format("{} is older than {}, which the local changes sit on", quoted(target.name), fork->short_hex()));
        return *fork;
    }
    target.notes.push_back(
        merge_base
            ? fmt::format("upstream was rewritten: the local changes sit on {}, which it no longer contains",
                          fork->short_hex())
            : fmt::format("no common history with {}: the local changes sit on {} by the record of former fetches",
                          quoted(target.name), fork->short_hex()));
    return *fork;
}

/// A branch that has nothing new may be gone from the remote: fetch prunes nothing, so its old value is still here.
/// Follows the remote's default branch then.
void follow_renamed_branch(Workspace& workspace, Wanted& wanted, const git::ObjectId& old_tracking, Target& target) {
    auto& repository = workspace.repository();
    const auto upstream = repository.upstream();
    if (wanted.remote.empty() || workspace.settings().to || !upstream ||
        upstream->tracking_ref != wanted.tracking_ref || repository.read_ref(wanted.tracking_ref) != old_tracking ||
        git::remote_ref(repository, wanted.remote, upstream->merge_ref))
        return;
    const auto branch = git::remote_default_branch(repository, wanted.remote);
    const auto prefix = std::string_view("refs/heads/");
    if (!branch || branch->rfind(prefix, 0) != 0)
        throw Error(ErrorKind::refused,
                    fmt::format("upstream {} is gone from {}", quoted(wanted.name), quoted(wanted.remote)),
                    {fmt::format("git ls-remote --heads {}   lists what the remote has", wanted.remote),
                     "git carry upgrade --to BRANCH   names another"});
    const auto name = wanted.remote + "/" + branch->substr(prefix.size());
    target.notes.push_back(fmt::format(
        "upstream moved from {} to {} (git branch --set-upstream-to={} follows it for good)", wanted.name, name, name));
    wanted.name = name;
    wanted.tracking_ref = "refs/remotes/" + name;
}

Target resolve_target(Workspace& workspace, bool offline) {
    auto& repository = workspace.repository();
    auto wanted = wanted_upstream(workspace);
    Target target;
    target.name = quote_path(wanted.name);
    target.tracking_ref = wanted.tracking_ref;
    const auto old_tracking = wanted.tracking_ref.empty()
                                  ? git::ObjectId{}
                                  : repository.read_ref(wanted.tracking_ref).value_or(git::ObjectId{});
    if (!offline) {
        fetch_wanted(workspace, wanted, target);
        follow_renamed_branch(workspace, wanted, old_tracking, target);
    }

    const auto commit = repository.resolve_commit(wanted.tracking_ref.empty() ? wanted.name : wanted.tracking_ref);
    if (!commit) {
        if (workspace.settings().to)
            throw Error(ErrorKind::usage, fmt::format("{} is no commit here or on the remote", quoted(wanted.name)),
                        {"git carry upgrade --to BRANCH|TAG|COMMIT"});
        throw Error(ErrorKind::refused, fmt::format("upstream {} does not exist", quoted(wanted.name)),
                    {"git branch -r   lists what the remote has", "git carry upgrade --to BRANCH   names another"});
    }
    target.commit = *commit;
    target.base = find_base(workspace, wanted, old_tracking, repository.head().commit, target);
    return target;
}

} // namespace

Target fetch_target(Workspace& workspace) {
    return resolve_target(workspace, workspace.settings().offline);
}

Target local_target(Workspace& workspace) {
    try {
        return resolve_target(workspace, true);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::refused)
            throw;
        Target target;
        target.name = "no upstream";
        target.commit = target.base = workspace.repository().head().commit;
        target.notes.push_back(error.message());
        return target;
    }
}

} // namespace carry::pipeline
