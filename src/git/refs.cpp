#include "git/refs.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

#include <carry/error.hpp>

#include <fcntl.h>

#include <algorithm>
#include <array>

namespace carry::git {

namespace {

/// "fatal: prepare: cannot lock ref 'refs/heads/main': is at …" -> "refs/heads/main".
std::string locked_ref(std::string_view words) {
    constexpr std::string_view marker = "cannot lock ref '";
    const auto begin = words.find(marker);
    if (begin == std::string_view::npos)
        return {};
    const auto name = words.substr(begin + marker.size());
    return std::string(name.substr(0, name.find('\'')));
}

/// The first line of what git said, without "fatal: prepare: ": the rest is its advice about stale locks.
std::string first_words(std::string_view text) {
    std::string_view line = trim(text.substr(0, text.find('\n')));
    for (const std::string_view prefix : {"fatal: ", "prepare: ", "commit: "})
        if (line.starts_with(prefix))
            line.remove_prefix(prefix.size());
    return std::string(line);
}

void append_command(std::string& text, const RefUpdate& update, ObjectFormat format) {
    const auto add = [&](std::string_view field) {
        text += field;
        text += '\0';
    };
    const std::string zero = zero_hex(format);
    const bool creates = update.before.is_null();
    const bool deletes = update.after.is_null();
    if (deletes) {
        add((creates ? "verify " : "delete ") + update.name);
        add(creates ? zero : update.before.hex());
        return;
    }
    add("update " + update.name);
    add(update.after.hex());
    add(creates ? zero : update.before.hex()); // all zeros: it must not exist
}

/// Refs that each linked worktree has of its own.
bool is_per_worktree(std::string_view name) {
    static constexpr std::array<std::string_view, 3> prefixes = {"refs/bisect/", "refs/worktree/", "refs/rewritten/"};
    return !name.starts_with("refs/") || std::any_of(prefixes.begin(), prefixes.end(),
                                                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// git syncs the file of a ref (from 2.36 on), and never the directories that name it. `root` is the last of them.
void sync_loose_ref(const std::filesystem::path& root, const std::string& name) {
    if (const UniqueFd file(open((root / name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)); file)
        fsync_file(file.get(), root / name);
    auto directory = (root / name).parent_path();
    for (; directory != root; directory = directory.parent_path())
        if (lstat_if_exists(directory))
            fsync_directory(directory);
    fsync_directory(root);
}

} // namespace

RefTransaction::RefTransaction(const Program& program, std::vector<RefUpdate> updates, std::string reflog_message,
                               ObjectFormat format)
    : m_program(program), m_updates(std::move(updates)), m_message(std::move(reflog_message)), m_format(format) {}

RefTransaction::~RefTransaction() = default; // the end of its input makes git abort and remove its locks

void RefTransaction::converse(std::string_view commands, std::string_view last_answer) {
    try {
        m_child->write(commands);
        while (m_child->read_until('\n') != last_answer) {
        }
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted)
            throw;
        m_child->wait();
        const std::string words = m_child->error_output();
        m_child.reset();
        std::string name = locked_ref(words);
        if (name.empty() && m_updates.size() == 1)
            name = m_updates.front().name;
        Error failure(ErrorKind::failed, name.empty() ? "cannot update the refs" : "cannot lock " + quoted(name));
        if (words.find("aborted by hook") != std::string::npos)
            failure.hint("git rev-parse --git-path hooks/reference-transaction   is the hook that refused it");
        throw failure.because(first_words(words));
    }
}

void RefTransaction::prepare() {
    // git does not sync a ref before it has its name, unless it is told to.
    std::vector<std::string> args = {"-c", "core.fsync=reference", "update-ref", "--no-deref", "--stdin", "-z"};
    if (!m_message.empty()) {
        args.emplace_back("-m");
        args.push_back(m_message);
    }
    std::string commands("start\0", 6);
    for (const auto& update : m_updates)
        append_command(commands, update, m_format);
    commands += std::string_view("prepare\0", 8);
    m_child.emplace(m_program.start(args));
    converse(commands, "prepare: ok");
}

void RefTransaction::commit() {
    if (!m_child)
        prepare();
    converse(std::string_view("commit\0", 7), "commit: ok");
    m_child->wait();
    m_child.reset();
    const auto& paths = m_program.paths();
    for (const auto& update : m_updates)
        sync_loose_ref(is_per_worktree(update.name) ? paths.git_dir : paths.common_dir, update.name);
    if (const auto tables = paths.common_dir / "reftable"; lstat_if_exists(tables))
        fsync_directory(tables);
}

std::vector<std::filesystem::path> RefTransaction::lock_paths() const {
    const auto& paths = m_program.paths();
    std::vector<std::filesystem::path> candidates;
    for (const auto& update : m_updates) {
        const auto& root = is_per_worktree(update.name) ? paths.git_dir : paths.common_dir;
        candidates.push_back(root / (update.name + ".lock"));
    }
    candidates.push_back(paths.git_dir / "HEAD.lock"); // its reflog follows the branch that is checked out
    candidates.push_back(paths.common_dir / "packed-refs.lock");
    candidates.push_back(paths.common_dir / "reftable/tables.list.lock");
    std::vector<std::filesystem::path> held;
    if (!m_child)
        return held;
    for (auto& candidate : candidates)
        if (lstat_if_exists(candidate) && std::find(held.begin(), held.end(), candidate) == held.end())
            held.push_back(std::move(candidate));
    return held;
}

void update_refs(const Program& program, const std::vector<RefUpdate>& updates, std::string_view reflog_message,
                 ObjectFormat format) {
    if (updates.empty())
        return;
    RefTransaction transaction(program, updates, std::string(reflog_message), format);
    transaction.prepare();
    transaction.commit();
}

} // namespace carry::git
