/// Which versions of .carry.yaml the user trusts in this checkout: by the SHA-256 of their bytes, one a line in
/// <gitdir>/carry/trusted, where no pull can write.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace carry::config {

class TrustList {
public:
    /// Below <gitdir>/carry.
    explicit TrustList(const std::filesystem::path& carry_directory);

    static std::string hash_of(std::string_view text);

    [[nodiscard]] bool contains(std::string_view text) const;
    /// The directory must be there. Throws Error{failed} where it cannot be written.
    void add(std::string_view text) const;
    /// Forgets every version; false where there was none.
    [[nodiscard]] bool clear() const;

private:
    std::filesystem::path m_file;
};

} // namespace carry::config
