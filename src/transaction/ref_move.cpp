#include "transaction/ref_move.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

namespace carry::transaction {
namespace {

/// How long a git that we started may take to end after we were killed.
constexpr std::chrono::milliseconds patience{2000};
constexpr std::chrono::milliseconds pause{10};

bool is_there(const LockFile& lock) {
    const auto status = lstat_if_exists(lock.path);
    return status && status->st_ino == lock.inode;
}

std::string reversed_message(const std::string& message) {
    return message.empty() ? message : message + " (reversed)";
}

} // namespace

RefMove::RefMove(const CheckoutMove& move, git::ObjectFormat format)
    : m_move(move), m_format(format), m_program(move.paths) {}

void RefMove::prepare() {
    const auto& refs = m_move.refs;
    const bool moves_head = std::any_of(refs.begin(), refs.end(), [](const auto& ref) { return ref.name == "HEAD"; });
    if (moves_head && head_value().starts_with("refs/"))
        throw Error(ErrorKind::failed, "HEAD was changed while the run was being planned")
            .because("it is no longer detached");
    if (!m_move.head_after.empty() && head_value() != m_move.head_before)
        throw Error(ErrorKind::failed, "HEAD was changed while the run was being planned")
            .because(fmt::format("it is {} and not {}", quoted(head_value()), quoted(m_move.head_before)));
    if (refs.empty())
        return;
    m_transaction.emplace(m_program, refs, m_move.reflog_message, m_format);
    m_transaction->prepare();
}

std::vector<LockFile> RefMove::locks() const {
    std::vector<LockFile> locks;
    if (!m_transaction)
        return locks;
    for (const auto& path : m_transaction->lock_paths()) {
        if (const auto status = lstat_if_exists(path))
            locks.push_back({path.native(), status->st_ino});
    }
    return locks;
}

void RefMove::commit() {
    if (m_transaction)
        m_transaction->commit();
    m_transaction.reset();
    if (!m_move.head_after.empty())
        set_head(m_move.head_after, m_move.reflog_message);
}

std::string RefMove::head_value() const {
    const auto symbolic = m_program.run({"symbolic-ref", "-q", "HEAD"});
    if (symbolic.ok())
        return std::string(trim(symbolic.output));
    return m_program.line({"rev-parse", "--verify", "HEAD"});
}

void RefMove::set_head(const std::string& value, const std::string& message) const {
    std::vector<std::string> args = {"symbolic-ref"};
    if (!value.starts_with("refs/"))
        args = {"update-ref", "--no-deref"};
    if (!message.empty())
        args.insert(args.end(), {"-m", message});
    args.insert(args.end(), {"HEAD", value});
    m_program.output(args);
}

std::optional<git::ObjectId> RefMove::read(const std::string& name) const {
    const auto result = m_program.run({"show-ref", "--verify", "-s", "--", name});
    if (!result.ok())
        return std::nullopt;
    return git::ObjectId::from_hex(trim(result.output));
}

void RefMove::update(const std::vector<git::RefUpdate>& updates, const std::string& message) const {
    git::update_refs(m_program, updates, message, m_format);
}

std::vector<Foreign> RefMove::foreign() const {
    std::vector<Foreign> found;
    for (const auto& ref : m_move.refs) {
        const git::ObjectId now = read(ref.name).value_or(git::ObjectId());
        if (now == ref.before || now == ref.after)
            continue;
        const std::string_view wanted = ref.after.is_null() ? "-d" : "";
        found.push_back({ref.name, std::nullopt,
                         fmt::format("git branch kept {} && git update-ref {}{} {}", now.hex(), wanted, ref.name,
                                     ref.after.hex())});
    }
    if (m_move.head_after.empty())
        return found;
    const std::string head = head_value();
    if (head != m_move.head_before && head != m_move.head_after)
        found.push_back({"HEAD", std::nullopt, "git symbolic-ref HEAD " + m_move.head_after});
    return found;
}

void RefMove::resume() {
    std::vector<git::RefUpdate> left;
    for (const auto& ref : m_move.refs) {
        if (read(ref.name).value_or(git::ObjectId()) == ref.before)
            left.push_back(ref);
    }
    update(left, m_move.reflog_message);
    if (!m_move.head_after.empty() && head_value() != m_move.head_after)
        set_head(m_move.head_after, m_move.reflog_message);
}

void RefMove::restore() {
    const std::string message = reversed_message(m_move.reflog_message);
    if (!m_move.head_after.empty() && head_value() == m_move.head_after)
        set_head(m_move.head_before, message);
    std::vector<git::RefUpdate> back;
    for (const auto& ref : m_move.refs) {
        if (read(ref.name).value_or(git::ObjectId()) == ref.after)
            back.push_back({ref.name, ref.after, ref.before});
    }
    update(back, message);
}

/// git writes the new id into the lock file of a ref. It locks HEAD as well, for its reflog, and writes nothing there.
std::vector<LockFile> RefMove::likely_locks(std::int64_t prepared_since) const {
    std::vector<std::pair<std::filesystem::path, std::string>> candidates;
    for (const auto& root : {m_move.paths.common_dir, m_move.paths.git_dir}) {
        for (const auto& ref : m_move.refs)
            candidates.emplace_back(root / (ref.name + ".lock"), ref.after.is_null() ? "" : ref.after.hex() + "\n");
    }
    candidates.emplace_back(m_move.paths.git_dir / "HEAD.lock", "");
    std::vector<LockFile> likely;
    for (const auto& [path, content] : candidates) {
        const auto status = lstat_if_exists(path);
        if (status && S_ISREG(status->st_mode) && status->st_mtim.tv_sec >= prepared_since &&
            read_file_if_exists(path) == content)
            likely.push_back({path.native(), status->st_ino});
    }
    return likely;
}

void RefMove::remove_stale_locks(const std::vector<LockFile>& recorded, std::optional<std::int64_t> prepared_since) {
    if (m_move.refs.empty())
        return;
    const auto locks = prepared_since ? likely_locks(*prepared_since) : recorded;
    for (auto waited = pause; waited < patience && std::any_of(locks.begin(), locks.end(), is_there); waited += pause)
        std::this_thread::sleep_for(pause);
    for (const auto& lock : locks) {
        if (is_there(lock) && unlink(lock.path.c_str()) != 0 && errno != ENOENT)
            throw_errno("remove", lock.path);
    }
}

} // namespace carry::transaction
