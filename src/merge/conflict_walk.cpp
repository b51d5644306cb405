#include "base/text.hpp"
#include "merge/chain_walk.hpp"
#include "merge/change_merge.hpp"
#include "merge/tree_place.hpp"

#include <algorithm>

namespace carry::merge {

namespace {

constexpr std::string_view split_lost = "staged and unstaged changes could not be kept apart";

void add_note(PathOutcome& outcome, std::string_view note) {
    if (!outcome.note.empty())
        outcome.note += "; ";
    outcome.note += note;
}

/// Halt mode: links one after the other, conflicts and all.
class ConflictWalk {
public:
    ConflictWalk(Walk& walk, const std::vector<ChainLink>& links) : m_walk(walk), m_links(links) {}

    void run() {
        for (std::size_t i = 0; i < m_links.size(); ++i)
            walk_link(i);
    }

private:
    void walk_link(std::size_t i) {
        auto& result = m_walk.result;
        const auto& link = m_links[i];
        auto changes = link_changes(m_walk.repository, link.before, link.after);
        loosen_renames(changes);
        announce_moves(m_walk.moves, link, changes);
        const auto onto = result.untracked_tree; // as far as the links before this one brought it
        PathMap map = result.map;
        LinkOutcome outcome;
        outcome.link = link;
        outcome.merge = merge(link, onto, map, changes);
        if (link.layer == Layer::staged && i + 1 < m_links.size() && m_links[i + 1].layer == Layer::unstaged)
            take_unstaged_along(outcome, onto, map, std::move(changes), m_links[i + 1]);
        else if (is_tracked(link))
            report_passed_over(outcome, changes);
        else
            keep_on_disk(outcome, changes);
        note_moves(m_walk.moves, link, outcome.merge);
        for (const auto& path : outcome.merge.paths) {
            if (path.conflict)
                add_names(m_in_conflict, path);
        }
        if (link.layer == Layer::unstaged && !m_spilled.empty())
            outcome.merge.tree = m_walk.repository.trees().edit(outcome.merge.tree, m_spilled);
        result.map = std::move(map);
        m_walk.take_tree(outcome);
        result.links.push_back(std::move(outcome));
    }

    /// What was renamed away from a path in conflict is a new file for now.
    void loosen_renames(std::vector<LocalChange>& changes) const {
        for (auto& change : changes) {
            if (change.rename() && m_in_conflict.contains(change.old_path) && !m_in_conflict.contains(change.path))
                change = {.old_path = {}, .path = change.path, .base = std::nullopt, .local = change.local};
        }
    }

    /// Two links of one layer may change a path (a patch that is applied on top): the second cannot be marked as well.
    void report_passed_over(LinkOutcome& outcome, const std::vector<LocalChange>& changes) {
        for (const auto& change : changes) {
            if (!touches(m_in_conflict, change) || touches(m_taken_along, change))
                continue;
            auto waiting = parked_outcome(m_walk, outcome.link, change);
            waiting.fate = Fate::conflict;
            waiting.hunks.clear();
            waiting.new_path = waiting.display_path();
            waiting.conflict = Conflict{.kind = ConflictKind::content,
                                        .stages = {change.base, waiting.upstream, change.local},
                                        .marked = waiting.upstream,
                                        .message = quoted(waiting.display_path()) +
                                                   " is in conflict already; this change to it is left out"};
            outcome.merge.paths.push_back(std::move(waiting));
        }
    }

    LinkMerge merge(const ChainLink& link, const git::ObjectId& onto, PathMap& map,
                    const std::vector<LocalChange>& changes) {
        return merge_changes(m_walk.repository,
                             {.before = link.before,
                              .after = link.after,
                              .onto = onto,
                              .map = &map,
                              .left_out = &m_in_conflict,
                              .markers = m_walk.markers(link),
                              .rules = m_walk.input.rules,
                              .gitlinks = m_walk.gitlinks(link),
                              .resolutions = m_walk.input.resolutions},
                             changes);
    }

    /// Merges the staged link again, with the unstaged version of each path that is in conflict and that the unstaged
    /// link changes too.
    void take_unstaged_along(LinkOutcome& outcome, const git::ObjectId& onto, PathMap& map,
                             std::vector<LocalChange> changes, const ChainLink& unstaged) {
        std::set<std::string> in_conflict;
        for (const auto& path : outcome.merge.paths) {
            if (path.conflict)
                add_names(in_conflict, path);
        }
        auto& trees = m_walk.repository.trees();
        std::set<std::string> folded;
        for (auto& change : changes) {
            if (!touches(in_conflict, change))
                continue;
            const auto& name = change.path.empty() ? change.old_path : change.path;
            const auto end = find_place(trees, unstaged.after, name).leaf;
            if (end == change.local)
                continue;
            change.path = end ? name : std::string{};
            change.local = end;
            folded.insert(name);
        }
        if (folded.empty())
            return;
        // an addition that is taken back again is no change
        std::erase_if(changes,
                      [](const LocalChange& change) { return change.path.empty() && change.old_path.empty(); });
        map = m_walk.result.map;
        outcome.merge = merge(outcome.link, onto, map, changes);
        for (auto& path : outcome.merge.paths) {
            if (!folded.contains(path.display_path()))
                continue;
            add_note(path, split_lost);
            if (!path.conflict)
                spill(path, onto, outcome.merge.tree);
        }
        m_in_conflict.insert(folded.begin(), folded.end());
        m_taken_along.insert(folded.begin(), folded.end());
        take_spilled_out(outcome, onto);
    }

    /// With its unstaged change it merges after all: that result belongs to the unstaged tree, not to the index.
    void spill(const PathOutcome& path, const git::ObjectId& onto, const git::ObjectId& merged) {
        auto& trees = m_walk.repository.trees();
        for (const auto& name : {path.new_path, m_walk.result.map.map(path.old_path)}) {
            if (name.empty())
                continue;
            const auto before = find_place(trees, onto, name).leaf;
            const auto after = find_place(trees, merged, name).leaf;
            if (before == after)
                continue;
            m_spilled[name] = after;
            m_taken_back[name] = before;
        }
    }

    void take_spilled_out(LinkOutcome& outcome, const git::ObjectId& onto) {
        if (m_taken_back.empty())
            return;
        auto& trees = m_walk.repository.trees();
        outcome.merge.tree = trees.edit(outcome.merge.tree, m_taken_back);
        // what is as it was before needs no new tree
        if (trees.diff(onto, outcome.merge.tree).empty())
            outcome.merge.tree = onto;
    }

    /// A file that is in conflict because the index does not have it any more ("git rm --cached"), and that is still on
    /// disk, stays there while the conflict waits.
    void keep_on_disk(LinkOutcome& outcome, const std::vector<LocalChange>& changes) {
        for (const auto& change : changes) {
            if (!change.old_path.empty() || !touches(m_in_conflict, change))
                continue;
            auto kept = parked_outcome(m_walk, outcome.link, change);
            kept.fate = Fate::kept;
            for (auto& hunk : kept.hunks)
                hunk.fate = Fate::kept;
            kept.new_path = change.path;
            kept.merged = change.local;
            kept.note = "in conflict: the file on disk stays as it is";
            for (auto& link : m_walk.result.links)
                mark_disk_version(link, change);
            outcome.merge.paths.push_back(std::move(kept));
        }
    }

    static void mark_disk_version(LinkOutcome& link, const LocalChange& change) {
        for (auto& path : link.merge.paths) {
            if (path.conflict && path.conflict->kind == ConflictKind::deleted_here && path.new_path == change.path)
                path.conflict->marked = change.local;
        }
    }

    Walk& m_walk;
    const std::vector<ChainLink>& m_links;
    std::set<std::string> m_in_conflict; ///< names that later links pass over
    std::set<std::string> m_taken_along; ///< those of them whose unstaged change is settled
    git::TreeEdits m_spilled;            ///< merged paths that go into the unstaged tree only
    git::TreeEdits m_taken_back;         ///< the same paths as they were before
};

} // namespace

void walk_with_conflicts(Walk& walk, const std::vector<ChainLink>& links) {
    ConflictWalk(walk, links).run();
}

} // namespace carry::merge
