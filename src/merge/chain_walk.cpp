#include "merge/chain_walk.hpp"

#include "merge/change_merge.hpp"
#include "merge/entry_merge.hpp"
#include "merge/tree_place.hpp"

#include <algorithm>

namespace carry::merge {

void add_names(std::set<std::string>& names, const PathOutcome& outcome) {
    for (const auto* name : {&outcome.old_path, &outcome.path}) {
        if (!name->empty())
            names.insert(*name);
    }
}

namespace {

/// The staged and the unstaged link, in order.
class TrackedLinks {
public:
    TrackedLinks(Walk& walk, std::vector<ChainLink> links) : m_walk(walk), m_conflicts(links.size()) {
        for (auto& link : links) {
            auto changes = link_changes(walk.repository, link.before, link.after);
            announce_moves(walk.moves, link, changes);
            m_changes.push_back(std::move(changes));
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
        std::map<std::string, PathMap> maps;
        auto tree = m_walk.result.head_tree;
        bool clean = true;
        m_merges.clear();
        for (auto& move : m_walk.moves)
            move.settled = false;
        for (std::size_t i = 0; i < m_links.size(); ++i) {
            auto left_out = m_walk.left_out_paths(m_links[i]);
            auto& map = maps.try_emplace(m_links[i].parked_name, m_walk.map_of(m_links[i])).first->second;
            auto merge = merge_changes(m_walk.repository,
                                       {.before = m_links[i].before,
                                        .after = m_links[i].after,
                                        .onto = tree,
                                        .map = &map,
                                        .left_out = &left_out,
                                        .markers = m_walk.markers(m_links[i]),
                                        .rules = m_walk.input.rules,
                                        .gitlinks = m_walk.gitlinks(m_links[i]),
                                        .resolutions = m_walk.input.resolutions},
                                       m_changes[i]);
            for (auto& path : merge.paths) {
                if (!path.conflict)
                    continue;
                clean = false;
                m_walk.leave_out(m_links[i], path, m_links[i].label);
                m_conflicts[i].push_back(path);
            }
            note_moves(m_walk.moves, m_links[i], merge);
            tree = merge.tree;
            m_merges.push_back(std::move(merge));
        }
        for (const auto& link : m_links) {
            if (const auto map = maps.find(link.parked_name); clean && map != maps.end())
                m_walk.map_of(link) = map->second;
        }
        return clean;
    }

    void publish(std::size_t i) {
        LinkOutcome outcome;
        outcome.link = m_links[i];
        outcome.merge = std::move(m_merges[i]);
        m_walk.take_tree(outcome);
        std::set<std::string> reported;
        for (auto& conflict : m_conflicts[i]) {
            add_names(reported, conflict);
            outcome.merge.paths.push_back(std::move(conflict));
        }
        const auto left_out = m_walk.left_out_paths(m_links[i]);
        for (const auto& change : m_changes[i]) {
            if (!touches(left_out, change) || touches(reported, change))
                continue;
            if (outcome.needs.empty())
                outcome.needs = m_walk.needed_by(m_links[i], change);
            outcome.merge.paths.push_back(parked_outcome(m_walk, m_links[i], change));
        }
        for (const auto& path : outcome.merge.paths) {
            if (path.conflict || path.fate == Fate::parked)
                outcome.set_aside_paths.insert(path.display_path());
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
    auto changes = link_changes(walk.repository, link.before, link.after);
    announce_moves(walk.moves, link, changes);
    auto left_out = walk.left_out_paths(link);
    outcome.merge = merge_changes(walk.repository,
                                  {.before = link.before,
                                   .after = link.after,
                                   .onto = result.untracked_tree,
                                   .map = &walk.map_of(link),
                                   .left_out = &left_out,
                                   .markers = walk.markers(link),
                                   .rules = walk.input.rules,
                                   .gitlinks = walk.gitlinks(link),
                                   .resolutions = walk.input.resolutions},
                                  changes);
    note_moves(walk.moves, link, outcome.merge);
    for (const auto& path : outcome.merge.paths) {
        if (!path.conflict)
            continue;
        outcome.set_aside_paths.insert(path.display_path());
        walk.leave_out(link, path, link.label);
    }
    for (const auto& change : changes) {
        if (!touches(left_out, change))
            continue;
        if (outcome.needs.empty())
            outcome.needs = walk.needed_by(link, change);
        outcome.merge.paths.push_back(parked_outcome(walk, link, change));
        outcome.set_aside_paths.insert(outcome.merge.paths.back().display_path());
    }
    std::ranges::sort(outcome.merge.paths, {}, &PathOutcome::display_path);
    walk.take_tree(outcome);
    result.links.push_back(std::move(outcome));
}

} // namespace

bool is_tracked(const ChainLink& link) {
    return link.layer == Layer::staged || link.layer == Layer::unstaged;
}

void Walk::take_tree(const LinkOutcome& outcome) {
    const auto& tree = outcome.merge.tree;
    if (outcome.link.layer == Layer::staged)
        result.staged_tree = tree;
    if (is_tracked(outcome.link))
        result.unstaged_tree = tree;
    result.untracked_tree = tree;
}

std::set<std::string> Walk::left_out_paths(const ChainLink& link) const {
    std::set<std::string> paths;
    if (const auto group = left_out.find(link.parked_name); group != left_out.end()) {
        for (const auto& [path, label] : group->second)
            paths.insert(path);
    }
    return paths;
}

std::string Walk::needed_by(const ChainLink& link, const LocalChange& change) const {
    const auto group = left_out.find(link.parked_name);
    if (group == left_out.end())
        return {};
    for (const auto* name : {&change.path, &change.old_path}) {
        const auto found = group->second.find(*name);
        if (found != group->second.end() && found->second != link.label)
            return found->second;
    }
    return {};
}

void Walk::give_up(const ChainLink& link) {
    for (const auto& change : repository.trees().diff(link.before, link.after))
        left_out[link.parked_name].try_emplace(change.path, link.label);
}

void Walk::leave_out(const ChainLink& link, const PathOutcome& outcome, const std::string& label) {
    for (const auto* name : {&outcome.old_path, &outcome.path}) {
        if (!name->empty())
            left_out[link.parked_name].try_emplace(*name, label);
    }
}

PathMap& Walk::map_of(const ChainLink& link) {
    if (link.parked_name.empty())
        return result.map;
    const auto [found, is_new] = parked_maps.try_emplace(link.parked_name);
    if (is_new) {
        std::vector<std::string> touched;
        std::vector<std::string> added;
        for (auto& change : repository.trees().diff(link.before, link.after))
            (change.before ? touched : added).push_back(std::move(change.path));
        found->second = upstream_renames(repository, link.before, result.head_tree, touched, added);
    }
    return found->second;
}

git::MergeOptions Walk::markers(const ChainLink& link) const {
    auto options = input.markers;
    if (!link.label.empty())
        options.theirs_label = link.label;
    return options;
}

GitlinkMerger Walk::gitlinks(const ChainLink& link) const {
    if (!input.gitlinks)
        return {};
    return [this, layer = link.layer](const GitlinkSides& sides) { return input.gitlinks(layer, sides); };
}

PathOutcome parked_outcome(Walk& walk, const ChainLink& link, const LocalChange& change) {
    PathOutcome outcome;
    outcome.old_path = change.old_path;
    outcome.path = change.path;
    outcome.base = change.base;
    outcome.local = change.local;
    outcome.local_rename = change.rename();
    const auto upstream_path = change.old_path.empty() ? change.path : walk.map_of(link).map(change.old_path);
    outcome.upstream = find_place(walk.repository.trees(), walk.result.head_tree, upstream_path).leaf;
    outcome.new_path = outcome.upstream ? upstream_path : std::string{};
    outcome.fate = Fate::parked;
    auto hunks = entry_hunks(walk.repository, change.base, change.local, Fate::parked);
    outcome.hunks = std::move(hunks.hunks);
    outcome.binary = hunks.binary;
    outcome.needs = walk.needed_by(link, change);
    if (!outcome.needs.empty())
        outcome.note = "needs " + outcome.needs + ", which was set aside";
    else if (touches(walk.left_out_paths(link), change))
        outcome.note = "collides with what is carried now";
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

} // namespace carry::merge
