#include "pipeline/landing.hpp"

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/signal.hpp"
#include "base/text.hpp"
#include "git/convert.hpp"
#include "git/index.hpp"
#include "git/refs.hpp"
#include "pipeline/checked_out.hpp"
#include "pipeline/index_plan.hpp"
#include "pipeline/undo_proof.hpp"
#include "pipeline/unseen_edits.hpp"
#include "snapshot/record.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace carry::pipeline {

namespace {

using transaction::CheckoutMove;
using transaction::FileKind;
using transaction::FileState;
using transaction::Transition;

bool contains(const std::vector<std::string>& paths, const std::string& path) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
}

/// Refuses where the file on disk is no longer the one that the snapshot read.
void check_unchanged(const snapshot::Snapshot& snapshot, DirectoryTree& directories, const std::string& path) {
    const auto stamp = snapshot.stamps.find(path);
    if (stamp == snapshot.stamps.end())
        return;
    const auto status = directories.status(path);
    if (!status || snapshot::FileStamp::of(*status) != stamp->second)
        throw Error(ErrorKind::refused, fmt::format("{} was changed while the upgrade was being planned", quoted(path)),
                    {"run the command again"});
}

/// What git's filters make of blobs under the attributes of a tree; without those that stay as they are.
std::map<std::string, git::ObjectId> smudged(Workspace& workspace, const git::ObjectId& attributes_from,
                                             const std::vector<git::SmudgeItem>& items) {
    auto& repository = workspace.repository();
    std::map<std::string, git::ObjectId> result;
    git::smudge_blobs(repository.program(), repository.trees(), attributes_from, items,
                      [&](const git::SmudgeItem& item, std::string&& bytes) {
                          result[item.path] = repository.objects().write(git::ObjectType::blob, bytes);
                          workspace.progress("plan", fmt::format("converting files: {}", result.size()));
                          stop_point();
                      });
    return result;
}

/// Edited files that stay what they are as blobs, and that new .gitattributes convert in another way: with their old
/// bytes git would see changes in them that nobody made. Path -> bytes to write.
std::map<std::string, git::ObjectId> converted_anew(Workspace& workspace, const snapshot::Snapshot& snapshot,
                                                    const Landing& landing,
                                                    const std::vector<git::TreeChange>& changes) {
    const bool new_rules = std::any_of(changes.begin(), changes.end(), [](const git::TreeChange& change) {
        return name_of(change.path) == ".gitattributes";
    });
    if (!new_rules)
        return {};
    auto& trees = workspace.repository().trees();
    std::vector<git::SmudgeItem> items;
    for (const auto& [path, stamp] : snapshot.stamps) {
        const auto entry = trees.find(snapshot.unstaged_tree, path);
        if (entry && entry->is_regular() && trees.find(landing.end_tree, path) == entry)
            items.push_back({path, entry->id});
    }
    const auto before = smudged(workspace, snapshot.untracked_tree, items);
    const auto after = smudged(workspace, landing.end_tree, items);
    std::map<std::string, git::ObjectId> result;
    for (const auto& item : items) {
        const auto old_bytes = before.find(item.path);
        const auto new_bytes = after.find(item.path);
        const auto& wanted = new_bytes == after.end() ? item.blob : new_bytes->second;
        if (wanted != (old_bytes == before.end() ? item.blob : old_bytes->second))
            result.emplace(item.path, wanted);
    }
    return result;
}

/// Contents to write, by path: the raw bytes where they are known, what git's filters make of the blob otherwise.
std::map<std::string, git::ObjectId> contents(Workspace& workspace, const Landing& landing,
                                              const std::vector<git::TreeChange>& changes) {
    std::map<std::string, git::ObjectId> result;
    std::vector<git::SmudgeItem> items;
    for (const auto& change : changes) {
        if (!change.after || change.after->is_gitlink())
            continue;
        const auto raw = landing.raw.find(change.path);
        result[change.path] = raw == landing.raw.end() ? change.after->id : raw->second;
        if (raw == landing.raw.end() && change.after->is_regular())
            items.push_back({change.path, change.after->id});
    }
    for (auto& [path, bytes] : smudged(workspace, landing.end_tree, items))
        result[path] = bytes;
    return result;
}

/// Gitlinks are entries of the index; their directories are git's (submodule) business.
bool is_submodule_change(const git::TreeChange& change) {
    return (!change.before || change.before->is_gitlink()) && (!change.after || change.after->is_gitlink());
}

std::vector<Transition> plan_transitions(Workspace& workspace, const snapshot::Snapshot& snapshot,
                                         const Landing& landing, const std::set<std::string>& left_out) {
    auto& repository = workspace.repository();
    auto changes = repository.trees().diff(snapshot.untracked_tree, landing.end_tree);
    std::erase_if(changes, [&](const git::TreeChange& change) {
        return is_submodule_change(change) || contains(landing.untouched, change.path) ||
               left_out.contains(change.path);
    });
    const std::set<std::string> sparse(snapshot.flags.skip_worktree.begin(), snapshot.flags.skip_worktree.end());
    DirectoryTree directories(repository.paths().worktree);
    auto wanted = contents(workspace, landing, changes);
    for (const auto& [path, bytes] : converted_anew(workspace, snapshot, landing, changes)) {
        const auto entry = repository.trees().find(landing.end_tree, path);
        if (contains(landing.untouched, path) || left_out.contains(path))
            continue;
        changes.push_back({path, entry, entry});
        wanted[path] = bytes;
    }
    std::vector<Transition> transitions;
    for (const auto& change : changes) {
        stop_point();
        check_unchanged(snapshot, directories, change.path);
        Transition transition;
        transition.path = change.path;
        transition.before = transaction::read_state(repository.paths(), change.path, repository.objects());
        if (!change.after && transition.before.kind == FileKind::absent && sparse.contains(change.path))
            continue; // it was not checked out
        if (change.after && !change.after->is_gitlink())
            transition.after = state_of(*change.after, wanted.at(change.path));
        if (!change.before && transition.before.kind != FileKind::absent)
            throw Error(ErrorKind::refused,
                        fmt::format("{} appeared while the upgrade was being planned", quoted(change.path)),
                        {"run the command again"});
        transitions.push_back(std::move(transition));
    }
    refuse_unseen_edits(repository, snapshot, transitions);
    return transitions;
}

} // namespace

FileState state_of(const git::TreeEntry& entry, const git::ObjectId& content) {
    FileState state;
    state.kind = entry.is_link() ? FileKind::link : FileKind::regular;
    state.content = content;
    state.executable = entry.mode == git::mode::executable;
    return state;
}

void plan_submodule_directories(const std::vector<git::TreeChange>& changes, CheckoutMove& move) {
    for (const auto& change : changes) {
        const bool before = change.before && change.before->is_gitlink();
        const bool after = change.after && change.after->is_gitlink();
        if (after && !before)
            move.made_directories.push_back(change.path);
        else if (before && !after)
            move.dropped_directories.push_back(change.path);
    }
}

CheckoutMove plan_move(Workspace& workspace, const snapshot::Snapshot& snapshot, const Landing& landing,
                       const std::string& reflog_message) {
    auto& repository = workspace.repository();
    CheckoutMove move;
    move.paths = repository.paths();
    move.reflog_message = reflog_message;
    const auto left_out = paths_left_out(workspace, snapshot, landing);
    move.transitions = plan_transitions(workspace, snapshot, landing, left_out);
    plan_submodule_directories(repository.trees().diff(snapshot.unstaged_tree, landing.staged_tree), move);
    std::erase_if(move.made_directories, [&](const std::string& path) { return left_out.contains(path); });
    const auto edits = plan_index(repository, snapshot, landing, left_out);
    if (!edits.empty()) {
        const auto bytes = git::edit_index(repository.program(), repository.paths().git_dir / "index", edits);
        // What is unsure in the old index is unsure in the new one.
        move.index =
            transaction::IndexMove{snapshot.index_blob, repository.objects().write(git::ObjectType::blob, bytes),
                                   snapshot.index_time, snapshot.index_time};
    }
    if (landing.head == snapshot.head.commit)
        return move;
    if (landing.detaches && snapshot.head.branch) {
        move.head_before = *snapshot.head.branch;
        move.head_after = landing.head.hex();
    } else
        move.refs.push_back({snapshot.head.branch.value_or("HEAD"), snapshot.head.commit, landing.head});
    return move;
}

namespace {

void secure(const RunRecord& record, const Moving& one) {
    const auto& snapshot = *one.snapshot;
    auto& repository = one.workspace->repository();
    make_directories(one.workspace->runs().directory(record.id), 0700);
    snapshot::write_record(snapshot, one.workspace->runs().directory(record.id), repository.objects());
    keep_fingerprint(*one.workspace, record.id, snapshot, one.move);
    std::vector<git::ObjectId> keep{snapshot::write_chain(repository, snapshot)};
    for (const auto& [path, raw] : snapshot.raw)
        keep.push_back(raw);
    for (const auto& transition : one.move.transitions)
        if (transition.before.kind != FileKind::absent)
            keep.push_back(transition.before.content);
    if (!snapshot.index_blob.is_null())
        keep.push_back(snapshot.index_blob);
    std::vector<git::ObjectId> have;
    if (!snapshot.head.commit.is_null())
        have.push_back(snapshot.head.commit);
    git::keep_objects(repository.program(), keep, have);
    git::sync_private_objects(repository.paths());

    std::vector<git::RefUpdate> refs;
    const auto name = [&](const char* what) { return fmt::format("refs/carry/{}/{}", record.id, what); };
    if (!snapshot.head.commit.is_null())
        refs.push_back({name("head"), {}, snapshot.head.commit});
    if (!one.base.is_null())
        refs.push_back({name("base"), {}, one.base});
    if (!one.upstream.is_null())
        refs.push_back({name("upstream"), {}, one.upstream});
    git::update_refs(repository.program(), refs, "carry: keep what a run replaces",
                     repository.capabilities().object_format);
}

void publish(const Moving& one) {
    const auto& landing = one.landing;
    std::vector<git::ObjectId> wanted;
    if (!landing.head.is_null())
        wanted.push_back(landing.head);
    wanted.push_back(landing.staged_tree);
    wanted.insert(wanted.end(), landing.index_objects.begin(), landing.index_objects.end());
    for (const auto& [path, entry] : landing.unmerged)
        for (const auto& stage : {entry.base, entry.ours, entry.theirs})
            if (stage && !stage->is_gitlink())
                wanted.push_back(stage->id);
    git::publish_objects(one.workspace->repository().program(), wanted, {one.snapshot->head.commit, one.upstream});
}

} // namespace

void secure_run(const RunRecord& record, const std::vector<Moving>& all) {
    for (const auto& one : all)
        secure(record, one);
}

void land(Workspace& workspace, RunRecord& record, const std::vector<Moving>& all) {
    std::vector<transaction::Participant> participants;
    for (const auto& one : all) {
        publish(one);
        auto& repository = one.workspace->repository();
        one.workspace->runs().save_moves(record.id, {one.move});
        participants.push_back({one.move, &repository.objects(), repository.capabilities().object_format});
    }
    record.state = RunState::applying;
    workspace.runs().save(record);

    workspace.progress("apply");
    transaction::ApplyOptions options;
    options.run = record.id;
    options.progress = workspace.request().progress;
    stop_point();
    try {
        transaction::apply(participants, workspace.runs().root(), options);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::needs_person) {
            record.state = RunState::open;
            workspace.runs().save(record);
        }
        throw;
    }
    record.state = record.lands_as;
    record.changed = true;
    workspace.runs().save(record);
    // Other commands (of verification, of an undo) want the submodules' locks.
    for (const auto& one : all)
        if (one.workspace != &workspace)
            one.workspace->unlock();
}

} // namespace carry::pipeline
