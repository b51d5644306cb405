#include "patch/series.hpp"

#include "base/text.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace carry::patch {

namespace {

constexpr std::string_view git_only = "# git-only: ";
constexpr std::string_view mail_only = "# mail: ";
constexpr std::string_view too_large = "# too large: ";
constexpr std::string_view plain_form = "# plain form of ";

std::string attributes(const SeriesEntry& entry) {
    auto text = fmt::format("# layer={}", to_string(entry.file.layer));
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty())
            text += fmt::format(" {}={}", name, value);
    };
    add("commit", entry.file.commit.hex());
    add("before", entry.before.hex());
    add("after", entry.after.hex());
    add("bundle", entry.file.bundle);
    add("diff", entry.diff);
    return text;
}

/// A name that stays below the series' directory, and that is no comment and no other name where it is written again.
bool is_safe_name(std::string_view name) {
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    if (name.empty() || name.starts_with('/') || name.starts_with('#') || std::ranges::any_of(name, is_control))
        return false;
    const auto parts = split(name, '/');
    return std::ranges::none_of(parts, [](auto part) { return part.empty() || part == "." || part == ".."; });
}

class LineReader {
public:
    LineReader(std::string_view where, std::size_t number) : m_where(where), m_number(number) {}

    [[noreturn]] void fail(std::string_view message) const {
        throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", escape_terminal(m_where), m_number, message));
    }
    [[nodiscard]] std::string name(std::string_view text) const {
        if (!is_safe_name(text))
            fail(fmt::format("{} is no name of a patch beside the series", quoted(text)));
        return std::string(text);
    }
    [[nodiscard]] git::ObjectId id(std::string_view text) const {
        try {
            return git::ObjectId::from_hex(text);
        } catch (const Error&) {
            fail(fmt::format("{} is no object id", quoted(text)));
        }
    }
    void attribute(SeriesEntry& entry, std::string_view word) const;
    void option(SeriesEntry& entry, std::string_view word) const;
    /// "NAME [-pN] [# attributes]"
    [[nodiscard]] SeriesEntry entry(std::string_view text) const;

private:
    std::string_view m_where;
    std::size_t m_number;
};

void LineReader::attribute(SeriesEntry& entry, std::string_view word) const {
    const auto equals = word.find('=');
    if (equals == std::string_view::npos)
        return; // somebody's comment
    const auto key = word.substr(0, equals);
    const auto value = word.substr(equals + 1);
    if (key == "layer") {
        constexpr std::array layers = {Layer::commit, Layer::staged, Layer::unstaged, Layer::untracked, Layer::ignored};
        const auto found = std::ranges::find_if(layers, [&](Layer layer) { return to_string(layer) == value; });
        if (found == layers.end())
            fail(fmt::format("{} is no layer", quoted(value)));
        entry.file.layer = *found;
    } else if (key == "commit") {
        entry.file.commit = id(value);
    } else if (key == "before") {
        entry.before = id(value);
    } else if (key == "after") {
        entry.after = id(value);
    } else if (key == "bundle") {
        entry.file.bundle = name(value);
    } else if (key == "diff") {
        entry.diff = name(value);
    }
}

void LineReader::option(SeriesEntry& entry, std::string_view word) const {
    if (!word.starts_with("-p"))
        return;
    const auto digits = word.substr(2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), entry.strip);
    if (digits == "ab") // quilt's name for -p1 with a/ and b/
        entry.strip = 1;
    else if (error != std::errc() || end != digits.data() + digits.size() || entry.strip < 0 || entry.strip > 100)
        fail(fmt::format("{} is no -pN", quoted(word)));
}

SeriesEntry LineReader::entry(std::string_view text) const {
    SeriesEntry entry;
    entry.line = m_number;
    const auto comment = std::min(text.find(" #"), text.find("\t#"));
    const auto words = [](std::string_view part) {
        std::string blanks_only(part);
        std::ranges::replace(blanks_only, '\t', ' ');
        std::vector<std::string> result;
        for (const auto word : split(blanks_only, ' ')) {
            if (!word.empty())
                result.emplace_back(word);
        }
        return result;
    };
    const auto before_comment = words(text.substr(0, comment));
    if (before_comment.empty())
        fail("the name of a patch is missing");
    entry.file.name = name(before_comment[0]);
    for (std::size_t i = 1; i < before_comment.size(); ++i)
        option(entry, before_comment[i]);
    if (comment != std::string_view::npos) {
        for (const auto& word : words(text.substr(comment + 2)))
            attribute(entry, word);
    }
    return entry;
}

} // namespace

std::string write_series_text(const std::vector<SeriesEntry>& entries, const git::ObjectId& base,
                              const std::string& upstream) {
    auto text = std::string("# git-carry series 1\n");
    if (!base.is_null())
        text += fmt::format("# base {} of {}\n", base.hex(), quote_path(upstream));
    for (const auto& entry : entries) {
        const auto line = entry.file.name + " " + attributes(entry) + "\n";
        if (entry.file.too_large)
            text += std::string(too_large) + quote_path(entry.file.title) + " " + attributes(entry) + "\n";
        else if (!entry.file.gnu_patch)
            text += std::string(git_only) + line;
        else if (entry.diff.empty())
            text += line;
        else
            text += std::string(mail_only) + line + entry.diff + " " + std::string(plain_form) + entry.file.name + "\n";
    }
    return text;
}

std::vector<SeriesEntry> parse_series(std::string_view text, std::string_view where) {
    std::vector<SeriesEntry> entries;
    std::size_t number = 0;
    for (const auto whole_line : split_lines(text)) {
        ++number;
        const LineReader reader(where, number);
        const auto line = trim(whole_line);
        if (line.starts_with(too_large))
            throw Error(ErrorKind::usage,
                        fmt::format("{}:{}: {} was too large for a patch", escape_terminal(where), number,
                                    quoted(trim(line.substr(too_large.size())))),
                        {"copy the file by hand and delete this line"});
        if (line.starts_with(git_only)) {
            entries.push_back(reader.entry(line.substr(git_only.size())));
            entries.back().file.gnu_patch = false;
        } else if (line.starts_with(mail_only)) {
            entries.push_back(reader.entry(line.substr(mail_only.size())));
        } else if (!line.empty() && !line.starts_with('#') && line.find(plain_form) == std::string_view::npos) {
            entries.push_back(reader.entry(line));
        }
    }
    return entries;
}

} // namespace carry::patch
