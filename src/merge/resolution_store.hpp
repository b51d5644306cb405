/// Recorded resolutions on disk, in the format of git's rr-cache: <id>/preimage[.N] is a file in conflict, plain as in
/// ConflictImage, <id>/postimage[.N] what a person made of it.
#pragma once

#include "git/repository.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

struct Resolution {
    std::string id; ///< hex, of the repository's hash
    std::string preimage, postimage;
    std::int64_t recorded = 0;       ///< seconds since 1970
    std::filesystem::path file = {}; ///< its postimage; empty: in no store yet
};

/// git's own rr-cache where git's rerere is at work in this repository (rerere.enabled, or, where that is not set, the
/// directory is there); otherwise <commondir>/carry/rr-cache, so that nothing switches git's rerere on. What is in
/// git-carry's own is found in either case, and moves to git's once there is something to write there.
class ResolutionStore {
public:
    explicit ResolutionStore(const git::Repository& repository);

    /// git's rerere reads and writes the same store.
    [[nodiscard]] bool is_shared() const noexcept { return m_shared; }
    [[nodiscard]] git::ObjectFormat format() const noexcept { return m_format; }
    /// True where there is nothing to find.
    [[nodiscard]] bool empty() const;

    /// The resolutions of one conflict, in the order of their variants; what cannot be read is passed over.
    [[nodiscard]] std::vector<Resolution> find(std::string_view id) const;
    [[nodiscard]] std::vector<Resolution> all() const; ///< sorted by id

    /// What a person decided now: takes the place of what was decided for the same preimage before. Throws
    /// Error{failed} where it cannot be written.
    void record(const Resolution& resolution);
    /// Somebody else's: nothing that is there is overwritten, another decision becomes a variant. False: it was known.
    bool add(const Resolution& resolution);
    /// Removes all variants of `id`; the number that went.
    std::size_t forget(const std::string& id);
    /// Tells `git rerere gc` that it was of use.
    static void touch(const Resolution& resolution);

    /// Names of this length are ids.
    [[nodiscard]] bool is_id(std::string_view name) const;

private:
    [[nodiscard]] std::vector<Resolution> read(const std::filesystem::path& directory, std::string_view id) const;
    void write(const Resolution& resolution, int variant) const;
    void adopt();
    bool insert(const Resolution& resolution) const; ///< add() without adopt()

    std::filesystem::path m_own;    ///< <commondir>/carry/rr-cache
    std::filesystem::path m_target; ///< where new ones go
    bool m_shared = false;
    git::ObjectFormat m_format;
};

/// Larger files are neither read nor written.
inline constexpr std::uintmax_t resolution_size_limit = std::uintmax_t{16} << 20;

} // namespace carry::merge
