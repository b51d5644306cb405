/// The one interface to objects, and its two implementations. Objects are written into git-carry's own object
/// directory (0700, the repository's as alternate), never into the repository.
#pragma once

#include "git/object_id.hpp"
#include "git/program.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::git {

enum class ObjectType { commit, tree, blob, tag };
std::string_view to_string(ObjectType type);

struct ObjectHeader {
    ObjectType type;
    std::uint64_t size; ///< bytes
};
struct Object {
    ObjectType type;
    std::string data;
};

/// Not thread-safe. Throws Error{failed} naming the object wherever git or libgit2 fails.
class ObjectStore {
public:
    ObjectStore() = default;
    ObjectStore(const ObjectStore&) = delete;
    ObjectStore& operator=(const ObjectStore&) = delete;
    virtual ~ObjectStore() = default;

    virtual std::optional<Object> read(const ObjectId& id) = 0;
    virtual std::optional<ObjectHeader> header(const ObjectId& id) = 0;
    /// Writes (or finds) an object; it is durable only after sync().
    virtual ObjectId write(ObjectType type, std::string_view data) = 0;
    [[nodiscard]] virtual ObjectFormat format() const = 0;
    /// "libgit2" or "git", for -v and tests.
    [[nodiscard]] virtual std::string_view name() const = 0;

    /// read() that has to succeed and be of this type; `what` names it in the error ("tree of 'origin/main'").
    std::string require(const ObjectId& id, ObjectType type, std::string_view what = {});
    bool contains(const ObjectId& id) { return header(id).has_value(); }
};

/// Makes `<gitdir>/carry/objects` (0700) with info/alternates naming the repository's object directory, so that both
/// libgit2 and the git program see one database. Safe to call again.
void prepare_object_directory(const RepositoryPaths& paths);

std::unique_ptr<ObjectStore> open_libgit2_store(const RepositoryPaths& paths);
/// git cat-file --batch and --batch-check kept running; writing through `git hash-object -w --stdin -t` (--literally
/// never).
std::unique_ptr<ObjectStore> open_program_store(const Program& program, ObjectFormat format);

/// Copies objects (with everything they need: commits and their trees and blobs not yet in the repository) from the
/// private directory into the repository's own, durably: `git pack-objects --revs` there, `index-pack --stdin
/// --fix-thin` into the repository, or loose objects for a few. `wanted` are commits, trees or blobs; `have` are
/// commits whose closure the repository has. After it `git fsck --connectivity-only` of a ref on `wanted` is happy.
void publish_objects(const Program& program, const std::vector<ObjectId>& wanted, const std::vector<ObjectId>& have);

/// Makes `wanted` and all they need, short of what `have` reaches, part of the private directory itself (one pack),
/// also where the repository has them today: an object that only the index or nothing names is gone with the next `git
/// gc --prune=now`. Durable after sync_private_objects().
void keep_objects(const Program& program, const std::vector<ObjectId>& wanted, const std::vector<ObjectId>& have);

/// fsyncs the private object directory's files written since the last call (all loose objects and packs that are new).
void sync_private_objects(const RepositoryPaths& paths);

} // namespace carry::git
