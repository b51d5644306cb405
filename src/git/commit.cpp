#include "git/commit.hpp"

#include "base/text.hpp"

#include <carry/error.hpp>

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>

namespace carry::git {
namespace {

bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string_view trim_right(std::string_view text) {
    while (!text.empty() && is_space(text.back()))
        text.remove_suffix(1);
    return text;
}

/// Takes "NAME VALUE\n" with its continuation lines off the front of `data`; the value keeps newlines, without the
/// blank that marks a continuation.
std::pair<std::string, std::string> take_header(std::string_view& data) {
    const auto take_line = [&data] {
        const std::size_t end = std::min(data.find('\n'), data.size());
        const std::string_view line = data.substr(0, end);
        data.remove_prefix(std::min(end + 1, data.size()));
        return line;
    };
    const std::string_view line = take_line();
    const std::size_t blank = std::min(line.find(' '), line.size());
    std::string value(line.substr(std::min(blank + 1, line.size())));
    while (data.starts_with(' '))
        value.append("\n").append(take_line().substr(1));
    return {std::string(line.substr(0, blank)), std::move(value)};
}

void append_header(std::string& data, std::string_view name, std::string_view value) {
    data += name;
    data += ' ';
    for (const char c : value) {
        data += c;
        if (c == '\n')
            data += ' ';
    }
    data += '\n';
}

/// Sorts one header into the commit; the first author, committer and encoding count.
void set_header(Commit& commit, std::string name, std::string value) {
    if (name == "tree" && commit.tree.is_null()) {
        commit.tree = ObjectId::from_hex(value);
    } else if (name == "parent" && commit.author.empty()) {
        commit.parents.push_back(ObjectId::from_hex(value));
    } else if (name == "author" && commit.author.empty()) {
        commit.author = std::move(value);
    } else if (name == "committer" && commit.committer.empty()) {
        commit.committer = std::move(value);
    } else if (name == "encoding" && commit.encoding.empty()) {
        commit.encoding = std::move(value);
        commit.encoding_position = commit.extra.size();
    } else {
        commit.extra.emplace_back(std::move(name), std::move(value));
    }
}

struct IconvDeleter {
    using pointer = iconv_t;
    void operator()(iconv_t descriptor) const noexcept { ::iconv_close(descriptor); }
};

/// Nothing where the encoding is unknown or the bytes are not of it.
std::optional<std::string> to_utf8(std::string_view bytes, const std::string& encoding) {
    iconv_t raw = ::iconv_open("UTF-8", encoding.c_str());
    if (reinterpret_cast<std::intptr_t>(raw) == -1)
        return std::nullopt;
    const std::unique_ptr<iconv_t, IconvDeleter> descriptor(raw);
    std::string input(bytes); // iconv's interface is not const
    char* from = input.data();
    std::size_t from_left = input.size();
    std::string output;
    std::array<char, 1024> piece{};
    while (from_left > 0) {
        char* to = piece.data();
        std::size_t to_left = piece.size();
        const std::size_t result = ::iconv(raw, &from, &from_left, &to, &to_left);
        output.append(piece.data(), piece.size() - to_left);
        if (result == static_cast<std::size_t>(-1) && errno != E2BIG)
            return std::nullopt;
    }
    return output;
}

/// Seconds of "1700000000 +0000"; the zone goes to `zone`. Leaves both alone where it is no date.
void parse_date(std::string_view text, std::int64_t& seconds, std::string& zone) {
    text = trim(text);
    if (text.empty() || text.front() < '0' || text.front() > '9')
        return;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc())
        return;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text = trim(text);
    const bool is_zone = text.size() > 1 && (text.front() == '+' || text.front() == '-') &&
                         text.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (!is_zone)
        return;
    seconds = value;
    zone = text;
}

} // namespace

Signature Signature::parse(std::string_view line) {
    Signature signature;
    const std::size_t open = line.find('<');
    if (open == std::string_view::npos) {
        signature.name = trim(line);
        return signature;
    }
    signature.name = trim(line.substr(0, open));
    const std::size_t close = std::min(line.find('>', open), line.size());
    signature.email = line.substr(open + 1, close - open - 1);
    // Broken addresses hold more than one '>'; the date is after the last, as git reads it.
    if (const std::size_t last = line.rfind('>'); last != std::string_view::npos && last > open)
        parse_date(line.substr(last + 1), signature.seconds, signature.zone);
    return signature;
}

std::string Signature::line() const {
    return name + " <" + email + "> " + std::to_string(seconds) + " " + zone;
}

Commit Commit::parse(std::string_view data) {
    Commit commit;
    while (!data.empty() && data.front() != '\n') {
        auto [name, value] = take_header(data);
        set_header(commit, std::move(name), std::move(value));
    }
    if (commit.tree.is_null())
        throw Error(ErrorKind::failed, "cannot read a commit object: it names no tree");
    commit.separator = !data.empty();
    if (commit.separator)
        commit.message = data.substr(1);
    return commit;
}

std::string Commit::serialize() const {
    std::string data;
    append_header(data, "tree", tree.hex());
    for (const auto& parent : parents)
        append_header(data, "parent", parent.hex());
    if (!author.empty())
        append_header(data, "author", author);
    if (!committer.empty())
        append_header(data, "committer", committer);
    const std::size_t encoding_at = std::min(encoding_position, extra.size());
    for (std::size_t i = 0; i <= extra.size(); ++i) {
        if (i == encoding_at && !encoding.empty())
            append_header(data, "encoding", encoding);
        if (i < extra.size())
            append_header(data, extra[i].first, extra[i].second);
    }
    if (separator || !message.empty())
        data += "\n" + message;
    return data;
}

std::string Commit::subject() const {
    std::string text = message;
    if (!encoding.empty())
        if (auto recoded = to_utf8(message, encoding))
            text = std::move(*recoded);
    std::string subject;
    for (const std::string_view line : split_lines(text)) {
        const std::string_view words = trim_right(line);
        if (words.empty() && subject.empty())
            continue;
        if (words.empty())
            break;
        if (!subject.empty())
            subject += ' ';
        subject += words;
    }
    return subject;
}

Commit read_commit(ObjectStore& store, const ObjectId& id) {
    return Commit::parse(store.require(id, ObjectType::commit));
}

} // namespace carry::git
