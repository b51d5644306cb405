#include "git/digest.hpp"

#include <carry/error.hpp>

#include <mbedtls/md.h>

#include <array>

namespace carry::git {

std::string digest_hex(ObjectFormat format, std::string_view bytes) {
    const auto* info = mbedtls_md_info_from_type(format == ObjectFormat::sha256 ? MBEDTLS_MD_SHA256 : MBEDTLS_MD_SHA1);
    std::array<unsigned char, MBEDTLS_MD_MAX_SIZE> digest{};
    if (info == nullptr ||
        mbedtls_md(info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data()) != 0)
        throw Error(ErrorKind::failed, "cannot compute a digest");
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    for (std::size_t i = 0; i < mbedtls_md_get_size(info); ++i) {
        hex += digits[digest[i] >> 4U];
        hex += digits[digest[i] & 0xfU];
    }
    return hex;
}

} // namespace carry::git
