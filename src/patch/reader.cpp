#include "base/file.hpp"
#include "base/text.hpp"
#include "patch/diff_parse.hpp"
#include "patch/mail.hpp"
#include "patch/patch.hpp"
#include "patch/series.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace carry::patch {

namespace {

std::string read_for_user(const std::filesystem::path& path) {
    try {
        return read_file(path);
    } catch (const Error& error) {
        auto usage = Error(ErrorKind::usage, error.message());
        for (const auto& cause : error.causes())
            usage.because(cause);
        throw usage;
    }
}

/// The charset of a Content-Type, where it is not UTF-8.
std::string charset_of(const Mail& mail) {
    const auto type = mail.header("content-type");
    const auto at = type.find("charset=");
    if (at == std::string::npos)
        return {};
    auto charset = type.substr(at + 8);
    charset = charset.substr(0, charset.find_first_of("; "));
    std::erase(charset, '"');
    const bool utf8 = charset.size() == 5 && (charset[0] == 'U' || charset[0] == 'u') && charset.ends_with("-8");
    return utf8 ? std::string() : charset;
}

void set_changes(ReadPatch& patch, const ParsedDiff& diff) {
    patch.file.changes.clear();
    for (const auto& file : diff.files)
        patch.file.changes.push_back(file.change());
}

/// A diff with or without a DEP-3 header above it.
ReadPatch read_plain(const MailText& part, const std::string& where, const Mail& mail, int strip) {
    const auto diff = parse_diff(part.text, where, part.line, strip);
    if (diff.files.empty())
        throw Error(ErrorKind::usage, fmt::format("{}:{}: holds no patch", escape_terminal(where), part.line));
    ReadPatch patch;
    patch.text = part.text.substr(diff.start);
    patch.strip = strip;
    set_changes(patch, diff);
    patch.file.title = mail.header("description");
    if (patch.file.title.empty())
        patch.file.title = mail.header("subject");
    if (patch.file.title.empty())
        patch.file.title = diff.files.front().new_path;
    return patch;
}

/// "From: A <a@b>" as the first line of a body names the author when somebody else has sent the mail.
std::string author_in_body(std::string& message) {
    constexpr std::string_view from = "From: ";
    if (!message.starts_with(from))
        return {};
    const auto end = std::min(message.find('\n'), message.size());
    auto author = message.substr(from.size(), end - from.size());
    message.erase(0, std::min(message.find_first_not_of('\n', end), message.size()));
    return author;
}

/// "J. Doe" <j@d> as mails quote it -> J. Doe <j@d>.
std::string without_name_quotes(const std::string& author) {
    if (!author.starts_with('"'))
        return author;
    std::string result;
    for (std::size_t i = 1; i < author.size(); ++i) {
        if (author[i] == '"')
            return result + author.substr(i + 1);
        if (author[i] == '\\' && i + 1 < author.size())
            ++i;
        result += author[i];
    }
    return author;
}

ReadPatch read_mail(const MailText& part, const std::string& where, const Mail& mail, int strip) {
    ReadPatch patch;
    patch.file.layer = Layer::commit;
    patch.strip = strip;
    const auto end = end_of_message(mail.body);
    std::string message(trim(std::string_view(mail.body).substr(0, end)));
    patch.author = decode_header_words(without_name_quotes(mail.header("from")));
    if (auto author = author_in_body(message); !author.empty())
        patch.author = std::move(author);
    patch.date = mail.header("date");
    patch.encoding = charset_of(mail);
    patch.file.title = subject_without_patch_tag(decode_header_words(mail.header("subject")));
    patch.message = patch.file.title + "\n" + (message.empty() ? "" : "\n" + message + "\n");
    const auto rest = std::string_view(mail.body).substr(end);
    const auto lines_before = static_cast<std::size_t>(
        std::count(mail.body.begin(), mail.body.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    const auto diff = parse_diff(rest, where, part.line + mail.body_line - 1 + lines_before, strip);
    patch.text = rest.substr(diff.start);
    set_changes(patch, diff);
    const auto words = split(mail.envelope, ' ');
    if (words.size() > 1 && (words[1].size() == 40 || words[1].size() == 64) &&
        words[1].find_first_not_of("0123456789abcdef") == std::string_view::npos)
        patch.file.commit = git::ObjectId::from_hex(words[1]);
    return patch;
}

std::vector<ReadPatch> read_patch_file(const std::filesystem::path& path, int strip) {
    const auto text = read_for_user(path);
    const auto& where = path.native();
    std::vector<ReadPatch> patches;
    const auto mails = split_mailbox(text);
    for (const auto& part : mails) {
        const auto mail = parse_mail(part.text);
        patches.push_back(mail.is_commit() ? read_mail(part, where, mail, strip)
                                           : read_plain(part, where, mail, strip));
        patches.back().file.name = path.filename().native();
        if (mails.size() > 1)
            patches.back().file.name += fmt::format("#{}", patches.size());
    }
    return patches;
}

/// Blob ids that the series knows and the diff does not say (renames and mode changes have no index line).
void add_ids(PathChange& change, const SeriesEntry& entry) {
    if (change.before && change.before->id.is_null())
        change.before->id = entry.before;
    if (change.after && change.after->id.is_null())
        change.after->id = entry.after;
}

/// What a person names may be a pipe; what somebody's series names is a file, or a link to one.
void refuse_endless(const std::filesystem::path& path, const std::filesystem::path& series, std::size_t line) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
        !std::filesystem::is_directory(status))
        throw Error(ErrorKind::usage, fmt::format("{}:{}: {} is no plain file", escape_terminal(series.native()), line,
                                                  quoted(path.filename().native())));
}

std::vector<ReadPatch> read_series(const std::filesystem::path& series) {
    const auto directory = series.parent_path();
    std::vector<ReadPatch> all;
    for (const auto& entry : parse_series(read_for_user(series), series.native())) {
        if (!lstat_if_exists(directory / entry.file.name))
            throw Error(ErrorKind::usage, fmt::format("{}:{}: there is no {}", escape_terminal(series.native()),
                                                      entry.line, quoted(entry.file.name)));
        for (const auto* name : {&entry.file.name, &entry.diff})
            refuse_endless(directory / *name, series, entry.line);
        auto patches = read_patch_file(directory / entry.file.name, entry.strip);
        if (patches.size() == 1) {
            auto& patch = patches.front();
            if (!entry.diff.empty()) {
                // A mail whose message looks like a diff cannot be taken apart; this is what it changes.
                const auto plain = directory / entry.diff;
                patch.text = read_for_user(plain);
                set_changes(patch, parse_diff(patch.text, plain.native()));
            }
            if (!entry.file.commit.is_null())
                patch.file.commit = entry.file.commit;
            patch.file.layer = entry.file.layer;
            patch.file.gnu_patch = entry.file.gnu_patch;
            patch.file.bundle = entry.file.bundle;
            if (patch.file.changes.size() == 1)
                add_ids(patch.file.changes.front(), entry);
        }
        std::ranges::move(patches, std::back_inserter(all));
    }
    return all;
}

} // namespace

std::vector<ReadPatch> read_patches(const std::vector<std::filesystem::path>& files) {
    std::vector<ReadPatch> all;
    for (const auto& path : files) {
        std::error_code error;
        std::vector<ReadPatch> patches;
        if (std::filesystem::is_directory(path, error)) {
            if (!std::filesystem::exists(path / "series", error))
                throw Error(ErrorKind::usage, quoted(path.native()) + " holds no series file");
            patches = read_series(path / "series");
        } else if (path.filename() == "series" || path.extension() == ".series") {
            patches = read_series(path);
        } else {
            patches = read_patch_file(path, 1);
        }
        std::ranges::move(patches, std::back_inserter(all));
    }
    return all;
}

} // namespace carry::patch
