#include "merge/chain_walk.hpp"

#include "merge/change_merge.hpp"
#include "merge/entry_merge.hpp"
#include "merge/tree_place.hpp"

#include <algorithm>

namespace carry::merge {

namespace {

constexpr std::string_view split_lost = "staged and unstaged changes could not be kept apart";

git::ObjectId& tree_after(RebasedChain& chain, Layer layer) {
    if (layer == Layer::staged)
        return chain.staged_tree;
    return layer == Layer::unstaged ? chain.unstaged_tree : chain.untracked_tree;
}

/// What a link made is what the later ones start from.
void set_trees_from(RebasedChain& chain, Layer layer, const git::ObjectId& tree) {
    if (layer == Layer::staged)
        chain.staged_tree = tree;
    if (layer == Layer::staged || layer == Layer::unstaged)
        chain.unstaged_tree = tree;
    chain.untracked_tree = tree;
}

bool is_tracked(const ChainLink& link) {
    return link.layer == Layer::staged || link.layer == Layer::unstaged;
}

void add_note(PathOutcome& outcome, std::string_view note) {
    if (!outcome.note.empty())
        outcome.note += "; ";
    outcome.note += note;
}

void add_names(std::set<std::string>& names, const PathOutcome& outcome) {
    for (const auto* name : {&outcome.old_path, &outcome.path}) {
        if (!name->empty())
            names.insert(*name);
    }
}

/// The staged and the unstaged link, in order.
class TrackedLinks {
public:
    TrackedLinks(Walk& walk, std::vector<ChainLink> links) : m_walk(walk), m_conflicts(links.size()) {
        for (auto& link : links) {
            m_changes.push_back(link_changes(walk.repository, link.before, link.after));
            m_links.push_back(std::move(link));
        }
    }

    /// A conflict in one of them takes the path's change out of both, so what was merged is merged again without it.
    void settle() {
        while (!pass()) {
        }
        for (std::size_t i = 0; i < m_links.size(); ++i)
            publish(i);
    }

private:
    /// False where a conflict has come up.
    bool pass() {
        auto& result = m_walk.result;
        PathMap map = result.map;
        auto tree = result.head_tree;
        bool clean = true;
        m_merges.clear();
        for (std::size_t i = 0; i < m_links.size(); ++i) {
            auto left_out = m_walk.left_out_paths();
            auto merge = merge_changes(m_walk.repository,
                                       {.before = m_links[i].before,
                                        .after = m_links[i].after,
                                        .onto = tree,
                                        .map = &map,
                                        .left_out = &left_out,
                                        .markers = m_walk.markers(m_links[i])},
                                       m_changes[i]);
            for (auto& path : merge.paths) {
                if (!path.conflict)
                    continue;
                clean = false;
                m_walk.leave_out(path, m_links[i].label);
                m_conflicts[i].push_back(path);
            }
            tree = merge.tree;
            m_merges.push_back(std::move(merge));
        }
        if (clean)
            result.map = std::move(map);
        return clean;
    }

    void publish(std::size_t i) {
        LinkOutcome outcome;
        outcome.link = m_links[i];
        outcome.merge = std::move(m_merges[i]);
        set_trees_from(m_walk.result, outcome.link.layer, outcome.merge.tree);
        std::set<std::string> reported;
        for (auto& conflict : m_conflicts[i]) {
            add_names(reported, conflict);
            outcome.merge.paths.push_back(std::move(conflict));
        }
        const auto left_out = m_walk.left_out_paths();
        for (const auto& change : m_changes[i]) {
            if (!touches(left_out, change) || touches(reported, change))
                continue;
            if (outcome.needs.empty())
                outcome.needs = m_walk.left_out_by(change);
            outcome.merge.paths.push_back(parked_outcome(m_walk, change));
        }
        for (const auto& path : outcome.merge.paths) {
            if (path.conflict || path.fate == Fate::parked)
                add_names(outcome.set_aside_paths, path);
        }
        std::ranges::sort(outcome.merge.paths, {}, &PathOutcome::display_path);
        m_walk.result.links.push_back(std::move(outcome));
    }

    Walk& m_walk;
    std::vector<ChainLink> m_links;
    std::vector<std::vector<LocalChange>> m_changes;
    std::vector<LinkMerge> m_merges;
    std::vector<std::vector<PathOutcome>> m_conflicts; ///< by link, from all passes
};

/// Untracked and ignored files: each stands for itself.
void settle_untracked(Walk& walk, const ChainLink& link) {
    auto& result = walk.result;
    LinkOutcome outcome;
    outcome.link = link;
    const auto changes = link_changes(walk.repository, link.before, link.after);
    auto left_out = walk.left_out_paths();
    outcome.merge = merge_changes(walk.repository,
                                  {.before = link.before,
                                   .after = link.after,
                                   .onto = result.untracked_tree,
                                   .map = &result.map,
                                   .left_out = &left_out,
                                   .markers = walk.markers(link)},
                                  changes);
    for (const auto& path : outcome.merge.paths) {
        if (!path.conflict)
            continue;
        add_names(outcome.set_aside_paths, path);
        walk.leave_out(path, link.label);
    }
    for (const auto& change : changes) {
        if (!touches(left_out, change))
            continue;
        if (outcome.needs.empty())
            outcome.needs = walk.left_out_by(change);
        outcome.merge.paths.push_back(parked_outcome(walk, change));
        add_names(outcome.set_aside_paths, outcome.merge.paths.back());
    }
    std::ranges::sort(outcome.merge.paths, {}, &PathOutcome::display_path);
    set_trees_from(result, link.layer, outcome.merge.tree);
    result.links.push_back(std::move(outcome));
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
        note_disk_versions(changes);
        const auto onto = tree_after(result, link.layer);
        PathMap map = result.map;
        LinkOutcome outcome;
        outcome.link = link;
        outcome.merge = merge(link, onto, map, changes);
        if (link.layer == Layer::staged && i + 1 < m_links.size() && m_links[i + 1].layer == Layer::unstaged)
            take_unstaged_along(outcome, onto, map, std::move(changes), m_links[i + 1]);
        for (const auto& path : outcome.merge.paths) {
            if (path.conflict)
                add_names(m_in_conflict, path);
        }
        if (link.layer == Layer::unstaged && !m_spilled.empty())
            outcome.merge.tree = m_walk.repository.trees().edit(outcome.merge.tree, m_spilled);
        result.map = std::move(map);
        set_trees_from(result, link.layer, outcome.merge.tree);
        result.links.push_back(std::move(outcome));
    }

    LinkMerge merge(const ChainLink& link, const git::ObjectId& onto, PathMap& map,
                    const std::vector<LocalChange>& changes) {
        return merge_changes(m_walk.repository,
                             {.before = link.before,
                              .after = link.after,
                              .onto = onto,
                              .map = &map,
                              .left_out = &m_in_conflict,
                              .markers = m_walk.markers(link)},
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

    /// A file that a later link has on disk under a name that is in conflict ("git rm --cached" and kept) stays there
    /// while the conflict waits.
    void note_disk_versions(const std::vector<LocalChange>& changes) {
        for (auto& link : m_walk.result.links) {
            for (auto& path : link.merge.paths) {
                if (!path.conflict || path.conflict->kind != ConflictKind::deleted_here)
                    continue;
                const auto kept = std::find_if(changes.begin(), changes.end(), [&](const LocalChange& change) {
                    return change.old_path.empty() && change.path == path.old_path;
                });
                if (kept == changes.end())
                    continue;
                path.conflict->marked = kept->local;
                add_note(path, "the file on disk stays as it is");
            }
        }
    }

    Walk& m_walk;
    const std::vector<ChainLink>& m_links;
    std::set<std::string> m_in_conflict; ///< names that later links pass over
    git::TreeEdits m_spilled;            ///< merged paths that go into the unstaged tree only
    git::TreeEdits m_taken_back;         ///< the same paths as they were before
};

} // namespace

std::set<std::string> Walk::left_out_paths() const {
    std::set<std::string> paths;
    for (const auto& [path, label] : left_out)
        paths.insert(path);
    return paths;
}

std::string Walk::left_out_by(const LocalChange& change) const {
    for (const auto* name : {&change.path, &change.old_path}) {
        if (const auto found = left_out.find(*name); !name->empty() && found != left_out.end())
            return found->second;
    }
    return {};
}

void Walk::leave_out(const PathOutcome& outcome, const std::string& label) {
    for (const auto* name : {&outcome.old_path, &outcome.path}) {
        if (!name->empty())
            left_out.try_emplace(*name, label);
    }
}

git::MergeOptions Walk::markers(const ChainLink& link) const {
    auto options = input.markers;
    if (!link.label.empty())
        options.theirs_label = link.label;
    return options;
}

PathOutcome parked_outcome(Walk& walk, const LocalChange& change) {
    PathOutcome outcome;
    outcome.old_path = change.old_path;
    outcome.path = change.path;
    outcome.base = change.base;
    outcome.local = change.local;
    outcome.local_rename = change.rename();
    const auto upstream_path = change.old_path.empty() ? change.path : walk.result.map.map(change.old_path);
    outcome.upstream = find_place(walk.repository.trees(), walk.result.head_tree, upstream_path).leaf;
    outcome.new_path = outcome.upstream ? upstream_path : std::string{};
    outcome.fate = Fate::parked;
    auto hunks = entry_hunks(walk.repository, change.base, change.local, Fate::parked);
    outcome.hunks = std::move(hunks.hunks);
    outcome.binary = hunks.binary;
    if (const auto label = walk.left_out_by(change); !label.empty())
        outcome.note = "needs " + label + ", which was set aside";
    return outcome;
}

void walk_setting_aside(Walk& walk, const std::vector<ChainLink>& links) {
    std::vector<ChainLink> tracked;
    std::copy_if(links.begin(), links.end(), std::back_inserter(tracked), is_tracked);
    TrackedLinks(walk, std::move(tracked)).settle();
    for (const auto& link : links) {
        if (!is_tracked(link))
            settle_untracked(walk, link);
    }
}

void walk_with_conflicts(Walk& walk, const std::vector<ChainLink>& links) {
    ConflictWalk(walk, links).run();
}

} // namespace carry::merge
