#include "merge/change_merge.hpp"

#include "base/text.hpp"
#include "merge/entry_merge.hpp"
#include "merge/tree_place.hpp"

#include <algorithm>

namespace carry::merge {

namespace {

/// One change on its way to the new tree.
struct Task {
    LocalChange change;
    std::string upstream_path; ///< where upstream has what the change was made to
    std::string target;        ///< where the result belongs; for a deletion the same as upstream_path
    TreePlace place;           ///< what stands at upstream_path
    PathOutcome outcome;
    git::TreeEdits edits; ///< empty in a conflict
};

class Merger {
public:
    Merger(git::Repository& repository, const LinkMergeInput& input) : m_repository(repository), m_input(input) {}

    LinkMerge run(const std::vector<LocalChange>& changes) {
        for (const auto& change : changes) {
            if (m_input.left_out == nullptr || !touches(*m_input.left_out, change))
                m_steps.push_back(located(change));
        }
        choose_drivers_of_steps();
        for (auto& step : m_steps)
            settle(step);
        keep_targets_apart();
        keep_directories_and_files_apart();
        return finish();
    }

private:
    // Where things are.

    /// Where a path that is new in this link belongs: its own place where upstream has something there, else where
    /// its directory went, if there is room.
    std::string new_place(const std::string& path) {
        if (m_input.map == nullptr || find_place(trees(), m_input.onto, path).leaf)
            return path;
        const auto moved = m_input.map->map_new(path);
        return moved && !find_place(trees(), m_input.onto, *moved).obstructed() ? *moved : path;
    }

    Task located(const LocalChange& change) {
        Task step;
        step.change = change;
        auto& outcome = step.outcome;
        outcome.old_path = change.old_path;
        outcome.path = change.path;
        outcome.base = change.base;
        outcome.local = change.local;
        outcome.local_rename = change.rename();
        if (change.old_path.empty()) {
            step.upstream_path = step.target = new_place(change.path);
        } else {
            step.target = m_input.map != nullptr ? m_input.map->map(change.old_path) : change.old_path;
            step.upstream_path = step.target;
            if (change.rename() && !follows_upstream(step))
                step.target = new_place(change.path);
        }
        step.place = find_place(trees(), m_input.onto, step.upstream_path);
        outcome.upstream = step.place.leaf;
        outcome.new_path = step.target;
        add_note(outcome, whereabouts(step));
        return step;
    }

    /// Both sides renamed it, to the same name.
    bool follows_upstream(const Task& step) {
        const bool moved = step.upstream_path != step.change.old_path;
        return moved && (step.upstream_path == step.change.path ||
                         (m_input.map != nullptr && m_input.map->map_new(step.change.path) == step.upstream_path));
    }

    static std::string whereabouts(const Task& step) {
        const auto& change = step.change;
        if (!change.old_path.empty() && step.upstream_path != change.old_path)
            return "upstream renamed it";
        if (!change.path.empty() && step.target != change.path)
            return "its directory was renamed upstream";
        return {};
    }

    static void add_note(PathOutcome& outcome, const std::string& note) {
        if (note.empty())
            return;
        if (!outcome.note.empty())
            outcome.note += "; ";
        outcome.note += note;
    }

    void choose_drivers_of_steps() {
        std::vector<std::string> paths;
        for (const auto& step : m_steps) {
            const auto& change = step.change;
            const auto& base = change.origin ? change.origin->base : change.base;
            const auto& upstream = change.origin ? change.origin->upstream : step.place.leaf;
            if (change.local && upstream && needs_driver(base, *upstream, *change.local))
                paths.push_back(step.target);
        }
        m_drivers = choose_drivers(m_repository, m_input.onto, m_input.after, paths);
    }

    // One step.

    void settle(Task& step) {
        const auto& change = step.change;
        if (change.path.empty())
            settle_deletion(step);
        else if (change.old_path.empty())
            settle_addition(step);
        else if (change.rename() && step.target != step.upstream_path)
            settle_rename(step);
        else
            settle_change(step);
    }

    void settle_deletion(Task& step) {
        auto& outcome = step.outcome;
        const auto& upstream = step.place.leaf;
        const bool untouched = upstream == step.change.base && step.upstream_path == step.change.old_path;
        if (!upstream || untouched || !step.change.moved_to.empty()) {
            describe(step, upstream ? Fate::kept : Fate::absorbed);
            outcome.new_path.clear();
            outcome.fate = upstream ? Fate::kept : Fate::absorbed;
            if (!step.change.moved_to.empty())
                add_note(outcome, "moved to " + quoted(step.change.moved_to));
            if (upstream)
                step.edits[step.upstream_path] = std::nullopt;
            return;
        }
        const bool renamed = step.upstream_path != step.change.old_path;
        fail(step, ConflictKind::deleted_here, {step.change.base, upstream, std::nullopt}, upstream,
             renamed ? quoted(step.change.old_path) + " is deleted here and was renamed to " +
                           quoted(step.upstream_path) + " upstream"
                     : quoted(step.change.old_path) + " is deleted here and changed upstream");
    }

    void settle_addition(Task& step) {
        if (step.place.leaf) {
            merge_at(step, std::nullopt, *step.place.leaf);
            return;
        }
        if (const auto& origin = step.change.origin) {
            settle_moved(step, *origin);
            return;
        }
        describe(step, Fate::kept);
        step.outcome.merged = step.change.local;
        step.edits[step.target] = step.change.local;
    }

    /// A tracked file that is untracked under this name: as a rename, but that its old place is settled already.
    void settle_moved(Task& step, const LocalChange::Origin& origin) {
        auto& outcome = step.outcome;
        outcome.old_path = origin.path;
        outcome.base = origin.base;
        outcome.upstream = origin.upstream;
        outcome.local_rename = true;
        merge_at(step, origin.base, origin.upstream.value());
        if (outcome.conflict)
            return;
        outcome.fate = Fate::kept;
        step.edits[step.target] = outcome.merged;
    }

    /// A type that one side changed does not follow the other side's rename: a link would point elsewhere from there.
    void settle_change(Task& step) {
        const auto& change = step.change;
        const bool moved = step.upstream_path != change.old_path;
        if (step.place.leaf && moved && !change.rename() && change.base->is_regular() != change.local->is_regular())
            fail(step, ConflictKind::type_changed, {change.base, step.place.leaf, change.local}, step.place.leaf,
                 quoted(change.old_path) + " changed its type here and was renamed to " + quoted(step.upstream_path) +
                     " upstream");
        else if (step.place.leaf)
            merge_at(step, change.base, *step.place.leaf);
        else if (step.place.obstructed())
            fail_obstructed(step);
        else
            fail_deleted(step);
    }

    void settle_rename(Task& step) {
        const auto& change = step.change;
        if (step.upstream_path != change.old_path) {
            fail_renamed_twice(step);
        } else if (const auto taken = find_place(trees(), m_input.onto, step.target).leaf) {
            settle_rename_onto(step, *taken);
        } else if (!step.place.leaf) {
            fail_deleted(step);
        } else if (step.place.leaf->is_regular() != change.base->is_regular()) {
            fail(step, ConflictKind::type_changed, {change.base, std::nullopt, change.local}, change.local,
                 quoted(change.old_path) + " is renamed here to " + quoted(step.target) +
                     " and changed its type upstream");
        } else {
            merge_at(step, change.base, *step.place.leaf);
        }
    }

    /// Upstream has a file of its own where the local rename goes.
    void settle_rename_onto(Task& step, const git::TreeEntry& taken) {
        const auto source = step.place.leaf;
        step.outcome.upstream = taken;
        merge_at(step, std::nullopt, taken);
        if (step.outcome.conflict)
            return;
        if (!source || source == step.change.base) {
            if (source)
                step.edits[step.upstream_path] = std::nullopt;
            return;
        }
        fail(step, ConflictKind::both_added, {std::nullopt, taken, step.change.local}, taken,
             quoted(step.change.old_path) + " is renamed here to " + quoted(step.target) +
                 ", which upstream added, and was changed upstream");
    }

    /// Three versions at the step's target; moves it there from upstream_path where the two differ.
    void merge_at(Task& step, const std::optional<git::TreeEntry>& base, const git::TreeEntry& upstream) {
        auto& outcome = step.outcome;
        auto result = merge_entries(m_repository, {.path = step.target,
                                                   .base = base,
                                                   .upstream = upstream,
                                                   .local = *step.change.local,
                                                   .driver = driver(step.target),
                                                   .markers = m_input.markers,
                                                   .rules = m_input.rules,
                                                   .gitlinks = &m_input.gitlinks,
                                                   .resolutions = m_input.resolutions});
        outcome.hunks = std::move(result.hunks);
        outcome.binary = result.binary;
        outcome.generated = driver(step.target).generated;
        outcome.merged = result.merged;
        outcome.conflict = std::move(result.conflict);
        add_note(outcome, result.note);
        if (outcome.conflict)
            return;
        const bool leaves_place = base && step.target != step.upstream_path;
        if (leaves_place)
            step.edits[step.upstream_path] = std::nullopt;
        if (leaves_place || *outcome.merged != upstream)
            step.edits[step.target] = outcome.merged;
        const bool nothing_left = !leaves_place && *outcome.merged == upstream;
        outcome.fate = nothing_left ? Fate::absorbed : Fate::kept;
    }

    MergeDriver driver(const std::string& path) {
        const auto found = m_drivers.find(path);
        return found != m_drivers.end() ? found->second : MergeDriver{};
    }

    // Conflicts.

    /// A conflict that no merge of lines found.
    void fail(Task& step, ConflictKind kind, const git::UnmergedEntry& stages, std::optional<git::TreeEntry> marked,
              std::string message) {
        describe(step, Fate::conflict);
        step.outcome.hunks.clear(); // the whole path is in conflict, not lines of it
        step.outcome.merged.reset();
        step.outcome.new_path = step.target;
        step.outcome.conflict =
            Conflict{.kind = kind, .stages = stages, .marked = marked, .message = std::move(message)};
        step.edits.clear();
    }

    void fail_deleted(Task& step) {
        const auto& change = step.change;
        fail(step, ConflictKind::deleted_upstream, {change.base, std::nullopt, change.local}, change.local,
             change.rename()
                 ? quoted(change.old_path) + " is renamed here to " + quoted(change.path) + " and was deleted upstream"
                 : quoted(change.old_path) + " is changed here and was deleted upstream");
    }

    void fail_obstructed(Task& step) {
        const bool directory = find_place(trees(), m_input.onto, step.target).directory;
        fail(step, ConflictKind::directory_file, {step.change.base, std::nullopt, step.change.local}, std::nullopt,
             quoted(step.target) + (directory ? " is a directory upstream" : " lies below a file upstream"));
    }

    void fail_renamed_twice(Task& step) {
        const auto& change = step.change;
        step.target = step.upstream_path;
        std::optional<git::TreeEntry> marked = change.local;
        if (step.place.leaf) {
            merge_at(step, change.base, *step.place.leaf);
            marked = step.outcome.conflict ? step.outcome.conflict->marked : step.outcome.merged;
        }
        fail(step, ConflictKind::renamed_twice, {change.base, step.place.leaf, change.local}, marked,
             quoted(change.old_path) + " is renamed to " + quoted(change.path) + " here and to " +
                 quoted(step.upstream_path) + " upstream");
    }

    void describe(Task& step, Fate fate) {
        auto described = entry_hunks(m_repository, step.change.base, step.change.local, fate);
        step.outcome.hunks = std::move(described.hunks);
        step.outcome.binary = described.binary;
    }

    // All steps together.

    /// Two files cannot have one name: where upstream's renames bring two changes to one place, both are in conflict.
    void keep_targets_apart() {
        std::map<std::string, int> count;
        for (const auto& step : m_steps) {
            if (!step.change.path.empty())
                ++count[step.target];
        }
        for (auto& step : m_steps) {
            if (step.change.path.empty() || count[step.target] < 2 || step.outcome.conflict)
                continue;
            fail(step, ConflictKind::both_added, {step.change.base, step.place.leaf, step.change.local},
                 step.place.leaf ? step.place.leaf : step.change.local,
                 "two files from here belong at " + quoted(step.target) + " now");
        }
    }

    /// A conflict takes back what its step would have removed, which may obstruct another: until nothing changes.
    void keep_directories_and_files_apart() {
        for (bool changed = true; changed;) {
            changed = false;
            auto edits = all_edits();
            for (auto& step : m_steps) {
                const auto edit = step.edits.find(step.target);
                if (edit == step.edits.end() || !edit->second || has_its_place(step.target) ||
                    !is_obstructed(trees(), m_input.onto, edits, step.target))
                    continue;
                for (const auto& [path, entry] : step.edits)
                    edits.erase(path);
                fail_obstructed(step);
                changed = true;
            }
        }
    }

    /// What upstream has at a path obstructs nothing there; a file that comes above it has to yield.
    bool has_its_place(std::string_view path) { return find_place(trees(), m_input.onto, path).leaf.has_value(); }

    [[nodiscard]] git::TreeEdits all_edits() const {
        git::TreeEdits edits;
        for (const auto& step : m_steps) {
            for (const auto& [path, entry] : step.edits) {
                // a removal gives way to what comes to the same place
                if (entry)
                    edits[path] = entry;
                else
                    edits.try_emplace(path, std::nullopt);
            }
        }
        return edits;
    }

    LinkMerge finish() {
        LinkMerge merge;
        const auto edits = all_edits();
        merge.tree = edits.empty() ? m_input.onto : trees().edit(m_input.onto, edits);
        for (auto& step : m_steps) {
            sum_up(step.outcome);
            if (m_input.map != nullptr)
                remember(step, *m_input.map);
            merge.paths.push_back(std::move(step.outcome));
        }
        return merge;
    }

    static void remember(const Task& step, PathMap& map) {
        const auto& change = step.change;
        if (change.path.empty()) {
            if (!step.outcome.conflict)
                map.erase(change.old_path);
            return;
        }
        if (change.rename())
            map.erase(change.old_path);
        if (change.old_path != change.path)
            map.set(change.path, step.outcome.new_path);
    }

    git::TreeReader& trees() { return m_repository.trees(); }

    git::Repository& m_repository;
    const LinkMergeInput& m_input;
    std::vector<Task> m_steps;
    std::map<std::string, MergeDriver> m_drivers;
};

} // namespace

LinkMerge merge_changes(git::Repository& repository, const LinkMergeInput& input,
                        const std::vector<LocalChange>& changes) {
    return Merger(repository, input).run(changes);
}

} // namespace carry::merge
