#include "merge/rebase.hpp"

#include "merge/chain_walk.hpp"
#include "merge/change_merge.hpp"

#include <algorithm>

namespace carry::merge {

namespace {

/// The paths of all links: what they change, and what is new in them.
PathMap map_of_upstream(git::Repository& repository, const RebaseInput& input, const git::ObjectId& onto_tree) {
    if (input.links.empty())
        return {};
    auto& trees = repository.trees();
    const auto base_tree = input.base.is_null() ? input.links.front().before : trees.tree_of_commit(input.base);
    std::vector<std::string> touched;
    std::vector<std::string> added;
    for (const auto& link : input.links) {
        if (!link.parked_name.empty())
            continue; // it has a map of its own
        for (auto& change : trees.diff(link.before, link.after))
            (change.before ? touched : added).push_back(std::move(change.path));
    }
    for (auto* paths : {&touched, &added}) {
        std::sort(paths->begin(), paths->end());
        paths->erase(std::unique(paths->begin(), paths->end()), paths->end());
    }
    return upstream_renames(repository, base_tree, onto_tree, touched, added);
}

bool is_header_of_old_commit(const std::string& name) {
    return name.starts_with("gpgsig") || name == "mergetag";
}

git::ObjectId write_rebased(Walk& walk, const ChainLink& link, const git::ObjectId& tree) {
    auto& store = walk.repository.objects();
    git::Commit commit = git::read_commit(store, link.commit);
    const bool in_place = commit.parents.size() == 1 && commit.parents.front() == walk.result.head;
    if (in_place && commit.tree == tree)
        return link.commit;
    commit.tree = tree;
    commit.parents = {walk.result.head};
    if (!walk.input.committer.empty())
        commit.committer = walk.input.committer;
    // they vouch for the commit as it was
    std::erase_if(commit.extra, [](const auto& header) { return is_header_of_old_commit(header.first); });
    return store.write(git::ObjectType::commit, commit.serialize());
}

git::ObjectId write_merge(Walk& walk, const ChainLink& link, const git::ObjectId& tree) {
    auto& store = walk.repository.objects();
    git::Commit commit;
    commit.tree = tree;
    commit.parents = link.merge_parents;
    commit.message = link.merge_message;
    commit.committer = walk.input.committer.empty() && !link.commit.is_null()
                           ? git::read_commit(store, link.commit).committer
                           : walk.input.committer;
    commit.author = commit.committer;
    return store.write(git::ObjectType::commit, commit.serialize());
}

/// A commit that is passed over as a whole.
LinkMerge parked_merge(Walk& walk, const ChainLink& link, const std::vector<LocalChange>& changes) {
    LinkMerge merge;
    merge.tree = walk.result.head_tree;
    for (const auto& change : changes)
        merge.paths.push_back(parked_outcome(walk, link, change));
    return merge;
}

void set_aside_commit(Walk& walk, LinkOutcome outcome) {
    outcome.set_aside = true;
    for (const auto& path : outcome.merge.paths)
        walk.leave_out(outcome.link, path, outcome.link.label);
    walk.result.links.push_back(std::move(outcome));
}

void land_commit(Walk& walk, LinkOutcome outcome) {
    auto& result = walk.result;
    const auto& link = outcome.link;
    const auto& tree = outcome.merge.tree;
    const bool was_empty = link.before == link.after;
    if (tree == result.head_tree && !was_empty) {
        outcome.dropped = true;
    } else {
        outcome.new_commit =
            link.merge_parents.empty() ? write_rebased(walk, link, tree) : write_merge(walk, link, tree);
        result.head = outcome.new_commit;
        result.head_tree = tree;
    }
    result.links.push_back(std::move(outcome));
}

/// False: halted.
bool walk_commit(Walk& walk, const ChainLink& link) {
    auto& result = walk.result;
    LinkOutcome outcome;
    outcome.link = link;
    const auto changes = link_changes(walk.repository, link.before, link.after);
    const auto left_out = walk.left_out_paths(link);
    const auto hindered = std::find_if(changes.begin(), changes.end(),
                                       [&](const LocalChange& change) { return touches(left_out, change); });
    if (hindered != changes.end()) {
        outcome.needs = walk.needed_by(link, *hindered);
        outcome.merge = parked_merge(walk, link, changes);
        set_aside_commit(walk, std::move(outcome));
        return true;
    }
    PathMap map = walk.map_of(link);
    outcome.merge = merge_changes(walk.repository,
                                  {.before = link.before,
                                   .after = link.after,
                                   .onto = result.head_tree,
                                   .map = &map,
                                   .markers = walk.markers(link),
                                   .rules = walk.input.rules,
                                   .gitlinks = walk.gitlinks(link),
                                   .resolutions = walk.input.resolutions},
                                  changes);
    const bool clean = outcome.merge.clean();
    if (!clean && walk.input.mode == ConflictMode::set_aside) {
        set_aside_commit(walk, std::move(outcome));
        return true;
    }
    walk.map_of(link) = std::move(map);
    if (clean) {
        land_commit(walk, std::move(outcome));
        return true;
    }
    result.halted = true;
    result.links.push_back(std::move(outcome));
    return false;
}

} // namespace

bool RebasedChain::clean() const {
    return std::all_of(links.begin(), links.end(), [](const LinkOutcome& link) {
        return link.merge.clean() && !link.set_aside && link.set_aside_paths.empty();
    });
}

namespace {

/// Moves that git was not told of are followed where that leads to no conflict; otherwise they are what git sees: a
/// deletion and a new file.
void walk_uncommitted(Walk& walk, const std::vector<ChainLink>& links) {
    const auto& before = walk.result;
    auto moves = find_loose_moves(walk.repository, before.head_tree, before.map, links);
    for (;;) {
        Walk attempt = walk;
        attempt.moves = moves;
        if (walk.input.mode == ConflictMode::halt)
            walk_with_conflicts(attempt, links);
        else
            walk_setting_aside(attempt, links);
        const auto is_failed = [&](const LooseMove& move) {
            return std::any_of(attempt.moves.begin(), attempt.moves.end(),
                               [&](const LooseMove& tried) { return tried.failed && tried.to == move.to; });
        };
        if (std::erase_if(moves, is_failed) > 0)
            continue;
        walk.result = std::move(attempt.result);
        return;
    }
}

RebasedChain walk_chain(git::Repository& repository, const RebaseInput& input, const PathMap& map,
                        const std::set<std::string>& given_up) {
    Walk walk{repository, input, {}};
    auto& result = walk.result;
    result.head = input.onto;
    result.head_tree = repository.trees().tree_of_commit(input.onto);
    result.map = map;
    for (const auto& link : input.links) {
        if (given_up.contains(link.parked_name))
            walk.give_up(link);
    }

    std::vector<ChainLink> uncommitted;
    for (const auto& link : input.links) {
        if (link.layer != Layer::commit)
            uncommitted.push_back(link);
        else if (!walk_commit(walk, link))
            break;
    }
    result.staged_tree = result.unstaged_tree = result.untracked_tree = result.head_tree;
    if (result.halted)
        return std::move(result);
    walk_uncommitted(walk, uncommitted);
    return std::move(result);
}

/// How much of what is carried now (not of what was parked before) stays out.
std::size_t left_behind(const RebasedChain& chain) {
    std::size_t count = 0;
    for (const auto& link : chain.links) {
        if (link.link.parked_name.empty())
            count += link.set_aside_paths.size() + (link.set_aside ? link.merge.paths.size() : 0);
    }
    return count;
}

} // namespace

RebasedChain rebase_chain(git::Repository& repository, const RebaseInput& input) {
    const auto map =
        input.map ? *input.map : map_of_upstream(repository, input, repository.trees().tree_of_commit(input.onto));
    std::set<std::string> parked;
    for (const auto& link : input.links) {
        if (!link.parked_name.empty())
            parked.insert(link.parked_name);
    }
    if (parked.empty() || input.mode == ConflictMode::halt)
        return walk_chain(repository, input, map, {});

    // What was parked comes back only where nothing that is carried now has to make room for it.
    auto given_up = parked;
    auto best = walk_chain(repository, input, map, given_up);
    for (const auto& name : parked) {
        given_up.erase(name);
        auto chain = walk_chain(repository, input, map, given_up);
        if (left_behind(chain) > left_behind(best))
            given_up.insert(name);
        else
            best = std::move(chain);
    }
    return best;
}

} // namespace carry::merge
