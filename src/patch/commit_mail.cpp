#include "patch/commit_mail.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "patch/mail.hpp"

#include <algorithm>
#include <array>

namespace carry::patch {

namespace {

/// Header block (with the empty line after it) and body of git's own rendering, whatever the user's configuration says.
struct GitsMail {
    std::string header, body;
};

GitsMail render(const git::Program& program, const git::ObjectId& id) {
    git::RunOptions options;
    options.private_objects = true;
    const auto text = program.output({"-c",
                                      "log.showSignature=false",
                                      "-c",
                                      "log.showRoot=true",
                                      "-c",
                                      "format.subjectPrefix=PATCH",
                                      "-c",
                                      "format.encodeEmailHeaders=true",
                                      "log",
                                      "-1",
                                      "--format=email",
                                      "--no-patch",
                                      "--no-notes",
                                      "--no-mailmap",
                                      "--no-color",
                                      "--no-decorate",
                                      "--no-show-signature",
                                      "--encoding=UTF-8",
                                      id.hex(),
                                      "--"},
                                     options);
    const auto end = text.find("\n\n");
    if (end == std::string::npos)
        return {text, {}};
    return {text.substr(0, end + 1), text.substr(end + 2)};
}

/// Replaces or adds the three lines that say how the body is encoded.
std::string with_quoted_printable(const std::string& header) {
    std::string result;
    bool dropped = false;
    for (const auto line : split_lines(header)) {
        const bool continued = line.starts_with(' ') || line.starts_with('\t');
        dropped = continued ? dropped : line.starts_with("MIME-Version:") || line.starts_with("Content-T");
        if (!dropped)
            result += line;
    }
    return result + "MIME-Version: 1.0\n"
                    "Content-Type: text/plain; charset=UTF-8\n"
                    "Content-Transfer-Encoding: quoted-printable\n";
}

/// What `git stripspace` makes of a message, as `git am` runs it.
std::string strip_space(std::string_view text) {
    std::string result;
    bool blank_waits = false;
    for (auto line : split_lines(text)) {
        while (!line.empty() && std::string_view(" \t\n\r\v\f").find(line.back()) != std::string_view::npos)
            line.remove_suffix(1);
        if (line.empty()) {
            blank_waits = !result.empty();
            continue;
        }
        if (blank_waits)
            result += '\n';
        blank_waits = false;
        (result += line) += '\n';
    }
    return result;
}

/// "Subject: x" of mailinfo's output.
std::string info_field(std::string_view info, std::string_view name) {
    for (const auto line : split_terminated(info, '\n')) {
        if (line.starts_with(name))
            return std::string(line.substr(name.size()));
    }
    return {};
}

struct Trial {
    bool message = false, diff = false;
};

/// What `git am` would make of the mail. Scissors are tried as well: a person may have them switched on.
Trial try_mailinfo(const git::Program& program, const std::string& mail, const git::Commit& commit,
                   std::string_view patch) {
    const TemporaryDirectory place(program.paths().carry_dir(), "mail-");
    const auto message_file = place.path() / "message";
    const auto patch_file = place.path() / "patch";
    git::RunOptions options;
    options.input = mail;
    const auto result = program.run(
        {"-c", "i18n.commitEncoding=UTF-8", "mailinfo", "--scissors", message_file.native(), patch_file.native()},
        options);
    if (!result.ok())
        return {};
    const auto message = info_field(result.output, "Subject: ") + "\n\n" + read_file(message_file);
    const auto author = git::Signature::parse(commit.author);
    // Dates that mail cannot say, or that git reads as something else, are those before 1980 and after 2099.
    constexpr std::int64_t first_second = 315532800;
    constexpr std::int64_t last_second = 4102444800;
    return {.message = strip_space(message) == commit.message && commit.encoding.empty() &&
                       info_field(result.output, "Author: ") == author.name &&
                       info_field(result.output, "Email: ") == author.email && author.seconds >= first_second &&
                       author.seconds < last_second,
            .diff = read_file(patch_file) == patch};
}

/// Lines for which GNU patch, or a person's eye, takes the message for a patch.
bool looks_like_a_diff(std::string_view message) {
    constexpr std::array<std::string_view, 8> starts = {"diff ",  "--- ",    "+++ ", "*** ",
                                                        "Index:", "Prereq:", "@@ ",  "GIT binary patch"};
    return std::ranges::any_of(split_lines(message), [&](std::string_view line) {
        const auto first = line.find_first_not_of(" \t>"); // GNU patch undoes indentation
        if (first == std::string_view::npos)
            return false;
        line.remove_prefix(first);
        const bool normal_diff =
            line[0] >= '0' && line[0] <= '9' && line.find_first_not_of("0123456789,acd\n") == std::string_view::npos;
        return normal_diff || std::ranges::any_of(starts, [&](auto start) { return line.starts_with(start); });
    });
}

} // namespace

CommitMail write_commit_mail(const git::Program& program, const git::ObjectId& id, const git::Commit& commit,
                             std::string_view headers, std::string_view diff) {
    auto [header, message] = render(program, id);
    if (!message.empty() && !message.ends_with('\n'))
        message += '\n';
    const auto patch = "---\n" + std::string(diff);
    auto body = message + patch;
    // git mailsplit takes CR off the ends of lines and splits at "From " lines.
    const bool encoded = body.find('\r') != std::string::npos || body.find('\0') != std::string::npos ||
                         body.starts_with("From ") || body.find("\nFrom ") != std::string::npos;
    if (encoded) {
        header = with_quoted_printable(header);
        body = encode_quoted_printable(body);
    }
    CommitMail mail;
    mail.text = header + std::string(headers) + "\n" + body;
    const auto trial = try_mailinfo(program, mail.text, commit, patch);
    mail.faithful = trial.message && trial.diff && commit.parents.size() == 1 && !diff.empty();
    mail.plain = !encoded && trial.diff && !looks_like_a_diff(message);
    return mail;
}

} // namespace carry::patch
