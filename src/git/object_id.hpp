/// Names of git objects, SHA-1 (20 bytes) and SHA-256 (32 bytes) alike.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace carry::git {

/// A value; default-constructed it is the null id ("no object"), which has no length and prints as "".
class ObjectId {
public:
    ObjectId() = default;
    /// Throws Error{failed} unless `hex` is 40 or 64 hexadecimal digits. All zeros give the null id.
    static ObjectId from_hex(std::string_view hex);
    /// 20 or 32 raw bytes.
    static ObjectId from_raw(std::string_view raw);

    [[nodiscard]] bool is_null() const noexcept { return m_size == 0; }
    [[nodiscard]] std::string hex() const;
    /// The first nine digits, for people; git's own abbreviation is not asked.
    [[nodiscard]] std::string short_hex() const;
    [[nodiscard]] std::string_view raw() const noexcept {
        return {reinterpret_cast<const char*>(m_bytes.data()), m_size};
    }
    friend auto operator<=>(const ObjectId&, const ObjectId&) = default; // NOLINT(modernize-use-nullptr): misread

private:
    std::array<std::uint8_t, 32> m_bytes{};
    std::uint8_t m_size = 0;
};

/// How a repository names its objects.
enum class ObjectFormat { sha1, sha256 };
/// "0000…" of the right length, as update-ref wants it.
std::string zero_hex(ObjectFormat format);

} // namespace carry::git

template <>
struct std::hash<carry::git::ObjectId> {
    std::size_t operator()(const carry::git::ObjectId& id) const noexcept {
        return std::hash<std::string_view>{}(id.raw());
    }
};
