#include "patch/diff_parse.hpp"

#include "base/directory.hpp"
#include "base/text.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace carry::patch {

namespace {

/// Takes `prefix` off `line`, or leaves it.
bool take(std::string_view& line, std::string_view prefix) {
    if (!line.starts_with(prefix))
        return false;
    line.remove_prefix(prefix.size());
    return true;
}

std::string_view without_end(std::string_view line) {
    if (line.ends_with('\n'))
        line.remove_suffix(1);
    return line;
}

class DiffParser {
public:
    DiffParser(std::string_view text, std::string_view where, std::size_t first_line, int strip)
        : m_lines(split_lines(text)), m_text(text), m_where(where), m_first_line(first_line), m_strip(strip) {}

    ParsedDiff run();

private:
    [[noreturn]] void fail(std::string_view message) const {
        throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", escape_terminal(m_where), m_first_line + m_at, message));
    }
    [[nodiscard]] std::string_view line(std::size_t at) const {
        return at < m_lines.size() ? without_end(m_lines[at]) : std::string_view();
    }
    void begin_file();
    void git_header();
    bool extended_header(FileDiff& file, std::string_view text);
    void names_of_git_line(FileDiff& file, std::string_view rest);
    void traditional_header(FileDiff& file);
    void hunk();
    void finish_file();

    [[nodiscard]] std::string unquote(std::string_view quoted) const;
    /// Of "--- " and "+++ " lines: up to a tab, unquoted; nothing for /dev/null.
    [[nodiscard]] std::optional<std::string> file_name(std::string_view text) const;
    [[nodiscard]] std::string stripped(std::string_view name) const;
    [[nodiscard]] std::uint32_t mode(std::string_view text) const;

    std::vector<std::string_view> m_lines;
    std::string_view m_text;
    std::string_view m_where;
    std::size_t m_first_line;
    int m_strip;
    std::size_t m_at = 0; ///< the line that is looked at
    ParsedDiff m_result;
    bool m_in_file = false;
};

std::string DiffParser::unquote(std::string_view quoted) const {
    try {
        return unquote_path(quoted);
    } catch (const Error&) {
        fail("the file name is quoted wrongly");
    }
}

std::optional<std::string> DiffParser::file_name(std::string_view text) const {
    if (text.ends_with('\r'))
        text.remove_suffix(1);
    if (text.starts_with('"')) {
        const auto end = text.rfind('"');
        return unquote(text.substr(0, end + 1));
    }
    text = text.substr(0, text.find('\t'));
    if (text == "/dev/null")
        return std::nullopt;
    return std::string(text);
}

std::string DiffParser::stripped(std::string_view name) const {
    for (int i = 0; i < m_strip; ++i) {
        const auto slash = name.find('/');
        if (slash == std::string_view::npos)
            break;
        name.remove_prefix(slash + 1);
    }
    return std::string(name);
}

std::uint32_t DiffParser::mode(std::string_view text) const {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
    if (error != std::errc() || end == text.data())
        fail("not a file mode");
    constexpr std::uint32_t kind_bits = 0170000;
    constexpr std::uint32_t owner_executes = 0100;
    if ((value & kind_bits) == (git::mode::file & kind_bits))
        return (value & owner_executes) != 0 ? git::mode::executable : git::mode::file;
    if (value == git::mode::link || value == git::mode::gitlink)
        return value;
    fail("not a file mode that git knows");
}

/// Where a quoted token that starts `text` ends; npos where it does not.
std::size_t end_of_quoted(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            return i + 1;
    }
    return std::string_view::npos;
}

/// Looks for the blank between two names that are equal once stripped. A line may be long and hold blanks and slashes
/// only, so names are compared only where their sizes are equal.
class EqualNames {
public:
    EqualNames(std::string_view line, int strip) : m_line(line), m_strip(strip) {
        for (auto slash = line.find('/'); slash != std::string_view::npos; slash = line.find('/', slash + 1))
            m_slashes.push_back(slash);
    }

    /// The name, where the blank at `space` stands between two equal ones; otherwise nothing.
    [[nodiscard]] std::string_view at(std::size_t space) const {
        const auto first_start = start_of_name(0, space);
        const auto second_start = start_of_name(space + 1, m_line.size());
        const auto first = m_line.substr(first_start, space - first_start);
        const auto second = m_line.substr(second_start);
        return first.size() == second.size() && first == second ? first : std::string_view();
    }

private:
    [[nodiscard]] std::size_t start_of_name(std::size_t begin, std::size_t end) const {
        const auto from = std::lower_bound(m_slashes.begin(), m_slashes.end(), begin);
        const auto to = std::lower_bound(from, m_slashes.end(), end);
        const auto taken = std::min<std::ptrdiff_t>(m_strip, to - from);
        return taken > 0 ? *std::next(from, taken - 1) + 1 : begin;
    }

    std::string_view m_line;
    int m_strip;
    std::vector<std::size_t> m_slashes;
};

/// "a/x b/x": names with spaces are not quoted, so the line alone is clear only where both names are equal. Of a rename
/// the lines below name both.
void DiffParser::names_of_git_line(FileDiff& file, std::string_view rest) {
    if (rest.starts_with('"')) {
        const auto end = end_of_quoted(rest);
        if (end == std::string_view::npos)
            fail("the file name is quoted wrongly");
        file.old_path = stripped(unquote(rest.substr(0, end)));
        auto second = rest.substr(end);
        take(second, " ");
        file.new_path = stripped(second.starts_with('"') ? unquote(second) : std::string(second));
        return;
    }
    if (rest.ends_with('"')) {
        const auto start = rest.find(" \"");
        if (start == std::string_view::npos)
            fail("the file name is quoted wrongly");
        file.old_path = stripped(rest.substr(0, start));
        file.new_path = stripped(unquote(rest.substr(start + 1)));
        return;
    }
    const EqualNames names(rest, m_strip);
    for (auto space = rest.find(' '); space != std::string_view::npos; space = rest.find(' ', space + 1)) {
        if (const auto name = names.at(space); !name.empty()) {
            file.old_path = file.new_path = name;
            return;
        }
    }
}

bool DiffParser::extended_header(FileDiff& file, std::string_view text) {
    const auto plain_name = [&](std::string_view name) {
        return name.starts_with('"') ? unquote(name) : std::string(name);
    };
    if (take(text, "old mode ")) {
        file.old_mode = mode(text);
    } else if (take(text, "new mode ")) {
        file.new_mode = mode(text);
    } else if (take(text, "deleted file mode ")) {
        file.deleted = true;
        file.old_mode = mode(text);
    } else if (take(text, "new file mode ")) {
        file.added = true;
        file.new_mode = mode(text);
    } else if (take(text, "rename from ") || take(text, "rename old ")) {
        file.renamed = true;
        file.old_path = plain_name(text);
    } else if (take(text, "rename to ") || take(text, "rename new ")) {
        file.renamed = true;
        file.new_path = plain_name(text);
    } else if (take(text, "copy from ")) {
        file.copied = true;
        file.old_path = plain_name(text);
    } else if (take(text, "copy to ")) {
        file.copied = true;
        file.new_path = plain_name(text);
    } else if (take(text, "index ")) {
        const auto dots = text.find("..");
        if (dots == std::string_view::npos)
            fail("not an index line");
        const auto space = text.find(' ', dots);
        file.old_id = text.substr(0, dots);
        file.new_id = text.substr(dots + 2, space == std::string_view::npos ? space : space - dots - 2);
        if (space != std::string_view::npos)
            file.old_mode = file.new_mode = mode(text.substr(space + 1));
    } else {
        return text.starts_with("similarity index ") || text.starts_with("dissimilarity index ");
    }
    return true;
}

void DiffParser::traditional_header(FileDiff& file) {
    auto before = line(m_at);
    auto after = line(m_at + 1);
    take(before, "--- ");
    take(after, "+++ ");
    const auto old_name = file_name(before);
    ++m_at;
    const auto new_name = file_name(after);
    if (old_name && !file.renamed && !file.copied)
        file.old_path = stripped(*old_name);
    if (new_name && !file.renamed && !file.copied)
        file.new_path = stripped(*new_name);
    file.added = file.added || !old_name;
    file.deleted = file.deleted || !new_name;
    if (!old_name && !new_name)
        fail("a file that is on neither side");
    if (!old_name)
        file.old_path = file.new_path;
    if (!new_name)
        file.new_path = file.old_path;
    ++m_at;
}

void DiffParser::begin_file() {
    if (m_result.files.empty())
        m_result.start = static_cast<std::size_t>(m_lines[m_at].data() - m_text.data());
    m_result.files.emplace_back();
    m_in_file = true;
}

void DiffParser::git_header() {
    begin_file();
    auto& file = m_result.files.back();
    auto text = line(m_at);
    take(text, "diff --git ");
    names_of_git_line(file, text);
    ++m_at;
    while (m_at < m_lines.size() && extended_header(file, line(m_at)))
        ++m_at;
    if (line(m_at).starts_with("--- ") && line(m_at + 1).starts_with("+++ "))
        traditional_header(file);
    if (line(m_at) == "GIT binary patch")
        file.binary = true;
}

/// "@@ -1,2 +3,4 @@": how many lines are to follow on each side; nothing where it is no such line.
std::optional<std::pair<std::size_t, std::size_t>> hunk_counts(std::string_view text) {
    const auto take_range = [&](char sign) -> std::optional<std::size_t> {
        if (!take(text, std::string_view(&sign, 1)))
            return std::nullopt;
        std::size_t start = 0;
        std::size_t count = 1;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), start);
        if (error != std::errc())
            return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (take(text, ",")) {
            const auto [count_end, count_error] = std::from_chars(text.data(), text.data() + text.size(), count);
            if (count_error != std::errc())
                return std::nullopt;
            text.remove_prefix(static_cast<std::size_t>(count_end - text.data()));
        }
        return count;
    };
    if (!take(text, "@@ "))
        return std::nullopt;
    const auto before = take_range('-');
    if (!before || !take(text, " "))
        return std::nullopt;
    const auto after = take_range('+');
    if (!after || !text.starts_with(" @@"))
        return std::nullopt;
    return std::pair(*before, *after);
}

void DiffParser::hunk() {
    const auto counts = hunk_counts(line(m_at));
    if (!counts)
        fail("not a hunk header");
    auto [before, after] = *counts;
    ++m_at;
    while (before > 0 || after > 0) {
        if (m_at >= m_lines.size())
            fail("the hunk is cut short");
        const char kind = m_lines[m_at].front();
        const bool context = kind == ' ' || kind == '\n' || kind == '\r'; // some tools drop the blank of an empty line
        if (kind == '\\') {
            ++m_at;
            continue;
        }
        if ((!context && kind != '-' && kind != '+') || (kind != '+' && before == 0) || (kind != '-' && after == 0))
            fail("not a line of the hunk that was announced");
        if (kind != '+')
            --before;
        if (kind != '-')
            --after;
        ++m_at;
    }
    if (line(m_at).starts_with('\\'))
        ++m_at;
}

void DiffParser::finish_file() {
    if (!m_in_file)
        return;
    m_in_file = false;
    const auto& file = m_result.files.back();
    if (file.old_path.empty() || file.new_path.empty())
        fail("cannot tell which file the part above changes");
    for (const auto* path : {&file.old_path, &file.new_path}) {
        if (!is_safe_repo_path(*path))
            fail(fmt::format("{} is no path inside a repository", quoted(*path)));
    }
    for (const auto* id : {&file.old_id, &file.new_id}) {
        if (id->size() > 64 || id->find_first_not_of("0123456789abcdef") != std::string::npos)
            fail("not an index line");
    }
}

ParsedDiff DiffParser::run() {
    m_result.start = m_text.size();
    while (m_at < m_lines.size()) {
        const auto current = line(m_at);
        if (current.starts_with("diff --git ")) {
            finish_file();
            git_header();
        } else if (current.starts_with("--- ") && line(m_at + 1).starts_with("+++ ") &&
                   line(m_at + 2).starts_with("@@ ")) {
            finish_file();
            begin_file();
            traditional_header(m_result.files.back());
        } else if (m_in_file && current.starts_with("@@ ")) {
            hunk();
        } else {
            ++m_at;
        }
    }
    finish_file();
    return std::move(m_result);
}

git::ObjectId full_id(const std::string& hex) {
    return hex.size() == 40 || hex.size() == 64 ? git::ObjectId::from_hex(hex) : git::ObjectId();
}

} // namespace

PathChange FileDiff::change() const {
    PathChange change;
    const auto mode_or = [](std::uint32_t mode, std::uint32_t other) {
        return mode != 0 ? mode : other != 0 ? other : git::mode::file;
    };
    if (!added && !copied) {
        change.old_path = old_path;
        change.before = git::TreeEntry{mode_or(old_mode, new_mode), full_id(old_id)};
    }
    if (!deleted) {
        change.new_path = new_path;
        change.after = git::TreeEntry{mode_or(new_mode, old_mode), full_id(new_id)};
    }
    return change;
}

ParsedDiff parse_diff(std::string_view text, std::string_view where, std::size_t first_line, int strip) {
    return DiffParser(text, where, first_line, strip).run();
}

} // namespace carry::patch
