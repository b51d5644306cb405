#include "pipeline/remember.hpp"

#include "base/directory.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "git/buffers.hpp"
#include "merge/conflict_image.hpp"
#include "merge/resolution.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace carry::pipeline {

namespace {

/// rerere asks only for an opening marker; one that was left behind at the end is no resolution either.
bool is_resolution(const std::string& bytes, std::size_t marker_size) {
    if (merge::holds_conflict(bytes, marker_size))
        return false;
    const std::string close = std::string(marker_size, '>') + ' ';
    return !bytes.starts_with(close) && bytes.find('\n' + close) == std::string::npos;
}

std::optional<git::TreeEntry> resolved_entry(Workspace& workspace, const snapshot::Snapshot& now,
                                             const std::string& path) {
    const bool unmerged =
        std::ranges::any_of(now.status.unmerged, [&](const auto& entry) { return entry.path == path; });
    return workspace.repository().trees().find(unmerged ? now.unstaged_tree : now.staged_tree, path);
}

/// All forms of the conflict that git may meet, on disk and in the index.
std::vector<std::string> texts_of(Workspace& workspace, const PendingConflict& conflict) {
    auto& store = workspace.repository().objects();
    const auto read = [&](const git::ObjectId& id) {
        return id.is_null() ? std::string() : store.require(id, git::ObjectType::blob);
    };
    git::MergeOptions options;
    options.marker_size = conflict.marker_size;
    auto texts = merge::conflict_texts(read(conflict.base), read(conflict.upstream), read(conflict.local), options);
    texts.insert(texts.begin(), read(conflict.marked)); // a merge driver's may be none of these
    return texts;
}

void record(merge::ResolutionStore& store, const std::vector<std::string>& texts, const std::string& resolved,
            std::size_t marker_size) {
    std::set<std::string> ids;
    for (const auto& text : texts) {
        const auto image = merge::conflict_image(text, marker_size);
        if (!image || image->conflicts.empty() || image->bytes.size() > merge::resolution_size_limit ||
            resolved.size() > merge::resolution_size_limit)
            continue;
        const auto id = image->id(store.format());
        if (ids.insert(id).second)
            store.record({.id = id, .preimage = image->bytes, .postimage = resolved, .recorded = now_seconds()});
    }
}

/// What git wrote to disk has other line endings than what it stores.
bool is_converted(Workspace& workspace, const std::string& path, const std::string& stored) {
    const auto converted = merge::with_carriage_returns(stored);
    return converted != stored && DirectoryTree(workspace.repository().paths().worktree).read(path) == converted;
}

bool remember_one(Workspace& workspace, merge::ResolutionStore& store, const PendingConflict& conflict,
                  const snapshot::Snapshot& now) {
    const auto entry = resolved_entry(workspace, now, conflict.path);
    if (!entry || !entry->is_regular() || entry->id == conflict.marked)
        return false;
    auto& objects = workspace.repository().objects();
    const auto header = objects.header(entry->id);
    if (!header || header->size > merge::resolution_size_limit)
        return false;
    const auto resolved = objects.require(entry->id, git::ObjectType::blob);
    if (git::is_binary(resolved) || !is_resolution(resolved, conflict.marker_size))
        return false;
    auto texts = texts_of(workspace, conflict);
    record(store, texts, resolved, conflict.marker_size);
    if (is_converted(workspace, conflict.path, resolved)) {
        for (auto& text : texts)
            text = merge::with_carriage_returns(text);
        record(store, texts, merge::with_carriage_returns(resolved), conflict.marker_size);
    }
    return true;
}

void run_rerere(Workspace& workspace, std::vector<std::string> words) {
    if (!workspace.settings().resolutions || !merge::ResolutionStore(workspace.repository()).is_shared())
        return;
    std::vector<std::string> arguments{"-c", "rerere.autoUpdate=false", "rerere"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    workspace.repository().program().run(arguments); // where it fails git has only less to go by
}

} // namespace

void note_conflict(Pending& pending, const std::string& path, const merge::Conflict& conflict) {
    const auto& [base, upstream, local] = conflict.stages;
    const bool lines = conflict.kind == ConflictKind::content || conflict.kind == ConflictKind::both_added;
    for (const auto& entry : {upstream, local, conflict.marked})
        if (!lines || !entry || !entry->is_regular())
            return;
    if (conflict.marked->id == upstream->id || conflict.marked->id == local->id)
        return;
    pending.conflicts.push_back({path, base && base->is_regular() ? base->id : git::ObjectId{}, upstream->id, local->id,
                                 conflict.marked->id, conflict.marker_size});
}

std::size_t remember(Workspace& workspace, const Pending& pending, const snapshot::Snapshot& now) {
    if (!workspace.settings().resolutions || pending.conflicts.empty())
        return 0;
    merge::ResolutionStore store(workspace.repository());
    std::size_t count = 0;
    for (const auto& conflict : pending.conflicts)
        try {
            count += remember_one(workspace, store, conflict, now) ? 1U : 0U;
        } catch (const Error& error) {
            // The resolution itself is safe; what is lost is that it comes by itself the next time.
            if (workspace.request().note)
                workspace.request().note(fmt::format("the resolution of {} cannot be remembered: {}",
                                                     quoted(conflict.path), error.message()));
        }
    return count;
}

void remember_waiting(Workspace& workspace) {
    const auto current = workspace.runs().current();
    if (!current || !workspace.settings().resolutions)
        return;
    const auto waiting = workspace.runs().load(*current);
    if (waiting.pending && !waiting.pending->conflicts.empty())
        remember(workspace, *waiting.pending, snapshot::capture(workspace.repository(), workspace.settings()));
}

void share_conflicts(Workspace& workspace) {
    run_rerere(workspace, {});
}

void drop_conflicts(Workspace& workspace) {
    run_rerere(workspace, {"clear"});
}

void keep_used_resolutions(Workspace& workspace) {
    if (auto* memory = workspace.resolutions())
        for (const auto& resolution : memory->used())
            merge::ResolutionStore::touch(resolution);
}

} // namespace carry::pipeline
