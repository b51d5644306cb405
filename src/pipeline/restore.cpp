#include "pipeline/restore.hpp"

#include "base/text.hpp"
#include "git/convert.hpp"
#include "pipeline/landing.hpp"
#include "snapshot/record.hpp"
#include "transaction/apply.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace carry::pipeline {

namespace {

using transaction::FileKind;
using transaction::FileState;
using transaction::Transition;

/// What the runs since (and with) `id` did to each path: the state before the first of them that touched it is what was
/// there, the state after the last what they left.
struct Touched {
    std::map<std::string, FileState> by_run; ///< states before, of run `id` itself
    std::map<std::string, FileState> left;   ///< states after, of the last run that touched the path
};

Touched touched_since(const RunStore& runs, const std::string& id) {
    Touched touched;
    for (const auto& record : runs.all()) {
        if (record.id < id || !record.changed)
            continue;
        for (const auto& move : runs.load_moves(record.id))
            for (const auto& transition : move.transitions) {
                if (record.id == id)
                    touched.by_run[transition.path] = transition.before;
                touched.left[transition.path] = transition.after;
            }
    }
    return touched;
}

/// The bytes that git would put on disk for tracked files that nobody had changed.
std::map<std::string, git::ObjectId> smudged(git::Repository& repository, const git::ObjectId& tree,
                                             const std::vector<git::SmudgeItem>& items) {
    std::map<std::string, git::ObjectId> raw;
    git::smudge_blobs(repository.program(), repository.trees(), tree, items,
                      [&](const git::SmudgeItem& item, std::string&& bytes) {
                          raw[item.path] = repository.objects().write(git::ObjectType::blob, bytes);
                      });
    return raw;
}

/// What each path of `paths` held when the old snapshot was taken.
std::map<std::string, FileState> states_then(git::Repository& repository, const snapshot::Snapshot& then,
                                             const Touched& touched, const std::set<std::string>& paths) {
    const std::set<std::string> sparse(then.flags.skip_worktree.begin(), then.flags.skip_worktree.end());
    std::map<std::string, FileState> states;
    std::vector<git::SmudgeItem> clean;
    for (const auto& path : paths) {
        if (const auto known = touched.by_run.find(path); known != touched.by_run.end()) {
            states[path] = known->second;
            continue;
        }
        const auto entry = repository.trees().find(then.untracked_tree, path);
        const bool absent = sparse.count(path) != 0 && !then.stamps.count(path); // not checked out then
        if (!entry || entry->is_tree() || entry->is_gitlink() || absent) {
            states[path] = {};
            continue;
        }
        const auto raw = then.raw.find(path);
        states[path] = state_of(*entry, raw == then.raw.end() ? entry->id : raw->second);
        if (raw == then.raw.end() && !then.stamps.count(path) && entry->is_regular())
            clean.push_back({path, entry->id});
    }
    for (const auto& [path, raw] : smudged(repository, then.untracked_tree, clean))
        states[path].content = raw;
    return states;
}

/// Paths that may differ between then and now.
std::set<std::string> candidates(git::Repository& repository, const snapshot::Snapshot& then,
                                 const snapshot::Snapshot& now, const Touched& touched) {
    std::set<std::string> paths;
    for (const auto& change : repository.trees().diff(now.untracked_tree, then.untracked_tree)) {
        const bool gitlink =
            (change.before && change.before->is_gitlink()) || (change.after && change.after->is_gitlink());
        // Untracked files that came later are nobody's business but the user's.
        const bool later_untracked = !change.after && !repository.trees().find(now.unstaged_tree, change.path) &&
                                     !touched.left.count(change.path);
        if (!gitlink && !later_untracked)
            paths.insert(change.path);
    }
    for (const auto& [path, state] : touched.left)
        paths.insert(path);
    for (const auto& [path, raw] : then.raw)
        paths.insert(path);
    return paths;
}

void plan_refs(git::Repository& repository, const snapshot::Snapshot& then, const snapshot::Snapshot& now,
               Restoration& result) {
    auto& move = result.move;
    if (then.head.branch == now.head.branch) {
        if (then.head.commit != now.head.commit)
            move.refs.push_back({then.head.branch.value_or("HEAD"), now.head.commit, then.head.commit});
        return;
    }
    // HEAD names something else now: it returns, and the branch with it.
    move.head_before = now.head.branch.value_or(now.head.commit.hex());
    move.head_after = then.head.branch.value_or(then.head.commit.hex());
    if (then.head.branch) {
        const auto present = repository.read_ref(*then.head.branch).value_or(git::ObjectId{});
        if (present != then.head.commit)
            move.refs.push_back({*then.head.branch, present, then.head.commit});
    }
}

} // namespace

Restoration plan_restoration(Workspace& workspace, const std::string& id, const snapshot::Snapshot& now) {
    auto& repository = workspace.repository();
    const auto then = snapshot::read_record(workspace.runs().directory(id));
    const auto touched = touched_since(workspace.runs(), id);
    const auto paths = candidates(repository, then, now, touched);
    const auto wanted = states_then(repository, then, touched, paths);

    Restoration result;
    result.move.paths = repository.paths();
    result.move.reflog_message = fmt::format("carry: back to before run {}", id);
    for (const auto& path : paths) {
        Transition transition;
        transition.path = path;
        transition.before = transaction::read_state(repository.paths(), path, repository.objects());
        transition.after = wanted.at(path);
        const auto left = touched.left.find(path);
        const bool changed_later = left == touched.left.end() || left->second.kind != transition.before.kind ||
                                   left->second.content != transition.before.content;
        auto before = transition.before;
        if (!transition.after.metadata)
            before.metadata.reset();
        if (before == transition.after)
            continue;
        if (changed_later && transition.before.kind != FileKind::absent)
            result.saved.push_back(
                fmt::format("{}  object {}", workspace.shown(path), transition.before.content.hex()));
        result.move.transitions.push_back(std::move(transition));
    }
    plan_submodule_directories(repository.trees().diff(now.unstaged_tree, then.unstaged_tree), result.move);
    if (then.index_blob != now.index_blob)
        result.move.index = transaction::IndexMove{now.index_blob, then.index_blob, now.index_time, then.index_time};
    plan_refs(repository, then, now, result);
    return result;
}

} // namespace carry::pipeline
