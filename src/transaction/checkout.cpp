#include "transaction/checkout.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "transaction/metadata.hpp"

#include <carry/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

namespace carry::transaction {
namespace {

/// From so many files on, one call that writes everything out saves waiting for each of them.
constexpr std::size_t many = 8;

/// The index as a file like any other.
Slot index_slot(const IndexMove& move, const std::string& token) {
    const auto state = [](const git::ObjectId& id) {
        FileState file;
        file.kind = id.is_null() ? FileKind::absent : FileKind::regular;
        file.content = id;
        return file;
    };
    return {{"index", state(move.before), state(move.after)}, "carry/index-new-" + token};
}

} // namespace

Checkout::Checkout(const CheckoutMove& move, CheckoutLayout& layout, const std::string& token, git::ObjectStore& store,
                   bool plain_renames)
    : m_move(move), m_layout(layout), m_files(move.paths.worktree, store, plain_renames),
      m_git_files(move.paths.git_dir, store, plain_renames), m_steps(steps_of(move, layout)), m_lock(move.paths, token),
      m_refs(move, store.format()) {
    for (std::size_t n = 0; n < move.transitions.size(); ++n)
        m_slots.push_back({move.transitions[n], layout.temporaries[n]});
    if (!move.index)
        return;
    m_index = index_slot(*move.index, token);
    auto metadata = read_metadata(m_git_files.tree(), m_index->transition.path);
    m_index->transition.before.metadata = metadata ? metadata : read_metadata(m_git_files.tree(), m_index->temporary);
}

void Checkout::lock_index() {
    if (m_index)
        m_lock.take();
}

void Checkout::write_temporaries(const std::function<void()>& tick) {
    std::vector<const Slot*> written;
    for (const auto& slot : m_slots) {
        if (slot.transition.after.kind == FileKind::absent)
            continue;
        tick();
        m_files.write_temporary(slot);
        written.push_back(&slot);
    }
    if (m_index && m_index->transition.after.kind != FileKind::absent)
        write_index();
    if (written.size() > many)
        syncfs(m_files.tree().open("").value_or(-1)); // for speed only; fsync tells what went wrong
    for (const Slot* slot : written)
        sync_state(m_files.tree(), slot->temporary);
    if (m_index)
        sync_state(m_git_files.tree(), m_index->temporary);
}

void Checkout::write_index() {
    m_git_files.write_temporary(*m_index);
    if (const auto time = m_move.index->after_time; time != 0) {
        const auto stamp = timespec{static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
        const std::array<timespec, 2> times{stamp, stamp};
        const auto path = m_move.paths.git_dir / m_index->temporary;
        if (utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0)
            throw_errno("set the time of", path);
    }
}

void Checkout::check(const std::function<void()>& tick) {
    for (auto& slot : m_slots) {
        tick();
        m_files.check(slot);
        check_writable(std::string(parent_of(slot.transition.path)));
    }
    if (m_index)
        m_git_files.check(*m_index);
}

/// A directory that will not let a file go is better known before anything has moved.
void Checkout::check_writable(const std::string& directory) {
    const auto fd = m_files.tree().open(directory);
    if (fd && faccessat(*fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
        throw_errno("write in", full(directory));
}

std::filesystem::path Checkout::full(const std::string& path) const {
    return m_move.paths.worktree / std::filesystem::path(path);
}

void Checkout::do_step(std::size_t n) {
    const auto [kind, index] = m_steps[n];
    try {
        switch (kind) {
        case Step::Kind::take_away:
        case Step::Kind::put:
            return m_files.move(m_slots[index]);
        case Step::Kind::remove_directory:
            return remove_directory(m_layout.cleared[index].path);
        case Step::Kind::make_directory:
            return make_directory(m_layout.new_directories[index]);
        }
    } catch (const Changed& changed) {
        note_changed(changed.path());
        throw;
    }
}

void Checkout::check_displaced() {
    for (auto& slot : m_slots) {
        try {
            m_files.check_displaced_again(slot);
        } catch (const Changed& changed) {
            note_changed(changed.path());
            throw;
        }
    }
}

void Checkout::move_index() {
    if (!m_index)
        return;
    try {
        m_git_files.move(*m_index);
    } catch (const Changed&) {
        m_layout.index_changed = true;
        throw;
    }
}

void Checkout::note_changed(const std::string& path) {
    if (!is_changed(path))
        m_layout.changed.push_back(path);
}

bool Checkout::is_changed(const std::string& path) const {
    return std::find(m_layout.changed.begin(), m_layout.changed.end(), path) != m_layout.changed.end();
}

bool Checkout::anything_changed() const {
    return m_layout.index_changed || !m_layout.changed.empty();
}

std::vector<Foreign> Checkout::survey() {
    std::vector<Foreign> found;
    for (const auto& slot : m_slots) {
        const std::string& path = slot.transition.path;
        if (m_files.has_displaced_foreign(slot))
            note_changed(path);
        else if (!is_changed(path) && m_files.at_path(slot) == Seen::foreign)
            found.push_back(m_files.keep_foreign(path));
    }
    if (m_index && m_git_files.has_displaced_foreign(*m_index))
        m_layout.index_changed = true;
    else if (m_index && !m_layout.index_changed && m_git_files.at_path(*m_index) == Seen::foreign)
        found.push_back(m_git_files.keep_foreign("index"));
    auto refs = m_refs.foreign();
    found.insert(found.end(), std::make_move_iterator(refs.begin()), std::make_move_iterator(refs.end()));
    return found;
}

void Checkout::resume_step(std::size_t n) {
    const auto [kind, index] = m_steps[n];
    if (kind == Step::Kind::take_away || kind == Step::Kind::put)
        m_files.resume(m_slots[index]);
    else
        do_step(n); // directories: does no harm twice
}

void Checkout::resume_index() {
    if (m_index)
        m_git_files.resume(*m_index);
}

void Checkout::restore_step(std::size_t n) {
    const auto [kind, index] = m_steps[n];
    switch (kind) {
    case Step::Kind::take_away:
    case Step::Kind::put:
        return m_files.restore(m_slots[index], is_changed(m_slots[index].transition.path));
    case Step::Kind::remove_directory:
        return make_cleared_directory(m_layout.cleared[index]);
    case Step::Kind::make_directory:
        return try_remove_directory(m_layout.new_directories[index]);
    }
}

void Checkout::restore_index() {
    if (m_index)
        m_git_files.restore(*m_index, m_layout.index_changed);
}

void Checkout::make_directory(const std::string& path) {
    std::vector<std::string> made;
    try {
        m_files.tree().open_or_make(path, made);
    } catch (const Error&) {
        const auto status = m_files.tree().status(path);
        if (status && !S_ISDIR(status->st_mode))
            throw Changed(path); // somebody put a file there
        throw;
    }
}

void Checkout::make_cleared_directory(const ClearedDirectory& directory) {
    const auto parent = m_files.tree().open(parent_of(directory.path));
    if (!parent) {
        errno = ENOENT;
        throw_errno("make the directory", full(directory.path));
    }
    const std::string name(name_of(directory.path));
    if (mkdirat(*parent, name.c_str(), 0700) != 0) {
        if (errno == EEXIST)
            return; // it had not gone yet
        throw_errno("make the directory", full(directory.path));
    }
    const UniqueFd fd(openat(*parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd)
        throw_errno("open", full(directory.path));
    set_metadata(fd.get(), {directory.mode, directory.uid, directory.gid, {}}, full(directory.path));
}

/// Of a directory that makes way for a file.
void Checkout::remove_directory(const std::string& path) {
    m_files.tree().forget(path);
    const auto parent = m_files.tree().open(parent_of(path));
    if (!parent || unlinkat(*parent, std::string(name_of(path)).c_str(), AT_REMOVEDIR) == 0)
        return;
    if (errno == ENOTEMPTY || errno == EEXIST)
        throw Changed(path);
    if (errno != ENOENT && errno != ENOTDIR)
        throw_errno("remove the directory", full(path));
}

/// Where it is empty and nobody needs it.
void Checkout::try_remove_directory(const std::string& path) {
    m_files.tree().forget(path);
    if (const auto parent = m_files.tree().open(parent_of(path)))
        unlinkat(*parent, std::string(name_of(path)).c_str(), AT_REMOVEDIR);
}

void Checkout::sync() {
    std::set<std::string> directories{std::string()};
    const auto add = [&](std::string_view directory) {
        while (!directory.empty() && !m_files.tree().open(directory))
            directory = parent_of(directory); // where it was removed from
        directories.emplace(directory);
    };
    for (const auto& slot : m_slots) {
        add(parent_of(slot.transition.path));
        add(parent_of(slot.temporary));
    }
    for (const auto& directory : m_layout.new_directories)
        add(parent_of(directory));
    if (directories.size() > many)
        syncfs(m_files.tree().open("").value_or(-1));
    for (const auto& directory : directories)
        fsync_directory(full(directory));
    fsync_directory(m_move.paths.git_dir); // HEAD is there too
    if (m_index)
        fsync_directory(m_move.paths.carry_dir());
}

void Checkout::remove_temporaries() {
    for (const auto& slot : m_slots)
        m_files.remove_temporary(slot);
    if (m_index)
        m_git_files.remove_temporary(*m_index);
}

void Checkout::remove_empty_directories(bool moved) {
    for (const auto& directory : possibly_empty(m_move, m_layout, moved))
        try_remove_directory(directory);
}

void Checkout::unlock_index() {
    if (!m_index)
        return;
    m_lock.release();
    fsync_directory(m_move.paths.git_dir);
    fsync_directory(m_move.paths.carry_dir());
}

} // namespace carry::transaction
