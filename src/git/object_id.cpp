#include "git/object_id.hpp"

#include <carry/error.hpp>

#include <algorithm>
#include <string>

namespace carry::git {

namespace {

constexpr std::size_t sha1_size = 20;
constexpr std::size_t sha256_size = 32;

int digit_value(char digit) noexcept {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

[[noreturn]] void throw_malformed(std::string_view text) {
    throw Error(ErrorKind::failed, "'" + std::string(text) + "' is not an object id");
}

} // namespace

ObjectId ObjectId::from_hex(std::string_view hex) {
    if (hex.size() != 2 * sha1_size && hex.size() != 2 * sha256_size)
        throw_malformed(hex);
    std::string raw(hex.size() / 2, '\0');
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const int high = digit_value(hex[2 * i]);
        const int low = digit_value(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            throw_malformed(hex);
        raw[i] = static_cast<char>(high * 16 + low);
    }
    return from_raw(raw);
}

ObjectId ObjectId::from_raw(std::string_view raw) {
    if (raw.size() != sha1_size && raw.size() != sha256_size)
        throw Error(ErrorKind::failed, "an object id of " + std::to_string(raw.size()) + " bytes");
    ObjectId id;
    if (std::all_of(raw.begin(), raw.end(), [](char byte) { return byte == '\0'; }))
        return id;
    std::transform(raw.begin(), raw.end(), id.m_bytes.begin(),
                   [](char byte) { return static_cast<std::uint8_t>(byte); });
    id.m_size = static_cast<std::uint8_t>(raw.size());
    return id;
}

std::string ObjectId::hex() const {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(std::size_t{2} * m_size);
    for (std::size_t i = 0; i < m_size; ++i) {
        text += digits[m_bytes[i] >> 4U];
        text += digits[m_bytes[i] & 0xfU];
    }
    return text;
}

std::string ObjectId::short_hex() const {
    return hex().substr(0, 9);
}

std::string zero_hex(ObjectFormat format) {
    return std::string(2 * (format == ObjectFormat::sha256 ? sha256_size : sha1_size), '0');
}

} // namespace carry::git
