#include "transaction/file_mover.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace carry::transaction {
namespace {

/// A file that was written to in the last seconds before it was looked at may be written to again without a new
/// stamp (git's "racily clean"); its bytes have to be compared.
constexpr std::int64_t racy_seconds = 2;

bool same_time(const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool same_file(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && a.st_mode == b.st_mode &&
           same_time(a.st_mtim, b.st_mtim);
}

bool is_unsupported(int error) {
    return error == EINVAL || error == ENOSYS || error == ENOTSUP;
}

/// What a temporary is called until it is whole.
std::string draft_of(const std::string& temporary) {
    return temporary + "-draft";
}

[[noreturn]] void throw_changed_before(const std::string& path) {
    throw Error(ErrorKind::failed, fmt::format("{} was changed while the run was being planned", quoted(path)))
        .hint("type the same command again; it takes the change into account");
}

} // namespace

Changed::Changed(std::string path)
    : Error(ErrorKind::failed, fmt::format("{} was changed while the checkout was being moved", quoted(path)),
            {"type the same command again; it takes the change into account"}),
      m_path(std::move(path)) {}

Error foreign_error(const std::vector<Foreign>& things) {
    const std::string rest = things.size() == 1 ? " was" : " and " + count_of(things.size() - 1, "other") + " were";
    Error error(ErrorKind::needs_person,
                fmt::format("{}{} changed while a run was unfinished", quoted(things.front().name), rest));
    for (const auto& [name, kept, hint] : things) {
        error.because(fmt::format("{} is neither what it was nor what it was to become{}", quoted(name),
                                  kept ? "; its bytes are stored as blob " + kept->hex() : ""));
        error.hint(hint);
    }
    return error.hint("git carry status   finishes the run when they are out of the way");
}

FileMover::FileMover(const std::filesystem::path& root, git::ObjectStore& store, bool plain_renames)
    : m_tree(root), m_store(store), m_plain(plain_renames) {}

FileMover::Place FileMover::place(const std::string& path) {
    const auto directory = m_tree.open(parent_of(path));
    if (!directory)
        throw Changed(path); // it was there, or was made, a moment ago
    return {*directory, std::string(name_of(path))};
}

std::filesystem::path FileMover::full(const std::string& path) const {
    return m_tree.root() / std::filesystem::path(path);
}

void FileMover::write_temporary(const Slot& slot) {
    const auto& [path, before, after] = slot.transition;
    // a link's mode says nothing about the file that takes its place
    const bool same_kind = before.kind == after.kind;
    write_state(m_tree, slot.temporary, after, same_kind ? before.metadata : std::nullopt, m_store);
}

void FileMover::check(Slot& slot) {
    const auto& [path, before, after] = slot.transition;
    const auto first = m_tree.status(path);
    if (!holds(m_tree, path, before, m_store))
        throw_changed_before(path);
    if (before.kind == FileKind::absent)
        return;
    const auto second = m_tree.status(path);
    if (!first || !second || !same_file(*first, *second))
        throw_changed_before(path);
    if (before.metadata && (second->st_mode & 07777U) != before.metadata->mode)
        throw_changed_before(path);
    slot.seen = second;
    slot.settled = second->st_mtim.tv_sec + racy_seconds < now_seconds();
}

void FileMover::move(Slot& slot) {
    if (slot.transition.after.kind == FileKind::absent)
        take_away(slot);
    else
        put(slot, slot.transition.before.kind == FileKind::absent);
}

/// False, with errno set, where the system says no. With RENAME_NOREPLACE on a file system that does not know it, one
/// look has to do.
bool FileMover::try_rename(const std::string& from, const std::string& to, unsigned flags) {
    const Place source = place(from);
    const Place target = place(to);
    if (!m_plain) {
        if (renameat2(source.directory, source.name.c_str(), target.directory, target.name.c_str(), flags) == 0)
            return true;
        if (!is_unsupported(errno))
            return false;
        m_plain = true;
    }
    if (flags == RENAME_EXCHANGE) {
        errno = ENOTSUP;
        return false;
    }
    if (m_tree.status(to)) {
        errno = EEXIST;
        return false;
    }
    return renameat(source.directory, source.name.c_str(), target.directory, target.name.c_str()) == 0;
}

void FileMover::put(Slot& slot, bool over_nothing) {
    const std::string& path = slot.transition.path;
    if (try_rename(slot.temporary, path, over_nothing ? RENAME_NOREPLACE : RENAME_EXCHANGE)) {
        if (!over_nothing)
            check_displaced(slot);
        return;
    }
    if (!over_nothing && errno == ENOTSUP)
        return put_plainly(slot);
    if (errno == (over_nothing ? EEXIST : ENOENT))
        throw Changed(path);
    throw_errno("write", full(path));
}

/// The displaced bytes are gone then; they are in the store.
void FileMover::put_plainly(const Slot& slot) {
    const std::string& path = slot.transition.path;
    if (!holds(m_tree, path, slot.transition.before, m_store))
        throw Changed(path);
    const Place source = place(slot.temporary);
    const Place target = place(path);
    if (renameat(source.directory, source.name.c_str(), target.directory, target.name.c_str()) != 0)
        throw_errno("write", full(path));
}

void FileMover::take_away(Slot& slot) {
    const std::string& path = slot.transition.path;
    if (try_rename(path, slot.temporary, RENAME_NOREPLACE))
        return check_displaced(slot);
    if (errno == ENOENT)
        throw Changed(path);
    throw_errno("remove", full(path));
}

void FileMover::check_displaced(Slot& slot) {
    slot.displaced = m_tree.status(slot.temporary);
    const bool is_same = slot.settled && slot.displaced && same_file(*slot.displaced, *slot.seen);
    if (!is_same && !holds(m_tree, slot.temporary, slot.transition.before, m_store))
        throw Changed(slot.transition.path);
}

void FileMover::check_displaced_again(Slot& slot) {
    if (!slot.displaced)
        return;
    const auto now = m_tree.status(slot.temporary);
    const bool is_same = now && same_file(*now, *slot.displaced) && same_time(now->st_ctim, slot.displaced->st_ctim);
    if (!is_same && !holds(m_tree, slot.temporary, slot.transition.before, m_store))
        throw Changed(slot.transition.path);
}

Seen FileMover::at_path(const Slot& slot) {
    return classify(m_tree, slot.transition.path, slot.transition, m_store);
}

Seen FileMover::at_temporary(const Slot& slot) {
    return classify(m_tree, slot.temporary, slot.transition, m_store);
}

bool FileMover::has_displaced_foreign(const Slot& slot) {
    return slot.transition.before.kind != FileKind::absent && at_path(slot) == Seen::after &&
           at_temporary(slot) == Seen::foreign;
}

void FileMover::resume(Slot& slot) {
    const auto& [path, before, after] = slot.transition;
    const Seen here = at_path(slot);
    if (here == Seen::after)
        return;
    if (here == Seen::foreign)
        throw_foreign(path);
    if (after.kind == FileKind::absent) {
        remove_temporary(slot);
        return take_away(slot);
    }
    if (at_temporary(slot) != Seen::after)
        write_anew(slot, after);
    put(slot, here == Seen::missing || before.kind == FileKind::absent);
}

void FileMover::restore(Slot& slot, bool changed) {
    const auto& [path, before, after] = slot.transition;
    const Seen here = at_path(slot);
    if (here == Seen::before || (changed && here != Seen::after))
        return; // where somebody changed it, that is what stays
    if (here == Seen::foreign)
        throw_foreign(path);
    if (before.kind == FileKind::absent)
        return withdraw(slot);
    const Seen there = at_temporary(slot);
    if (there != Seen::before && !(changed && there == Seen::foreign))
        write_anew(slot, before);
    bring_back(slot, here == Seen::after && after.kind != FileKind::absent);
}

/// The temporary file, whatever it was, becomes one with `state`. It goes by another name until it is whole, so that
/// what is found in a temporary after a crash is never half of ours.
void FileMover::write_anew(const Slot& slot, const FileState& state) {
    const auto& before = slot.transition.before;
    const std::string draft = draft_of(slot.temporary);
    unlink(draft);
    write_state(m_tree, draft, state, before.kind == state.kind ? before.metadata : std::nullopt, m_store);
    sync_state(m_tree, draft);
    const Place source = place(draft);
    const Place target = place(slot.temporary);
    if (renameat(source.directory, source.name.c_str(), target.directory, target.name.c_str()) != 0)
        throw_errno("write", full(slot.temporary));
}

/// The temporary holds what is to stand at the path.
void FileMover::bring_back(const Slot& slot, bool exchange) {
    const std::string& path = slot.transition.path;
    if (try_rename(slot.temporary, path, exchange ? RENAME_EXCHANGE : RENAME_NOREPLACE)) {
        if (!exchange || at_temporary(slot) == Seen::after)
            return;
        try_rename(slot.temporary, path, RENAME_EXCHANGE); // somebody has written to the new file
        throw_foreign(path);
    }
    if (exchange && errno == ENOTSUP)
        return bring_back_plainly(slot);
    if (!exchange && errno == EEXIST)
        throw_foreign(path);
    throw_errno("bring back", full(path));
}

void FileMover::bring_back_plainly(const Slot& slot) {
    const std::string& path = slot.transition.path;
    if (at_path(slot) != Seen::after)
        throw_foreign(path);
    const Place source = place(slot.temporary);
    const Place target = place(path);
    if (renameat(source.directory, source.name.c_str(), target.directory, target.name.c_str()) != 0)
        throw_errno("bring back", full(path));
}

/// Takes away what was created.
void FileMover::withdraw(const Slot& slot) {
    const std::string& path = slot.transition.path;
    remove_temporary(slot);
    if (!try_rename(path, slot.temporary, RENAME_NOREPLACE))
        throw_errno("remove", full(path));
    if (at_temporary(slot) == Seen::after)
        return;
    try_rename(slot.temporary, path, RENAME_NOREPLACE); // somebody has written to it
    throw_foreign(path);
}

void FileMover::remove_temporary(const Slot& slot) {
    unlink(slot.temporary);
    unlink(draft_of(slot.temporary));
}

void FileMover::unlink(const std::string& path) {
    const auto directory = m_tree.open(parent_of(path));
    if (!directory)
        return;
    if (unlinkat(*directory, std::string(name_of(path)).c_str(), 0) != 0 && errno != ENOENT)
        throw_errno("remove", full(path));
}

Foreign FileMover::keep_foreign(const std::string& path) {
    const std::string word = shell_quote(full(path).native());
    Foreign foreign{path, std::nullopt, fmt::format("mv {0} {0}.mine", word)};
    try {
        if (const auto bytes = m_tree.read(path))
            foreign.kept = m_store.write(git::ObjectType::blob, *bytes);
    } catch (const Error&) {
        return foreign; // no file, say
    }
    return foreign;
}

void FileMover::throw_foreign(const std::string& path) {
    throw foreign_error({keep_foreign(path)});
}

} // namespace carry::transaction
