#include "patch/mail.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace carry::patch {

namespace {

constexpr std::string_view from_space = "From ";

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return static_cast<unsigned>(c - '0');
    if (c >= 'A' && c <= 'F')
        return static_cast<unsigned>(c - 'A') + 10;
    if (c >= 'a' && c <= 'f')
        return static_cast<unsigned>(c - 'a') + 10;
    return std::nullopt;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

/// "=XY" at the start of `text`.
std::optional<char> escaped_byte(std::string_view text) {
    if (text.size() < 3 || text[0] != '=')
        return std::nullopt;
    const auto high = hex_digit(text[1]);
    const auto low = hex_digit(text[2]);
    if (!high || !low)
        return std::nullopt;
    return static_cast<char>(*high * 16 + *low);
}

/// "From 1234… Mon Sep 17 00:00:00 2001": a time somewhere, and a year behind it.
bool is_envelope(std::string_view line) {
    if (!line.starts_with(from_space) || line.size() < 20)
        return false;
    const auto colon = line.rfind(':');
    if (colon == std::string_view::npos || colon < 9 || colon + 4 >= line.size())
        return false;
    if (!is_digit(line[colon - 1]) || !is_digit(line[colon - 2]) || !is_digit(line[colon + 1]) ||
        !is_digit(line[colon + 2]))
        return false;
    const auto year = trim(line.substr(colon + 3));
    return year.size() >= 2 && is_digit(year[0]) && is_digit(year[1]);
}

/// "Name: value" -> where the colon is; npos for another line.
std::size_t header_colon(std::string_view line) {
    const auto colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos)
        return std::string_view::npos;
    const auto name = line.substr(0, colon);
    const bool well_formed = std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f; });
    return well_formed ? colon : std::string_view::npos;
}

std::string decode_word(char encoding, std::string_view text) {
    if (encoding == 'b' || encoding == 'B')
        return decode_base64(text);
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (const auto byte = escaped_byte(text.substr(i))) {
            result += *byte;
            i += 2;
        } else {
            result += text[i] == '_' ? ' ' : text[i];
        }
    }
    return result;
}

} // namespace

std::string encode_quoted_printable(std::string_view text) {
    std::string result;
    result.reserve(text.size() + text.size() / 16);
    bool line_starts = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '=')
            result += "=3D";
        else if (c == '\r')
            result += "=0D";
        else if (c == '\0')
            result += "=00";
        else if (line_starts && text.substr(i).starts_with(from_space))
            result += "=46"; // the F
        else
            result += c;
        line_starts = c == '\n';
    }
    return result;
}

std::string decode_quoted_printable(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (const auto byte = escaped_byte(text.substr(i))) {
            result += *byte;
            i += 2;
        } else if (text.substr(i).starts_with("=\n")) {
            i += 1; // a folded line
        } else if (text.substr(i).starts_with("=\r\n")) {
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

std::string decode_base64(std::string_view text) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string result;
    std::uint32_t bits = 0;
    unsigned count = 0;
    for (const char c : text) {
        const auto value = alphabet.find(c);
        if (value == std::string_view::npos)
            continue;
        bits = (bits << 6U) | static_cast<std::uint32_t>(value);
        count += 6;
        if (count >= 8) {
            count -= 8;
            result += static_cast<char>((bits >> count) & 0xffU);
        }
    }
    return result;
}

std::string decode_header_words(std::string_view text) {
    std::string result;
    bool after_word = false;
    while (!text.empty()) {
        const auto start = text.find("=?");
        const auto encoding = start == std::string_view::npos ? start : text.find('?', start + 2);
        const bool complete =
            encoding != std::string_view::npos && encoding + 2 < text.size() && text[encoding + 2] == '?';
        const auto end = complete ? text.find("?=", encoding + 3) : std::string_view::npos;
        if (end == std::string_view::npos)
            break;
        const auto between = text.substr(0, start);
        if (!after_word || !trim(between).empty()) // blanks between two words are only folding
            result += between;
        result += decode_word(text[encoding + 1], text.substr(encoding + 3, end - encoding - 3));
        text.remove_prefix(end + 2);
        after_word = true;
    }
    result += text;
    return result;
}

std::vector<MailText> split_mailbox(std::string_view text) {
    std::vector<MailText> mails;
    const auto lines = split_lines(text);
    std::size_t start = 0;
    std::size_t first_line = 1;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (!is_envelope(lines[i]) || !is_envelope(lines[first_line - 1]))
            continue;
        const auto offset = static_cast<std::size_t>(lines[i].data() - text.data());
        mails.push_back({text.substr(start, offset - start), first_line});
        start = offset;
        first_line = i + 1;
    }
    mails.push_back({text.substr(start), first_line});
    return mails;
}

std::string Mail::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
}

Mail parse_mail(std::string_view text) {
    Mail mail;
    const auto lines = split_lines(text);
    std::size_t at = 0;
    if (!lines.empty() && is_envelope(lines[0]))
        mail.envelope = trim(lines[at++]);
    const std::size_t first_header = at;
    std::string current;
    for (; at < lines.size() && !trim(lines[at]).empty(); ++at) {
        const auto line = lines[at];
        if ((line[0] == ' ' || line[0] == '\t') && !current.empty()) {
            (mail.headers[current] += ' ') += trim(line);
            continue;
        }
        const auto colon = header_colon(line);
        if (colon == std::string_view::npos)
            break;
        current = lower(line.substr(0, colon));
        if (!mail.headers.emplace(current, trim(line.substr(colon + 1))).second)
            current = "\n"; // a second one: its lines go where nobody looks
    }
    if (at > first_header && at < lines.size() && trim(lines[at]).empty())
        ++at;
    if (mail.headers.empty())
        at = first_header;
    mail.body_line = at + 1;
    if (at < lines.size())
        mail.body = text.substr(static_cast<std::size_t>(lines[at].data() - text.data()));
    const auto encoding = lower(mail.header("content-transfer-encoding"));
    if (encoding == "quoted-printable")
        mail.body = decode_quoted_printable(mail.body);
    else if (encoding == "base64")
        mail.body = decode_base64(mail.body);
    return mail;
}

std::string subject_without_patch_tag(std::string_view subject) {
    subject = trim(subject);
    if (subject.starts_with('[')) {
        const auto end = subject.find(']');
        if (end != std::string_view::npos && subject.substr(0, end).find("PATCH") != std::string_view::npos)
            subject = trim(subject.substr(end + 1));
    }
    return std::string(subject);
}

std::size_t end_of_message(std::string_view body) {
    for (const auto line : split_lines(body)) {
        const bool separator =
            line.starts_with("---") && (trim(line) == "---" || (line.size() > 4 && line[3] == ' ' && line[4] != ' '));
        if (separator || line.starts_with("diff -") || line.starts_with("Index: "))
            return static_cast<std::size_t>(line.data() - body.data());
    }
    return body.size();
}

} // namespace carry::patch
