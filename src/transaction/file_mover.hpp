/// Moving one path from its state before to its state after and back, so that nobody's bytes are ever overwritten.
#pragma once

#include "base/directory.hpp"
#include "git/object_store.hpp"
#include "transaction/file_state.hpp"
#include "transaction/transition.hpp"

#include <carry/error.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace carry::transaction {

/// One path on its way, and the temporary file through which it goes: the new file before it takes the name, the
/// displaced one afterwards.
struct Slot {
    Transition transition;
    std::string temporary; ///< of the same tree
    /// The file as check() saw it. Its stamps say that it was not written to since, unless they are too fresh.
    std::optional<struct stat> seen = std::nullopt;
    bool settled = false;
    std::optional<struct stat> displaced = std::nullopt; ///< what the temporary was when it had been displaced
};

/// Somebody wrote to `path` while it was moved; what they wrote stands at the path or in its temporary file.
class Changed : public Error {
public:
    explicit Changed(std::string path);
    [[nodiscard]] const std::string& path() const noexcept { return m_path; }

private:
    std::string m_path;
};

/// What somebody changed and stands in the way.
struct Foreign {
    std::string name;                  ///< as a person knows it: a path, a ref
    std::optional<git::ObjectId> kept; ///< its bytes in the store
    std::string hint;                  ///< what to type to get it out of the way
};
/// Error{needs_person} that names each of them and says how to mend it.
Error foreign_error(const std::vector<Foreign>& things);

/// The files below one root. Renames only: every step is wholly done or not at all.
class FileMover {
public:
    /// `plain_renames`: for a file system without exchange, as it is found out to be one otherwise.
    FileMover(const std::filesystem::path& root, git::ObjectStore& store, bool plain_renames);

    DirectoryTree& tree() noexcept { return m_tree; }

    /// Writes the temporary file of a slot that ends with a file.
    void write_temporary(const Slot& slot);
    /// Throws Error{failed} where the path is not in its state before.
    void check(Slot& slot);

    /// From before to after; the temporary has been written. Throws Changed.
    void move(Slot& slot);
    /// Throws Changed where a displaced file was written to through a descriptor that was open.
    void check_displaced_again(Slot& slot);

    [[nodiscard]] Seen at_path(const Slot& slot);
    [[nodiscard]] Seen at_temporary(const Slot& slot);
    /// True where the temporary holds bytes of somebody that the move has displaced.
    [[nodiscard]] bool has_displaced_foreign(const Slot& slot);
    /// To after, from whatever a crash has left. Throws Error{needs_person} at a foreign file.
    void resume(Slot& slot);
    /// To before, from whatever is there. With `changed`, foreign bytes are expected and come back to the path.
    /// Throws Error{needs_person} at foreign bytes otherwise.
    void restore(Slot& slot, bool changed);

    void remove_temporary(const Slot& slot);
    /// Stores what is there, so that it can be named; where it cannot be read it stays where it is all the same.
    Foreign keep_foreign(const std::string& path);

private:
    struct Place {
        int directory;
        std::string name;
    };
    [[nodiscard]] Place place(const std::string& path);
    [[nodiscard]] std::filesystem::path full(const std::string& path) const;
    bool try_rename(const std::string& from, const std::string& to, unsigned flags);
    void put(Slot& slot, bool over_nothing);
    void put_plainly(const Slot& slot);
    void take_away(Slot& slot);
    void check_displaced(Slot& slot);
    void write_anew(const Slot& slot, const FileState& state);
    void bring_back(const Slot& slot, bool exchange);
    void bring_back_plainly(const Slot& slot);
    void withdraw(const Slot& slot);
    void unlink(const std::string& path);
    [[noreturn]] void throw_foreign(const std::string& path);

    DirectoryTree m_tree;
    git::ObjectStore& m_store;
    bool m_plain;
};

} // namespace carry::transaction
