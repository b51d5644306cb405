#include "transaction/lines.hpp"

#include "base/text.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <charconv>

namespace carry::transaction {
namespace {

constexpr std::string_view checksum_key = "checksum ";

/// 'checksum ', sixteen digits, newline.
constexpr std::size_t trailer_size = checksum_key.size() + 17;

} // namespace

std::uint64_t checksum_of(std::string_view bytes) noexcept {
    std::uint64_t sum = 0xcbf29ce484222325U;
    for (const char byte : bytes) {
        sum ^= static_cast<unsigned char>(byte);
        sum *= 0x100000001b3U;
    }
    return sum;
}

LineWriter::LineWriter(std::string_view header) : m_text(fmt::format("{}\n", header)) {}

void LineWriter::value(std::string_view key, std::string_view value) {
    m_text += fmt::format("{} {}\n", key, value);
}

void LineWriter::number(std::string_view key, std::uint64_t number) {
    m_text += fmt::format("{} {}\n", key, number);
}

void LineWriter::text(std::string_view key, std::string_view bytes) {
    value(key, quote_path(bytes));
}

void LineWriter::block(std::string_view key, std::string_view bytes) {
    number(key, bytes.size());
    m_text += bytes;
    m_text += '\n';
}

std::string LineWriter::finish() {
    m_text += fmt::format("{}{:016x}\n", checksum_key, checksum_of(m_text));
    return std::move(m_text);
}

LineReader::LineReader(std::string_view text, std::string_view header, std::string what)
    : m_rest(text), m_what(std::move(what)) {
    if (!starts_with_line(text, header))
        fail("its first line is not " + quoted(header));
    if (text.size() < header.size() + 1 + trailer_size)
        fail("it is cut short");
    const std::string_view body = text.substr(0, text.size() - trailer_size);
    if (text.substr(body.size()) != fmt::format("{}{:016x}\n", checksum_key, checksum_of(body)))
        fail("its checksum is wrong");
    m_rest = body.substr(header.size() + 1);
}

std::string_view LineReader::value(std::string_view key) {
    const std::size_t end = m_rest.find('\n');
    if (end == std::string_view::npos)
        fail(fmt::format("{} is missing", quoted(key)));
    const std::string_view line = m_rest.substr(0, end);
    if (line.size() <= key.size() || !line.starts_with(key) || line[key.size()] != ' ')
        fail(fmt::format("{} is expected where it says {}", quoted(key), quoted(line.substr(0, 60))));
    m_rest.remove_prefix(end + 1);
    return line.substr(key.size() + 1);
}

std::uint64_t LineReader::number(std::string_view key) {
    std::uint64_t number = 0;
    if (!parse_number(value(key), number))
        fail(fmt::format("{} is not a number", quoted(key)));
    return number;
}

std::string LineReader::text(std::string_view key) {
    const std::string_view token = value(key);
    if (!token.starts_with('"'))
        return std::string(token);
    try {
        return unquote_path(token);
    } catch (const Error& error) {
        fail(error.message());
    }
}

std::string_view LineReader::block(std::string_view key) {
    const std::uint64_t size = number(key);
    if (size >= m_rest.size() || m_rest[size] != '\n')
        fail(fmt::format("{} is cut short", quoted(key)));
    const std::string_view bytes = m_rest.substr(0, size);
    m_rest.remove_prefix(size + 1);
    return bytes;
}

void LineReader::end() {
    if (!m_rest.empty())
        fail("there is more than was expected");
}

void LineReader::fail(std::string_view why) const {
    throw Error(ErrorKind::failed, fmt::format("the {} is damaged", m_what)).because(std::string(why));
}

bool parse_number(std::string_view digits, std::uint64_t& number, int base) noexcept {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    return error == std::errc() && end == digits.data() + digits.size();
}

std::string to_hex(std::string_view bytes) {
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const char byte : bytes)
        hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return hex;
}

bool from_hex(std::string_view hex, std::string& bytes) {
    bytes.clear();
    if (hex.size() % 2 != 0)
        return false;
    for (std::size_t at = 0; at < hex.size(); at += 2) {
        std::uint64_t byte = 0;
        if (!parse_number(hex.substr(at, 2), byte, 16))
            return false;
        bytes += static_cast<char>(byte);
    }
    return true;
}

} // namespace carry::transaction
