#include "config/trust.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "git/digest.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace carry::config {

TrustList::TrustList(const std::filesystem::path& carry_directory) : m_file(carry_directory / "trusted") {}

std::string TrustList::hash_of(std::string_view text) {
    return git::digest_hex(git::ObjectFormat::sha256, text);
}

bool TrustList::contains(std::string_view text) const {
    const auto known = read_file_if_exists(m_file);
    if (!known)
        return false;
    const auto lines = split_terminated(*known, '\n');
    return std::find(lines.begin(), lines.end(), hash_of(text)) != lines.end();
}

void TrustList::add(std::string_view text) const {
    if (!contains(text))
        write_file_atomic(m_file, read_file_if_exists(m_file).value_or("") + hash_of(text) + "\n");
}

bool TrustList::clear() const {
    if (unlink(m_file.c_str()) == 0)
        return true;
    if (errno != ENOENT)
        throw_errno("remove", m_file);
    return false;
}

} // namespace carry::config
