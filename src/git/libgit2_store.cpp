#include "base/file.hpp"
#include "base/text.hpp"
#include "git/blob_stream.hpp"
#include "git/handle.hpp"
#include "git/library.hpp"
#include "git/object_store.hpp"

#include <carry/error.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace carry::git {
namespace {

namespace fs = std::filesystem;

// As git has it: alternates of alternates, but no deeper.
constexpr int max_alternate_depth = 5;

/// Appends `objects` and, depth first, what its info/alternates name. libgit2's own reading of that file knows neither
/// quoted names nor relative ones below the first level, and then misses objects without a word.
void collect_object_directories(const fs::path& objects, int depth, std::vector<fs::path>& found) {
    std::error_code error;
    const fs::path real = fs::canonical(objects, error);
    if (error || std::ranges::find(found, real) != found.end())
        return; // git skips a missing alternate with a warning
    found.push_back(real);
    if (depth > max_alternate_depth)
        return;
    const std::string text = read_file_if_exists(real / "info" / "alternates").value_or("");
    for (const std::string_view line : split_terminated(text, '\n')) {
        if (line.empty() || line.front() == '#')
            continue;
        const std::string name = line.front() == '"' ? unquote_path(line) : std::string(line);
        collect_object_directories(real / name, depth + 1, found); // an absolute name replaces `real`
    }
}

git_oid to_oid(const ObjectId& id) {
    git_oid oid;
    std::ranges::copy(id.raw(), reinterpret_cast<char*>(oid.id));
    return oid;
}

ObjectId from_oid(const git_oid& oid) {
    return ObjectId::from_raw({reinterpret_cast<const char*>(oid.id), GIT_OID_RAWSZ});
}

git_object_t to_libgit2(ObjectType type) {
    switch (type) {
    case ObjectType::commit:
        return GIT_OBJECT_COMMIT;
    case ObjectType::tree:
        return GIT_OBJECT_TREE;
    case ObjectType::blob:
        return GIT_OBJECT_BLOB;
    case ObjectType::tag:
        return GIT_OBJECT_TAG;
    }
    return GIT_OBJECT_INVALID;
}

ObjectType from_libgit2(git_object_t type, const ObjectId& id) {
    switch (type) {
    case GIT_OBJECT_COMMIT:
        return ObjectType::commit;
    case GIT_OBJECT_TREE:
        return ObjectType::tree;
    case GIT_OBJECT_BLOB:
        return ObjectType::blob;
    case GIT_OBJECT_TAG:
        return ObjectType::tag;
    default:
        throw Error(ErrorKind::failed, "cannot read object " + quoted(id.hex())).because("its type is unknown");
    }
}

using OdbStreamHandle = std::unique_ptr<git_odb_stream, HandleDeleter<&git_odb_stream_free>>;

class Libgit2Store final : public ObjectStore, public BlobStreams {
public:
    explicit Libgit2Store(RepositoryPaths paths) : m_paths(std::move(paths)) {
        ensure_library();
        prepare_object_directory(m_paths);
        open();
    }

    std::optional<Object> read(const ObjectId& id) override {
        if (!is_sha1(id))
            return std::nullopt;
        const git_oid oid = to_oid(id);
        git_odb_object* raw = nullptr;
        const bool found = retried([&] { return git_odb_read(&raw, m_odb.get(), &oid); }, "read object", id);
        const OdbObjectHandle object(raw);
        if (!found)
            return std::nullopt;
        return Object{from_libgit2(git_odb_object_type(raw), id),
                      std::string(static_cast<const char*>(git_odb_object_data(raw)), git_odb_object_size(raw))};
    }

    std::optional<ObjectHeader> header(const ObjectId& id) override {
        if (!is_sha1(id))
            return std::nullopt;
        const git_oid oid = to_oid(id);
        std::size_t size = 0;
        git_object_t type = GIT_OBJECT_INVALID;
        if (!retried([&] { return git_odb_read_header(&size, &type, m_odb.get(), &oid); }, "read object", id))
            return std::nullopt;
        return ObjectHeader{from_libgit2(type, id), size};
    }

    ObjectId write(ObjectType type, std::string_view data) override {
        git_oid oid;
        check(git_odb_write(&oid, m_odb.get(), data.data(), data.size(), to_libgit2(type)), "write an object");
        return from_oid(oid);
    }

    std::optional<ObjectId> write_pieces(std::uint64_t size, const std::function<std::string_view()>& next) override {
        git_odb_stream* raw = nullptr;
        check(git_odb_open_wstream(&raw, m_odb.get(), size, GIT_OBJECT_BLOB), "write an object");
        const OdbStreamHandle stream(raw);
        std::uint64_t written = 0;
        for (auto piece = next(); !piece.empty(); piece = next()) {
            written += piece.size();
            if (written > size)
                return std::nullopt;
            check(git_odb_stream_write(raw, piece.data(), piece.size()), "write an object");
        }
        if (written != size)
            return std::nullopt;
        git_oid oid;
        check(git_odb_stream_finalize_write(&oid, raw), "write an object");
        return from_oid(oid);
    }

    void read_pieces(const ObjectId& id, const std::function<void(std::string_view)>& take) override {
        git_odb_stream* raw = nullptr;
        std::size_t size = 0;
        git_object_t type = GIT_OBJECT_INVALID;
        const git_oid oid = to_oid(id);
        if (git_odb_open_rstream(&raw, &size, &type, m_odb.get(), &oid) < 0)
            return cat_blob(Program(m_paths), id, take); // it streams loose objects only
        const OdbStreamHandle stream(raw);
        std::vector<char> buffer(std::size_t{1} << 20);
        while (size > 0) {
            const int count = git_odb_stream_read(raw, buffer.data(), buffer.size());
            check(count, "read object " + quoted(id.hex()));
            if (count == 0)
                throw Error(ErrorKind::failed, "cannot read object " + quoted(id.hex())).because("it ends too early");
            const auto piece = std::min(size, static_cast<std::size_t>(count));
            take({buffer.data(), piece});
            size -= piece;
        }
    }

    [[nodiscard]] ObjectFormat format() const override { return ObjectFormat::sha1; }
    [[nodiscard]] std::string_view name() const override { return "libgit2"; }

private:
    static bool is_sha1(const ObjectId& id) { return id.raw().size() == GIT_OID_RAWSZ; }

    void open() {
        git_odb* raw = nullptr;
        check(git_odb_new(&raw), "open the object database");
        m_odb.reset(raw);
        const std::string objects = m_paths.carry_objects().native();
        git_odb_backend* backend = nullptr;
        check(git_odb_backend_loose(&backend, objects.c_str(), -1, 0, 0700, 0444), "open " + quoted(objects));
        add(backend, 2);
        check(git_odb_backend_pack(&backend, objects.c_str()), "open " + quoted(objects));
        add(backend, 1);

        std::vector<fs::path> directories;
        collect_object_directories(m_paths.common_dir / "objects", 0, directories);
        for (const auto& directory : directories)
            check(git_odb_add_disk_alternate(m_odb.get(), directory.c_str()), "open " + quoted(directory.native()));
    }

    void add(git_odb_backend* backend, int priority) {
        OdbBackendHandle owner(backend);
        check(git_odb_add_backend(m_odb.get(), backend, priority), "open the object database");
        static_cast<void>(owner.release()); // the odb's now
    }

    /// libgit2 looks for new packs by itself after a miss. Any other failure may come from a pack that a repack has
    /// removed under us: a fresh odb does not know it.
    template <typename Call>
    bool retried(const Call& call, std::string_view verb, const ObjectId& id) {
        int code = call();
        if (code < 0 && code != GIT_ENOTFOUND) {
            open();
            code = call();
        }
        return check_found(code, std::string(verb) + " " + quoted(id.hex()));
    }

    RepositoryPaths m_paths;
    OdbHandle m_odb;
};

} // namespace

std::unique_ptr<ObjectStore> open_libgit2_store(const RepositoryPaths& paths) {
    return std::make_unique<Libgit2Store>(paths);
}

} // namespace carry::git
