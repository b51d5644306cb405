/// Mails as `git format-patch` writes them: headers, encodings, the message and the diff.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace carry::patch {

/// Quoted-printable of a body: "\r", NUL, "=" and a "From " at the start of a line are escaped, so that no mail tool
/// takes them for its own; everything else stays readable. Lines are not folded.
std::string encode_quoted_printable(std::string_view text);
std::string decode_quoted_printable(std::string_view text);
/// Characters that are no base64 are passed over.
std::string decode_base64(std::string_view text);

/// "=?UTF-8?q?…?=" words of a header made plain. Bytes of other character sets are left as they are.
std::string decode_header_words(std::string_view text);

/// One mail of a mailbox, as it stands in the file.
struct MailText {
    std::string_view text;
    std::size_t line = 1; ///< of its first line in the file
};
/// Splits at "From " lines that mailboxes have (with a time and a year), as `git mailsplit` does. A text without one is
/// one mail.
std::vector<MailText> split_mailbox(std::string_view text);

struct Mail {
    std::string envelope;                       ///< the "From " line, or nothing
    std::map<std::string, std::string> headers; ///< by lower-case name; unfolded, the first of each
    std::string body;                           ///< decoded
    std::size_t body_line = 1;                  ///< of its first line in the mail
    [[nodiscard]] std::string header(const std::string& name) const;
    /// A mail that git can make a commit of: it says who and when.
    [[nodiscard]] bool is_commit() const { return !header("from").empty() && !header("date").empty(); }
};
/// Never fails: a text that has no headers is all body.
Mail parse_mail(std::string_view text);

/// "[PATCH v2 3/4] x" -> "x"; other brackets are part of the subject.
std::string subject_without_patch_tag(std::string_view subject);

/// Offset at which the commit message ends and the patch begins, by `git mailinfo`'s rule: a line "---", or one that
/// starts a diff.
std::size_t end_of_message(std::string_view body);

} // namespace carry::patch
