#include "snapshot/capture.hpp"

#include "base/directory.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "snapshot/hidden_edits.hpp"
#include "snapshot/surroundings.hpp"
#include "snapshot/worktree_reader.hpp"

#include <carry/error.hpp>

#include <algorithm>
#include <utility>

namespace carry::snapshot {

namespace {

constexpr int most_attempts = 3;

/// One reading of the checkout. It fails, and is done again from the scan on, where something moves meanwhile.
class Attempt {
public:
    Attempt(git::Repository& repository, const Settings& settings)
        : m_repository(repository), m_settings(settings), m_reader(repository) {}

    std::optional<Snapshot> run();
    [[nodiscard]] const std::string& moved() const noexcept { return m_moved; }

private:
    void read_index_side();
    void collect_tracked();
    void collect_hidden();
    void collect_untracked();
    void take_tracked(const std::string& path, std::uint32_t scanned_mode);
    void take_gitlink(const StatusEntry& entry);
    void build_trees();
    void move_on(const std::string& path) { m_moved = m_moved.empty() ? path : m_moved; }
    [[nodiscard]] git::ObjectId edited(const git::ObjectId& tree, const git::TreeEdits& edits) {
        return edits.empty() ? tree : m_repository.trees().edit(tree, edits);
    }

    git::Repository& m_repository;
    const Settings& m_settings;
    WorktreeReader m_reader;
    Snapshot m_result;
    git::TreeEdits m_unstaged;                   ///< removals and gitlinks; files follow once they are converted
    std::map<std::string, CapturedFile> m_files; ///< captured, of both layers
    std::map<std::string, git::TreeEntry> m_flagged;
    std::vector<std::string> m_new; ///< those of m_files that are untracked
    std::string m_moved;
};

[[noreturn]] void refuse(const std::string& path, std::string_view why, std::string hint,
                         const std::string& cause = {}) {
    throw Error(ErrorKind::refused, quoted(path) + " " + std::string(why), {std::move(hint)}).because(cause);
}

std::string move_away(const std::string& path) {
    return "mv " + shell_quote(path) + " ELSEWHERE";
}

/// The directory of the repository that a file in some .git lies in.
std::string repository_of(std::string path) {
    while (path.find('/') != std::string::npos && !is_safe_repo_path(path))
        path = parent_of(path);
    return path;
}

constexpr const char* when_quiet = "run the command again when nothing writes to the checkout";

/// Where the working tree holds a repository: what its HEAD is. By GIT_DIR, so that a directory that is none is not
/// taken for the repository around it.
git::ObjectId head_of_submodule(const git::Repository& repository, const std::string& path) {
    git::RunOptions options;
    options.directory = repository.paths().worktree / path;
    options.environment.emplace_back("GIT_DIR", (options.directory / ".git").native());
    options.environment.emplace_back("GIT_WORK_TREE", options.directory.native());
    const auto result = repository.program().run({"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}, options);
    if (!result.ok())
        refuse(path, "is a submodule whose HEAD cannot be read", "git -C " + shell_quote(path) + " status",
               std::string(trim(result.error_output)));
    return git::ObjectId::from_hex(trim(result.output));
}

/// True where `edits` puts something below `path`, or a file where `path` needs a directory.
bool has_no_room(const git::TreeEdits& edits, const std::string& path) {
    const auto below = edits.lower_bound(path + "/");
    for (auto it = below; it != edits.end() && it->first.starts_with(path + "/"); ++it)
        if (it->second)
            return true;
    for (auto parent = parent_of(path); !parent.empty(); parent = parent_of(parent))
        if (const auto above = edits.find(parent); above != edits.end() && above->second)
            return true;
    return false;
}

void Attempt::read_index_side() {
    const auto& status = m_result.status;
    git::TreeEdits edits;
    for (const auto& entry : status.entries) {
        if (entry.index != '.')
            edits[entry.path] = entry.index_entry;
        if (entry.intent_to_add() || (entry.worktree == 'D' && !entry.index_entry))
            m_result.intent_to_add.push_back(entry.path);
    }
    for (const auto& entry : status.unmerged)
        edits[entry.path] = entry.ours ? entry.ours : entry.theirs ? entry.theirs : entry.base;
    // A file against a directory: an index can hold both sides, a tree cannot.
    for (const auto& entry : status.unmerged)
        if (has_no_room(edits, entry.path))
            edits[entry.path] = std::nullopt;
    m_result.staged_tree = edited(m_result.head_tree, edits);
}

void Attempt::take_tracked(const std::string& path, std::uint32_t scanned_mode) {
    const auto found = m_reader.read(path, scanned_mode);
    switch (found.outcome) {
    case ReadOutcome::read:
        m_files.emplace(path, found.file);
        return;
    case ReadOutcome::missing:
    case ReadOutcome::directory:
        return move_on(path); // the scan has seen a file here
    case ReadOutcome::special:
        refuse(path, "is tracked and is neither a file nor a link on disk", move_away(path));
    case ReadOutcome::unreadable:
        refuse(path, "is tracked and cannot be read", "chmod u+r " + shell_quote(path), found.cause);
    case ReadOutcome::restless:
        refuse(path, "changes while it is read", when_quiet);
    }
}

void Attempt::take_gitlink(const StatusEntry& entry) {
    const bool other_commit =
        entry.submodule.starts_with("SC") || !entry.index_entry || !entry.index_entry->is_gitlink();
    if (other_commit)
        m_unstaged[entry.path] = git::TreeEntry{git::mode::gitlink, head_of_submodule(m_repository, entry.path)};
}

void Attempt::collect_tracked() {
    for (const auto& entry : m_result.status.entries) {
        if (entry.worktree == '.')
            continue;
        if (entry.worktree_mode == 0)
            m_unstaged[entry.path] = std::nullopt;
        else if (entry.worktree_mode == git::mode::gitlink)
            take_gitlink(entry);
        else
            take_tracked(entry.path, entry.worktree_mode);
    }
    for (const auto& entry : m_result.status.unmerged) {
        if (entry.worktree_mode == 0)
            m_unstaged[entry.path] = std::nullopt;
        else if (entry.worktree_mode != git::mode::gitlink)
            take_tracked(entry.path, entry.worktree_mode);
    }
}

void Attempt::collect_hidden() {
    m_flagged = flagged_files(m_reader, m_repository.trees(), m_result.staged_tree, m_result.flags);
    for (const auto& [path, entry] : m_flagged) {
        if (!m_files.contains(path) && !m_unstaged.contains(path))
            take_tracked(path, entry.mode);
    }
}

/// In path order, each file that still fits; what does not fit, or cannot be read, is named in left_out.
void Attempt::collect_untracked() {
    auto paths = m_result.status.untracked;
    std::ranges::sort(paths);
    std::uint64_t bytes = 0;
    for (const auto& path : paths) {
        const auto status = m_reader.status(path);
        const auto size = status ? static_cast<std::uint64_t>(status->st_size) : 0;
        if (!is_safe_repo_path(path) || m_new.size() >= m_settings.untracked_max_files ||
            size > m_settings.untracked_max_bytes - std::min(bytes, m_settings.untracked_max_bytes)) {
            m_result.left_out.push_back(path);
            continue;
        }
        const auto found = m_reader.read(path, 0);
        if (found.outcome == ReadOutcome::read) {
            bytes += found.file.stamp.size;
            m_files.emplace(path, found.file);
            m_new.push_back(path);
        } else if (found.outcome == ReadOutcome::missing || found.outcome == ReadOutcome::directory) {
            move_on(path);
        } else {
            m_result.left_out.push_back(path);
        }
    }
}

void Attempt::build_trees() {
    git::TreeEdits untracked;
    for (const auto& path : m_new)
        untracked[path] = m_files.at(path).entry;
    for (const auto& [path, file] : m_files) {
        m_result.stamps.emplace(path, file.stamp);
        if (file.raw != file.entry.id)
            m_result.raw.emplace(path, file.raw);
        if (const auto flagged = m_flagged.find(path); flagged != m_flagged.end()) {
            if (flagged->second == file.entry)
                continue; // flagged, and unchanged indeed: nothing that is carried
            m_result.hidden_edits.push_back(path);
        }
        if (!untracked.contains(path))
            m_unstaged[path] = file.entry;
    }
    m_result.unstaged_tree = edited(m_result.staged_tree, m_unstaged);
    m_result.untracked_tree = edited(m_result.unstaged_tree, untracked);
}

std::optional<Snapshot> Attempt::run() {
    m_result.time = now_seconds();
    m_result.head = m_repository.head();
    if (!m_result.head.commit.is_null())
        m_result.head_tree = m_repository.trees().tree_of_commit(m_result.head.commit);
    const auto index_file = m_repository.paths().git_dir / "index";
    const auto index = read_file_if_exists(index_file);
    m_result.status = scan_with_git(m_repository.program());
    m_result.flags = git::read_index_flags(m_repository.program());
    read_index_side();
    collect_tracked();
    collect_hidden();
    collect_untracked();
    if (!m_moved.empty())
        return std::nullopt;
    if (const auto changed = m_reader.convert(m_files)) {
        move_on(*changed);
        return std::nullopt;
    }
    build_trees();
    if (read_file_if_exists(index_file) != index || m_repository.head().commit != m_result.head.commit) {
        move_on("the index or HEAD");
        return std::nullopt;
    }
    if (const auto status = lstat_if_exists(index_file))
        m_result.index_time = static_cast<std::uint64_t>(FileStamp::of(*status).mtime_ns);
    if (index)
        m_result.index_blob = m_repository.objects().write(git::ObjectType::blob, *index);
    read_surroundings(m_repository, m_result);
    return std::move(m_result);
}

} // namespace

Snapshot capture(git::Repository& repository, const Settings& settings) {
    std::string moved;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        Attempt reading(repository, settings);
        if (auto snapshot = reading.run())
            return std::move(*snapshot);
        moved = reading.moved();
    }
    throw Error(ErrorKind::refused, "the checkout changes while it is read")
        .because(quoted(moved) + " was written or removed meanwhile")
        .hint(when_quiet);
}

git::ObjectId capture_in_the_way(git::Repository& repository, Snapshot& snapshot,
                                 const std::vector<std::string>& paths) {
    WorktreeReader reader(repository);
    std::map<std::string, CapturedFile> files;
    const auto take = [&](const std::string& path) {
        if (repository.trees().find(snapshot.untracked_tree, path))
            return; // known, and carried as what it is
        if (!is_safe_repo_path(path))
            refuse(repository_of(path), "is in upstream's way and is another repository",
                   move_away(repository_of(path)));
        const auto found = reader.read(path, 0);
        if (found.outcome == ReadOutcome::read)
            files.emplace(path, found.file);
        else if (found.outcome != ReadOutcome::missing)
            refuse(path, "is in upstream's way and cannot be stored", move_away(path), found.cause);
    };
    for (const auto& path : paths) {
        const auto status = reader.status(path);
        if (status && S_ISDIR(status->st_mode))
            std::ranges::for_each(reader.files_below(path), take);
        else if (status)
            take(path);
    }
    if (const auto changed = reader.convert(files))
        refuse(*changed, "changes while it is read", when_quiet);
    git::TreeEdits edits;
    for (const auto& [path, file] : files) {
        edits[path] = file.entry;
        snapshot.stamps[path] = file.stamp;
        if (file.raw != file.entry.id)
            snapshot.raw[path] = file.raw;
        else
            snapshot.raw.erase(path);
    }
    return edits.empty() ? snapshot.untracked_tree : repository.trees().edit(snapshot.untracked_tree, edits);
}

} // namespace carry::snapshot
