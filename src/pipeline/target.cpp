#include "pipeline/target.hpp"

#include "base/text.hpp"
#include "git/fetch.hpp"
#include "git/history.hpp"
#include "pipeline/base.hpp"

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

bool is_tag(const std::string& ref) {
    return ref.starts_with("refs/tags/");
}

/// A tag where a branch of that name is about as well: git takes the tag, and says so.
void note_ambiguous(const git::Repository& repository, const std::string& revision, const std::string& ref,
                    const std::string& remote, Target& target) {
    if (ref != "refs/tags/" + revision)
        return;
    for (const auto& branch : {fmt::format("refs/remotes/{}/{}", remote, revision), "refs/heads/" + revision})
        if (repository.read_ref(branch)) {
            target.notes.push_back(fmt::format("{} is taken for the tag; --to {} names the branch",
                                               quoted(quote_path(revision)), quote_path(branch)));
            return;
        }
}

Wanted wanted_revision(const git::Repository& repository, const std::string& revision, Target& target) {
    Wanted wanted;
    wanted.name = revision;
    const auto ref = repository.full_ref_name(revision);
    if (ref && ref->rfind("refs/remotes/", 0) == 0) {
        wanted.tracking_ref = *ref;
        wanted.remote = remote_of(repository, *ref);
        return wanted;
    }
    for (const auto& remote : repository.remotes())
        if (!ref && revision.rfind(remote + "/", 0) == 0) { // a branch that is not here yet
            wanted.tracking_ref = "refs/remotes/" + revision;
            wanted.remote = remote;
            return wanted;
        }
    wanted.remote = default_remote(repository);
    if (ref && ref == repository.head().branch)
        throw Error(ErrorKind::usage,
                    fmt::format("{} is the branch that is to be upgraded, not one to upgrade to", quoted(revision)),
                    {fmt::format("git carry upgrade --to {}/{}   names the one on the remote",
                                 wanted.remote.empty() ? "REMOTE" : wanted.remote, revision)});
    if (ref && is_tag(*ref)) {
        wanted.tag = *ref;
        note_ambiguous(repository, revision, *ref, wanted.remote, target);
    }
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

Wanted wanted_upstream(Workspace& workspace, Target& target) {
    const auto& repository = workspace.repository();
    const auto& settings = workspace.settings();
    if (settings.to)
        return wanted_revision(repository, *settings.to, target);
    if (const auto upstream = repository.upstream())
        return {upstream->display(), upstream->remote == "." ? "" : upstream->remote, upstream->tracking_ref,
                std::nullopt};
    if (settings.upstream)
        return wanted_revision(repository, *settings.upstream, target);
    // A detached HEAD, or a branch that follows nothing: the remote's own default branch, where there is just one
    // answer.
    const auto remote = default_remote(repository);
    if (!remote.empty() && !repository.head().branch)
        if (const auto ref = repository.remote_head(remote))
            return {ref->substr(std::string_view("refs/remotes/").size()), remote, *ref, std::nullopt};
    refuse_no_upstream(repository);
}

git::FetchRequest fetch_request(const Workspace& workspace, const Wanted& wanted) {
    git::FetchRequest request;
    request.remote = wanted.remote;
    request.stall_timeout = std::chrono::seconds(workspace.settings().fetch_stall_seconds);
    return request;
}

/// "origin/main" of "refs/remotes/origin/main".
std::string short_remote_name(const std::string& tracking_ref) {
    constexpr std::string_view prefix = "refs/remotes/";
    return tracking_ref.starts_with(prefix) ? tracking_ref.substr(prefix.size()) : tracking_ref;
}

/// Brings it. A tag that moved is noted, and where it was is part of upstream's past.
void fetch_wanted(Workspace& workspace, const Wanted& wanted, UpstreamPast& past, Target& target) {
    if (wanted.remote.empty())
        return;
    auto& repository = workspace.repository();
    auto request = fetch_request(workspace, wanted);
    std::optional<git::ObjectId> old_tag;
    if (wanted.tag) {
        old_tag = repository.read_ref(*wanted.tag);
        past.former_tips.push_back(repository.resolve_commit(*wanted.tag).value_or(git::ObjectId{}));
        if (git::remote_ref(repository, wanted.remote, *wanted.tag))
            request.extra_refspecs.push_back("+" + *wanted.tag + ":" + *wanted.tag);
    }
    workspace.progress("fetch", wanted.remote);
    const auto outcome = git::fetch(repository, request, workspace.request().progress);
    for (const auto& name : outcome.failed)
        if ("refs/remotes/" + name == wanted.tracking_ref)
            throw Error(
                ErrorKind::failed, fmt::format("cannot fetch {}: another branch is in its way", quoted(name)),
                {fmt::format("git remote prune {}   removes branches that the remote no longer has", wanted.remote)});
    if (!outcome.failed.empty())
        target.notes.push_back(
            fmt::format("{} could not be fetched, for another branch is in the way (git remote prune {} helps)",
                        join(outcome.failed, ", "), wanted.remote));
    if (!wanted.tag || !old_tag)
        return;
    const auto new_tag = repository.read_ref(*wanted.tag);
    if (new_tag && *new_tag != *old_tag)
        target.notes.push_back(fmt::format("tag {} moved upstream: {} -> {}", quoted(wanted.name), old_tag->short_hex(),
                                           new_tag->short_hex()));
}

/// What the configured refspecs do not bring: a branch of a clone of one branch, a tag or a commit that no branch
/// holds.
void fetch_missing(Workspace& workspace, Wanted& wanted) {
    auto& repository = workspace.repository();
    if (wanted.remote.empty() ||
        repository.resolve_commit(wanted.tracking_ref.empty() ? wanted.name : wanted.tracking_ref))
        return;
    auto request = fetch_request(workspace, wanted);
    request.only_extra = true;
    const bool is_branch = !wanted.tracking_ref.empty();
    const auto branch =
        is_branch ? short_remote_name(wanted.tracking_ref).substr(wanted.remote.size() + 1) : wanted.name;
    const auto tracking_ref = "refs/remotes/" + wanted.remote + "/" + branch;
    const bool is_id = branch.size() >= 40 && branch.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!is_branch && git::remote_ref(repository, wanted.remote, "refs/tags/" + branch))
        request.extra_refspecs = {"refs/tags/" + branch + ":refs/tags/" + branch};
    else if (repository.read_ref(tracking_ref))
        wanted.tracking_ref = tracking_ref;
    else if (git::remote_ref(repository, wanted.remote, "refs/heads/" + branch)) {
        request.extra_refspecs = {"+refs/heads/" + branch + ":" + tracking_ref};
        wanted.tracking_ref = tracking_ref;
    } else if (is_id)
        request.extra_refspecs = {branch};
    if (request.extra_refspecs.empty())
        return;
    try {
        git::fetch(repository, request, workspace.request().progress);
    } catch (const Error& error) {
        if (!is_id || error.kind() != ErrorKind::failed)
            throw;
        return; // not every server gives out a commit by its id; the caller says that it is not here
    }
}

[[noreturn]] void refuse_gone(const Wanted& wanted, const std::string& default_name) {
    Error error(ErrorKind::refused,
                fmt::format("upstream {} is gone from {}", quoted(wanted.name), quoted(wanted.remote)));
    if (!default_name.empty())
        error.hint(fmt::format("git carry upgrade --to {}   goes to the remote's default branch", default_name));
    else
        error.hint("git carry upgrade --to BRANCH   names another");
    error.hint(fmt::format("git ls-remote --heads {}   lists what the remote has", wanted.remote));
    throw error;
}

/// A branch that has nothing new may be gone from the remote: fetch prunes nothing, so its old value is still here.
/// The remote's default branch is followed then, where it is what the branch has become.
void follow_renamed_branch(Workspace& workspace, Wanted& wanted, UpstreamPast& past, Target& target) {
    auto& repository = workspace.repository();
    const auto upstream = repository.upstream();
    const auto old_tip = past.former_tips.empty() ? git::ObjectId{} : past.former_tips.front();
    if (wanted.remote.empty() || workspace.settings().to || !upstream ||
        upstream->tracking_ref != wanted.tracking_ref ||
        repository.read_ref(wanted.tracking_ref).value_or(git::ObjectId{}) != old_tip)
        return;
    const auto state = git::remote_state(repository, wanted.remote, upstream->merge_ref);
    const auto prefix = std::string_view("refs/heads/");
    const auto name = state.default_branch && state.default_branch->starts_with(prefix)
                          ? wanted.remote + "/" + state.default_branch->substr(prefix.size())
                          : std::string();
    const bool was_default = repository.remote_head(wanted.remote) == wanted.tracking_ref;
    if (state.has_ref) {
        if (was_default && !name.empty() && name != wanted.name)
            target.notes.push_back(fmt::format("the default branch of {} is {} now; {} has nothing new (git branch "
                                               "--set-upstream-to={} changes over)",
                                               wanted.remote, name, wanted.name, name));
        return;
    }
    if (name.empty() || name == wanted.name)
        refuse_gone(wanted, {});
    Wanted successor{name, wanted.remote, "refs/remotes/" + name, std::nullopt};
    fetch_missing(workspace, successor);
    const auto tip = repository.read_ref(successor.tracking_ref);
    const bool contains_old = tip && !old_tip.is_null() && git::is_ancestor(repository.program(), old_tip, *tip);
    if (!tip || (!was_default && !contains_old))
        refuse_gone(wanted, tip ? name : std::string());
    target.notes.push_back(fmt::format(
        "upstream moved from {} to {} (git branch --set-upstream-to={} follows it for good)", wanted.name, name, name));
    past.tracking_refs.push_back(successor.tracking_ref);
    wanted = successor;
}

Target resolve_target(Workspace& workspace, bool offline) {
    auto& repository = workspace.repository();
    Target target;
    auto wanted = wanted_upstream(workspace, target);
    target.name = quote_path(wanted.name);
    UpstreamPast past;
    past.remote = wanted.remote;
    if (!wanted.tracking_ref.empty()) {
        past.tracking_refs.push_back(wanted.tracking_ref);
        past.former_tips.push_back(repository.read_ref(wanted.tracking_ref).value_or(git::ObjectId{}));
    }
    if (!offline) {
        fetch_wanted(workspace, wanted, past, target);
        follow_renamed_branch(workspace, wanted, past, target);
        fetch_missing(workspace, wanted);
    }
    target.name = quote_path(
        wanted.remote.empty() || wanted.tracking_ref.empty() ? wanted.name : short_remote_name(wanted.tracking_ref));
    target.tracking_ref = wanted.tracking_ref;

    const auto commit = repository.resolve_commit(wanted.tracking_ref.empty() ? wanted.name : wanted.tracking_ref);
    if (!commit) {
        if (workspace.settings().to)
            throw Error(ErrorKind::usage, fmt::format("{} is no commit here or on the remote", quoted(wanted.name)),
                        {"git carry upgrade --to BRANCH|TAG|COMMIT"});
        throw Error(ErrorKind::refused, fmt::format("upstream {} does not exist", quoted(wanted.name)),
                    {"git branch -r   lists what the remote has", "git carry upgrade --to BRANCH   names another"});
    }
    target.commit = *commit;
    target.base = find_base(workspace, past, target);
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
