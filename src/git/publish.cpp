#include "base/file.hpp"
#include "base/text.hpp"
#include "git/object_store.hpp"
#include "git/promisor.hpp"

#include <carry/error.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace carry::git {
namespace {

namespace fs = std::filesystem;

// Up to here objects go in loose, as `git fetch` does it (transfer.unpackLimit's default).
constexpr std::uint32_t unpack_limit = 100;

/// git 2.36 has core.fsync, older ones core.fsyncObjectFiles; each ignores the other's.
std::vector<std::string> durably(std::vector<std::string> args) {
    std::vector<std::string> all{"-c", "core.fsyncObjectFiles=true", "-c", "core.fsync=all",
                                 "-c", "core.fsyncMethod=fsync"};
    all.insert(all.end(), args.begin(), args.end());
    return all;
}

/// Larger objects go from file to file, and no delta is looked for: git would hold several of them in memory.
constexpr const char* big_files = "core.bigFileThreshold=32m";

/// The number of objects in a pack, from its header ("PACK", version, count, big-endian).
std::uint32_t object_count(std::string_view pack) {
    if (pack.size() < 12 || !pack.starts_with("PACK"))
        throw Error(ErrorKind::failed, "cannot publish objects").because("git pack-objects gave no pack");
    std::uint32_t count = 0;
    for (const char byte : pack.substr(8, 4))
        count = (count << 8U) | static_cast<unsigned char>(byte);
    return count;
}

/// What pack-objects --revs reads: everything that `wanted` needs, short of what `have` reaches. Nothing where nothing
/// is wanted.
std::optional<RunOptions> revisions(const std::vector<ObjectId>& wanted, const std::vector<ObjectId>& have) {
    RunOptions options;
    options.private_objects = true;
    for (const auto& id : wanted)
        if (!id.is_null())
            options.input += id.hex() + "\n";
    if (options.input.empty())
        return std::nullopt;
    // A commit that is excluded marks only the trees at the edge of the walk; naming its tree marks all that it holds,
    // so that nothing below it is asked for in a partial clone.
    for (const auto& id : have)
        if (!id.is_null())
            options.input += "^" + id.hex() + "\n^" + id.hex() + "^{tree}\n";
    return options;
}

/// Hands a pack on to the git that takes it into the repository, piece by piece.
class PackReceiver {
public:
    explicit PackReceiver(const Program& program) : m_program(program) {}

    void take(std::string_view piece) {
        if (m_git) {
            m_git->write(piece);
            return;
        }
        m_beginning += piece;
        if (m_beginning.size() < header_size || object_count(m_beginning) == 0)
            return;
        m_name = object_count(m_beginning) <= unpack_limit ? "unpack-objects" : "index-pack";
        m_git.emplace(m_program.start(durably({"-c", big_files, m_name, m_name == "index-pack" ? "--stdin" : "-q"})));
        m_git->write(m_beginning);
    }

    /// False where there was nothing to take.
    bool finish() {
        if (!m_git) {
            static_cast<void>(object_count(m_beginning)); // that it was a pack at all
            return false;
        }
        if (m_git->wait() != 0)
            throw Error(ErrorKind::failed, "git " + m_name + " failed")
                .because(std::string(trim(m_git->error_output())));
        return true;
    }

private:
    static constexpr std::size_t header_size = 12;
    const Program& m_program;
    std::string m_beginning; ///< until the header is whole
    std::string m_name;
    std::optional<Child> m_git;
};

using DirectoryTimes = std::map<fs::path, std::pair<std::int64_t, std::int64_t>>;

DirectoryTimes directory_times(const fs::path& objects) {
    DirectoryTimes times;
    std::error_code error;
    for (fs::directory_iterator entry(objects, error), end; !error && entry != end; entry.increment(error))
        if (const auto status = lstat_if_exists(entry->path()); status && S_ISDIR(status->st_mode))
            times[entry->path()] = {status->st_mtim.tv_sec, status->st_mtim.tv_nsec};
    if (const auto status = lstat_if_exists(objects))
        times[objects] = {status->st_mtim.tv_sec, status->st_mtim.tv_nsec};
    return times;
}

} // namespace

void publish_objects(const Program& program, const std::vector<ObjectId>& wanted, const std::vector<ObjectId>& have) {
    auto from_private = revisions(wanted, have);
    if (!from_private)
        return;
    prepare_object_directory(program.paths());
    adopt_promisor_packs(program.paths());
    const fs::path objects = program.paths().common_dir / "objects";
    const DirectoryTimes before = directory_times(objects);
    PackReceiver receiver(program);
    from_private->on_output = [&](std::string_view piece) { receiver.take(piece); };
    // With the private directory as git's own the repository is an alternate, and --local leaves out what an alternate
    // has.
    program.output({"-c", big_files, "pack-objects", "--revs", "--local", "--stdout", "-q"}, *from_private);
    if (!receiver.finish())
        return;
    // git syncs the files; their names are durable only with the directories that hold them.
    for (const auto& [directory, times] : directory_times(objects))
        if (const auto old = before.find(directory); old == before.end() || old->second != times)
            fsync_directory(directory);
}

void keep_objects(const Program& program, const std::vector<ObjectId>& wanted, const std::vector<ObjectId>& have) {
    const auto from_everywhere = revisions(wanted, have);
    if (!from_everywhere)
        return;
    prepare_object_directory(program.paths());
    const fs::path name = program.paths().carry_objects() / "pack" / "pack";
    program.output({"-c", big_files, "pack-objects", "--revs", "--non-empty", "-q", name.native()}, *from_everywhere);
}

} // namespace carry::git
