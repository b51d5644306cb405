#include "git/commit.hpp"
#include "snapshot/capture.hpp"

namespace carry::snapshot {

namespace {

git::ObjectId write_link(git::ObjectStore& store, const git::ObjectId& parent, const git::ObjectId& tree,
                         std::int64_t time, std::string_view message) {
    git::Commit commit;
    commit.tree = tree;
    if (!parent.is_null())
        commit.parents.push_back(parent);
    // Always the same name and the snapshot's own time: equal snapshots have equal ids.
    commit.author = git::Signature{"git-carry", "git-carry@localhost", time, "+0000"}.line();
    commit.committer = commit.author;
    commit.message = message;
    return store.write(git::ObjectType::commit, commit.serialize());
}

} // namespace

git::ObjectId write_chain(git::Repository& repository, const Snapshot& snapshot) {
    struct Link {
        const git::ObjectId& before;
        const git::ObjectId& after;
        std::string_view message;
    };
    git::ObjectId tip = snapshot.head.commit;
    for (const auto& [before, after, message] :
         {Link{snapshot.head_tree, snapshot.staged_tree, "carry: staged\n"},
          Link{snapshot.staged_tree, snapshot.unstaged_tree, "carry: unstaged\n"},
          Link{snapshot.unstaged_tree, snapshot.untracked_tree, "carry: untracked\n"}}) {
        if (before != after)
            tip = write_link(repository.objects(), tip, after, snapshot.time, message);
    }
    return tip;
}

} // namespace carry::snapshot
