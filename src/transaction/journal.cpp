#include "transaction/journal.hpp"

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "transaction/lines.hpp"

#include <carry/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>
#include <utility>

namespace carry::transaction {
namespace {

constexpr std::string_view journal_header = "git-carry journal 1";

constexpr std::array<std::pair<Phase, std::string_view>, 5> phases{{
    {Phase::preparing, "preparing"},
    {Phase::committed, "committed"},
    {Phase::reversing, "reversing"},
    {Phase::completed, "completed"},
    {Phase::rolled_back, "rolled-back"},
}};

std::string_view phase_text(Phase wanted) {
    for (const auto& [phase, text] : phases) {
        if (phase == wanted)
            return text;
    }
    return "preparing";
}

Phase parse_phase(const LineReader& in, std::string_view wanted) {
    for (const auto& [phase, text] : phases) {
        if (text == wanted)
            return phase;
    }
    in.fail("there is no phase " + quoted(wanted));
}

void write_paths(LineWriter& out, std::string_view key, const std::vector<std::string>& paths) {
    out.number(key, paths.size());
    for (const auto& path : paths)
        out.text("path", path);
}

std::string parse_path(LineReader& in) {
    std::string path = in.text("path");
    if (!is_safe_repo_path(path))
        in.fail(quoted(path) + " may not stand in a worktree");
    return path;
}

std::vector<std::string> parse_paths(LineReader& in, std::string_view key) {
    std::vector<std::string> paths;
    for (std::uint64_t left = in.number(key); left > 0; --left)
        paths.push_back(parse_path(in));
    return paths;
}

void write_layout(LineWriter& out, const CheckoutLayout& layout) {
    write_paths(out, "temporaries", layout.temporaries);
    write_paths(out, "new-directories", layout.new_directories);
    out.number("cleared", layout.cleared.size());
    for (const auto& directory : layout.cleared) {
        out.text("path", directory.path);
        out.number("mode", directory.mode);
        out.number("uid", directory.uid);
        out.number("gid", directory.gid);
    }
    out.number("ref-locks", layout.ref_locks.size());
    for (const auto& lock : layout.ref_locks) {
        out.text("lock", lock.path);
        out.number("inode", lock.inode);
    }
    write_paths(out, "changed", layout.changed);
    out.number("index-changed", layout.index_changed ? 1 : 0);
}

std::uint32_t parse_word(LineReader& in, std::string_view key) {
    const std::uint64_t number = in.number(key);
    if (number > std::numeric_limits<std::uint32_t>::max())
        in.fail(fmt::format("{} is too large", quoted(key)));
    return static_cast<std::uint32_t>(number);
}

CheckoutLayout parse_layout(LineReader& in) {
    CheckoutLayout layout;
    layout.temporaries = parse_paths(in, "temporaries");
    layout.new_directories = parse_paths(in, "new-directories");
    for (std::uint64_t left = in.number("cleared"); left > 0; --left) {
        ClearedDirectory directory;
        directory.path = parse_path(in);
        directory.mode = parse_word(in, "mode");
        directory.uid = parse_word(in, "uid");
        directory.gid = parse_word(in, "gid");
        layout.cleared.push_back(std::move(directory));
    }
    for (std::uint64_t left = in.number("ref-locks"); left > 0; --left) {
        LockFile lock;
        lock.path = in.text("lock");
        lock.inode = in.number("inode");
        layout.ref_locks.push_back(std::move(lock));
    }
    layout.changed = parse_paths(in, "changed");
    layout.index_changed = in.number("index-changed") != 0;
    return layout;
}

void write_synced(const std::filesystem::path& path, std::string_view bytes) {
    const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd)
        throw_errno("write", path);
    write_all(fd.get(), bytes, path);
    fsync_file(fd.get(), path);
}

} // namespace

std::string serialize(const Journal& journal) {
    LineWriter out(journal_header);
    out.value("phase", phase_text(journal.phase));
    out.text("run", journal.run);
    out.text("token", journal.token);
    out.block("moves", serialize(journal.moves));
    for (const auto& layout : journal.layouts)
        write_layout(out, layout);
    return out.finish();
}

Journal parse_journal(std::string_view text) {
    LineReader in(text, journal_header, "journal");
    Journal journal;
    journal.phase = parse_phase(in, in.value("phase"));
    journal.run = in.text("run");
    journal.token = in.text("token");
    journal.moves = parse_moves(in.block("moves"));
    for (const auto& move : journal.moves) {
        journal.layouts.push_back(parse_layout(in));
        if (journal.layouts.back().temporaries.size() != move.transitions.size())
            in.fail("it has not one temporary file for each transition");
    }
    in.end();
    if (serialize(journal) != text)
        in.fail("it is not written as git-carry writes it");
    return journal;
}

std::filesystem::path journal_path(const std::filesystem::path& journal_dir) {
    return journal_dir / "journal";
}

std::filesystem::path journal_draft_path(const std::filesystem::path& journal_dir) {
    return journal_dir / "journal.new";
}

void write_journal(const std::filesystem::path& journal_dir, const Journal& journal) {
    const auto draft = journal_draft_path(journal_dir);
    try {
        write_synced(draft, serialize(journal));
        if (rename(draft.c_str(), journal_path(journal_dir).c_str()) != 0)
            throw_errno("write", journal_path(journal_dir));
    } catch (...) {
        unlink(draft.c_str());
        throw;
    }
    fsync_directory(journal_dir);
}

std::optional<Journal> read_journal(const std::filesystem::path& journal_dir) {
    const auto path = journal_path(journal_dir);
    const auto text = read_file_if_exists(path);
    if (!text)
        return std::nullopt;
    try {
        return parse_journal(*text);
    } catch (const Error& error) {
        Error damaged(ErrorKind::needs_person,
                      fmt::format("the journal {} of an unfinished run cannot be read", quoted(path.native())));
        for (const auto& cause : error.causes())
            damaged.because(cause);
        throw damaged.hint("look at the checkout with 'git status', then move the journal away");
    }
}

void remove_journal(const std::filesystem::path& journal_dir) {
    const auto path = journal_path(journal_dir);
    if (unlink(path.c_str()) != 0 && errno != ENOENT)
        throw_errno("remove", path);
    fsync_directory(journal_dir);
}

} // namespace carry::transaction
