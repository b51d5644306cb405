#include "pipeline/base.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "git/commit.hpp"
#include "git/history.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace carry::pipeline {

namespace {

using git::ObjectId;

/// The newest of the commits of HEAD's history that are held against it.
class Newest {
public:
    Newest(const git::Program& program, const ObjectId& head) : m_program(program), m_head(head) {}

    void offer(const std::optional<ObjectId>& commit) {
        if (!commit || commit->is_null() || (m_best && *commit == *m_best) ||
            !git::is_ancestor(m_program, *commit, m_head))
            return;
        if (!m_best || git::is_ancestor(m_program, *m_best, *commit))
            m_best = commit;
    }
    [[nodiscard]] const std::optional<ObjectId>& best() const { return m_best; }

private:
    const git::Program& m_program;
    ObjectId m_head;
    std::optional<ObjectId> m_best;
};

/// "pull: Fast-forward", "pull -q --ff-only: Fast-forward": of what the branch follows, for nothing else is named.
bool is_plain_pull(std::string_view words) {
    constexpr std::string_view end = ": Fast-forward";
    if (!words.starts_with("pull") || !words.ends_with(end))
        return false;
    const auto options = split(words.substr(0, words.size() - end.size()), ' ');
    return std::all_of(options.begin() + 1, options.end(), [](std::string_view word) { return word.starts_with('-'); });
}

/// True where git says of a branch's new value that it was upstream's very own.
bool is_upstreams_own(std::string_view words, const std::vector<std::string>& tracking_names) {
    if (words.starts_with("clone: from ") || is_plain_pull(words))
        return true;
    return std::any_of(tracking_names.begin(), tracking_names.end(), [&](const std::string& name) {
        return words == "reset: moving to " + name || words == "branch: Created from " + name ||
               words == "branch: Created from refs/remotes/" + name || words == "merge " + name + ": Fast-forward";
    });
}

/// The branch's own log remembers upstream longer than the remote-tracking branch's, whose old values git expires
/// sooner once upstream has dropped them.
void offer_branch_log(const git::Repository& repository, const UpstreamPast& past, Newest& newest) {
    std::vector<std::string> names;
    for (const auto& ref : past.tracking_refs)
        names.push_back(ref.substr(std::min(ref.size(), std::string_view("refs/remotes/").size())));
    const auto log = git::reflog(repository.program(), repository.head().branch.value_or("HEAD"));
    for (const auto& entry : log) {
        if (!is_upstreams_own(entry.message, names) ||
            !git::is_ancestor(repository.program(), entry.commit, repository.head().commit))
            continue;
        newest.offer(entry.commit);
        return; // the others are older
    }
}

/// Every commit since `base` was made here: its committer is the one that git is configured for.
bool made_here(const git::Program& program, const ObjectId& base, const ObjectId& head) {
    const auto identity = program.run({"var", "GIT_COMMITTER_IDENT"});
    if (!identity.ok())
        return git::count_between(program, base, head) == 0;
    const auto mail = git::Signature::parse(trim(identity.output)).email;
    const auto committers = git::committers_between(program, base, head);
    return std::all_of(committers.begin(), committers.end(), [&](const auto& committer) { return committer == mail; });
}

/// Where a shallow history was cut off is upstream's own: nobody makes such commits by hand. What follows may be
/// upstream's as well, so that everything must have been made here.
std::optional<ObjectId> shallow_boundary(const git::Repository& repository, const ObjectId& head) {
    const auto text = read_file_if_exists(repository.paths().common_dir / "shallow");
    if (!text)
        return std::nullopt;
    Newest newest(repository.program(), head);
    for (const auto line : split_terminated(*text, '\n'))
        newest.offer(ObjectId::from_hex(trim(line)));
    if (newest.best() && made_here(repository.program(), *newest.best(), head))
        return newest.best();
    return std::nullopt;
}

/// A history that was begun anew: the newest commit here whose files upstream's new history has had as well.
std::optional<ObjectId> same_files(const git::Program& program, const ObjectId& head, const ObjectId& upstream) {
    std::set<ObjectId> known;
    for (const auto& commit : git::trees_of_history(program, upstream))
        known.insert(commit.tree);
    for (const auto& commit : git::trees_of_history(program, head))
        if (!commit.empty() && known.count(commit.tree) != 0)
            return commit.id;
    return std::nullopt;
}

ObjectId named_base(Workspace& workspace, const ObjectId& head) {
    const auto& name = *workspace.settings().base;
    const auto commit = workspace.repository().resolve_commit(name);
    if (!commit)
        throw Error(ErrorKind::usage, fmt::format("{} is no commit here", quoted(name)), {"git log   lists them"});
    if (!git::is_ancestor(workspace.repository().program(), *commit, head))
        throw Error(ErrorKind::usage,
                    fmt::format("{} is not in the history of {}, so nothing can sit on it", quoted(name),
                                quoted(workspace.repository().head().display())),
                    {"git log   lists what is"});
    return *commit;
}

[[noreturn]] void refuse_no_base(const Workspace& workspace, const git::Repository& repository,
                                 const UpstreamPast& past, const Target& target) {
    Error error(ErrorKind::refused, fmt::format("{} and {} have no commit in common",
                                                quoted(repository.head().display()), quoted(target.name)));
    if (repository.capabilities().shallow && !past.remote.empty() && !workspace.settings().offline)
        error.hint(fmt::format("git fetch --deepen=1000 {}   brings more history into a shallow clone", past.remote));
    error.hint("git carry upgrade --base REV   names the commit that the local changes sit on");
    throw error;
}

/// What the remote's other branches hold of HEAD's history: of the branch that is followed, where --to names something
/// else; of any, where HEAD is detached (a release that was checked out).
std::optional<ObjectId> on_other_branches(Workspace& workspace, const UpstreamPast& past, const ObjectId& head) {
    auto& repository = workspace.repository();
    const auto& program = repository.program();
    if (const auto own = repository.upstream(); own && workspace.settings().to) {
        const auto tip = repository.read_ref(own->tracking_ref);
        return tip ? git::merge_base(program, head, *tip) : std::nullopt;
    }
    if (past.remote.empty() || repository.head().branch)
        return std::nullopt;
    Newest newest(program, head);
    for (const auto& commit : git::newest_on_remote(program, head, past.remote))
        newest.offer(commit);
    return newest.best();
}

/// Everything that was known of upstream before.
std::optional<ObjectId> remembered(Workspace& workspace, const UpstreamPast& past, const ObjectId& head) {
    auto& repository = workspace.repository();
    const auto& program = repository.program();
    Newest newest(program, head);
    for (const auto& ref : past.tracking_refs)
        newest.offer(git::fork_point(program, ref, head));
    // A first fetch leaves no reflog behind it.
    for (const auto& tip : past.former_tips)
        newest.offer(tip);
    if (const auto last = workspace.runs().last_base(repository.head().display());
        last && repository.objects().contains(*last))
        newest.offer(last);
    if (!newest.best())
        offer_branch_log(repository, past, newest);
    return newest.best();
}

std::string note_of(const Target& target, const std::optional<ObjectId>& merge_base, const ObjectId& base,
                    bool elsewhere) {
    const auto name = quoted(target.name);
    const auto id = base.short_hex();
    if (merge_base && *merge_base == target.commit)
        return fmt::format("{} is older than {}, which the local changes sit on", name, id);
    if (elsewhere)
        return fmt::format("{} does not hold {}, which the local changes sit on: commits that only another branch of "
                           "upstream has are left behind",
                           name, id);
    if (merge_base)
        return fmt::format("upstream was rewritten: the local changes sit on {}, which it no longer contains", id);
    return fmt::format("no common history with {}: the local changes sit on {} by the record of former fetches", name,
                       id);
}

} // namespace

ObjectId find_base(Workspace& workspace, const UpstreamPast& past, Target& target) {
    auto& repository = workspace.repository();
    const auto& program = repository.program();
    const auto head = repository.head().commit;
    if (workspace.settings().base)
        return named_base(workspace, head);
    const auto merge_base = git::merge_base(program, head, target.commit);
    if (merge_base && *merge_base == head)
        return head; // nothing local beside it
    auto base = remembered(workspace, past, head);
    const auto is_newer = [&](const std::optional<ObjectId>& commit) {
        return commit && (!base || (*commit != *base && git::is_ancestor(program, *base, *commit)));
    };
    bool elsewhere = false;
    if (const auto shared = on_other_branches(workspace, past, head); is_newer(shared)) {
        base = shared;
        elsewhere = true;
    }
    if (!base && !merge_base) {
        base = shallow_boundary(repository, head);
        if (!base && (base = same_files(program, head, target.commit))) {
            target.notes.push_back(fmt::format("no common history with {}: the local changes sit on {}, whose files it "
                                               "has had too",
                                               quoted(target.name), base->short_hex()));
            return *base;
        }
    }
    if (!base && !merge_base)
        refuse_no_base(workspace, repository, past, target);
    if (!base || (merge_base && (*base == *merge_base || git::is_ancestor(program, *base, *merge_base))))
        return *merge_base;
    const auto holders = program.output({"for-each-ref", "--count=1", "--contains", base->hex(), "refs/remotes"});
    target.notes.push_back(note_of(target, merge_base, *base, elsewhere || !holders.empty()));
    return *base;
}

} // namespace carry::pipeline
