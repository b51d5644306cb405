/// The text that transactions are recorded in: "key value" lines below a header, and a checksum of it all at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carry::transaction {

/// FNV-1a, 64 bits: tells a torn or damaged record from a whole one; no defence against somebody who forges it.
std::uint64_t checksum_of(std::string_view bytes) noexcept;

class LineWriter {
public:
    explicit LineWriter(std::string_view header);
    /// A value without a newline, as it is.
    void value(std::string_view key, std::string_view value);
    void number(std::string_view key, std::uint64_t number);
    /// Any bytes, quoted as git quotes a path.
    void text(std::string_view key, std::string_view bytes);
    /// Bytes of any length as they are, after a line that says how many.
    void block(std::string_view key, std::string_view bytes);
    /// The whole text, with its checksum; the writer is used up.
    std::string finish();

private:
    std::string m_text;
};

/// Reads what a LineWriter wrote, in the same order. Every function throws Error{failed} "the ... is damaged" where
/// the text says something else.
class LineReader {
public:
    /// Checks header and checksum. `what` names it in messages: "journal".
    LineReader(std::string_view text, std::string_view header, std::string what);
    std::string_view value(std::string_view key);
    std::uint64_t number(std::string_view key);
    std::string text(std::string_view key);
    std::string_view block(std::string_view key);
    void end();
    [[noreturn]] void fail(std::string_view why) const;

private:
    std::string_view m_rest;
    std::string m_what;
};

/// A whole decimal or octal number and nothing else; false where it is not one.
bool parse_number(std::string_view digits, std::uint64_t& number, int base = 10) noexcept;

std::string to_hex(std::string_view bytes);
/// False where it is not pairs of lower-case hexadecimal digits.
bool from_hex(std::string_view hex, std::string& bytes);

} // namespace carry::transaction
