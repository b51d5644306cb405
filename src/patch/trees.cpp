#include "base/file.hpp"
#include "base/memory_limit.hpp"
#include "git/commit.hpp"
#include "patch/diff_parse.hpp"
#include "patch/patch.hpp"

#include <carry/error.hpp>

#include <set>

namespace carry::patch {

namespace {

/// A few kilobytes of a binary patch can unfold to any size.
constexpr std::uint64_t most_memory_to_apply = std::uint64_t{4} << 30U;

/// Finds what each file of a diff was before it.
class PreImages {
public:
    PreImages(git::Repository& repository, const ReadPatch& patch, const git::ObjectId& head_tree)
        : m_repository(repository), m_patch(patch), m_head_tree(head_tree), m_commit_tree(tree_before_commit()) {}

    /// Nothing where it is not known at all. `exact` is made false where HEAD's version stands in for an unknown one.
    std::optional<git::TreeEntry> find(const FileDiff& file, bool& exact);

private:
    git::ObjectId tree_before_commit();
    git::ObjectId known_blob(const FileDiff& file, const std::optional<git::TreeEntry>& in_head);

    git::Repository& m_repository;
    const ReadPatch& m_patch;
    const git::ObjectId& m_head_tree;
    git::ObjectId m_commit_tree; ///< of the parent of the commit the patch was made from, where it is here
};

git::ObjectId PreImages::tree_before_commit() {
    auto& store = m_repository.objects();
    const auto& id = m_patch.file.commit;
    if (id.is_null())
        return {};
    const auto header = store.header(id);
    if (!header || header->type != git::ObjectType::commit)
        return {};
    const auto commit = git::read_commit(store, id);
    return commit.parents.size() == 1 && store.contains(commit.parents[0])
               ? m_repository.trees().tree_of_commit(commit.parents[0])
               : git::ObjectId();
}

/// The blob that the index line names: in full, or as the beginning of an id.
git::ObjectId PreImages::known_blob(const FileDiff& file, const std::optional<git::TreeEntry>& in_head) {
    const bool full = file.old_id.size() == 40 || file.old_id.size() == 64;
    if (full) {
        const auto id = git::ObjectId::from_hex(file.old_id);
        const bool here = file.old_mode == git::mode::gitlink || m_repository.objects().contains(id);
        return here ? id : git::ObjectId();
    }
    if (in_head && in_head->id.hex().starts_with(file.old_id))
        return in_head->id;
    git::RunOptions options;
    options.private_objects = true;
    const auto result =
        m_repository.program().run({"rev-parse", "--verify", "--quiet", file.old_id + "^{blob}"}, options);
    return result.ok() ? git::ObjectId::from_hex(result.output.substr(0, result.output.find('\n'))) : git::ObjectId();
}

std::optional<git::TreeEntry> PreImages::find(const FileDiff& file, bool& exact) {
    const auto in_head = m_repository.trees().find(m_head_tree, file.old_path);
    auto mode = file.old_mode != 0 ? file.old_mode : file.new_mode;
    if (mode == 0)
        mode = in_head && !in_head->is_tree() ? in_head->mode : git::mode::file;
    if (!file.old_id.empty()) {
        const auto id = known_blob(file, in_head);
        if (!id.is_null())
            return git::TreeEntry{mode, id};
    } else {
        // A rename or a change of mode alone: the series knows the blob, or the commit does.
        for (const auto& change : m_patch.file.changes) {
            if (change.old_path == file.old_path && change.before && !change.before->id.is_null() &&
                m_repository.objects().contains(change.before->id))
                return git::TreeEntry{mode, change.before->id};
        }
        const auto in_commit = m_repository.trees().find(m_commit_tree, file.old_path);
        if (!m_commit_tree.is_null() && in_commit && !in_commit->is_tree())
            return git::TreeEntry{mode, in_commit->id};
    }
    exact = false;
    auto stand_in = in_head;
    if (!stand_in && file.old_id.empty()) // a rename alone, and HEAD has it already
        stand_in = m_repository.trees().find(m_head_tree, file.new_path);
    if (!stand_in || stand_in->is_tree())
        return std::nullopt;
    return git::TreeEntry{file.old_mode != 0 ? file.old_mode : stand_in->mode, stand_in->id};
}

/// The tree that the patch makes of `before`; nothing where it does not apply.
std::optional<git::ObjectId> apply_to_tree(git::Repository& repository, const ReadPatch& patch,
                                           const git::ObjectId& before, bool exact) {
    const TemporaryDirectory place(repository.paths().carry_dir(), "index-");
    git::RunOptions options;
    options.private_objects = true;
    options.environment.emplace_back("GIT_INDEX_FILE", (place.path() / "index").native());
    const auto& program = repository.program();
    program.output({"read-tree", before.hex()}, options);
    std::vector<std::string> args = {"-c",
                                     "apply.ignoreWhitespace=no",
                                     "apply",
                                     "--cached",
                                     "--binary",
                                     "--whitespace=nowarn",
                                     "-p" + std::to_string(patch.strip)};
    if (exact)
        args.emplace_back("--unidiff-zero"); // on the very pre-image, hunks without context are safe
    args.emplace_back("-");
    options.input = patch.text;
    const MemoryLimit limit(most_memory_to_apply);
    if (!program.run(args, options).ok())
        return std::nullopt;
    options.input.clear();
    return git::ObjectId::from_hex(program.line({"write-tree"}, options));
}

} // namespace

std::optional<PatchTrees> trees_of_patch(git::Repository& repository, const ReadPatch& patch,
                                         const git::ObjectId& head_tree) {
    const auto diff = parse_diff(patch.text, patch.file.name, 1, patch.strip);
    PreImages images(repository, patch, head_tree);
    git::TreeEdits edits;
    std::set<std::string, std::less<>> made; // by an earlier part of this patch
    bool exact = true;
    for (const auto& file : diff.files) {
        const bool first_touch = !made.contains(file.old_path) && !edits.contains(file.old_path);
        if (!file.added && first_touch) {
            const auto entry = images.find(file, exact);
            if (!entry)
                return std::nullopt;
            edits.emplace(file.old_path, *entry);
        }
        if (!file.deleted)
            made.insert(file.new_path);
    }
    auto empty = repository.objects().write(git::ObjectType::tree, {});
    PatchTrees trees;
    trees.before = edits.empty() ? empty : repository.trees().edit(empty, edits);
    const auto after =
        diff.files.empty() ? std::optional(trees.before) : apply_to_tree(repository, patch, trees.before, exact);
    if (!after)
        return std::nullopt;
    trees.after = *after;
    return trees;
}

} // namespace carry::patch
