#include "patch/mail.hpp"

#include <gmock/gmock.h>

#include <random>

namespace carry::patch {

TEST(Mail, QuotedPrintable) {
    const std::string text("From x\n=3D\r\nFrom y\n\0a From z\xff\n", 29);
    const auto encoded = encode_quoted_printable(text);
    EXPECT_EQ(decode_quoted_printable(encoded), text);
    EXPECT_EQ(encoded.find('\r'), std::string::npos);
    EXPECT_EQ(encoded.find("\nFrom "), std::string::npos);
    EXPECT_EQ(decode_quoted_printable("a=\nb=\r\nc=zz="), "abc=zz=");
    EXPECT_EQ(decode_base64("aGVs\nbG8="), "hello");
}

TEST(Mail, HeaderWords) {
    EXPECT_EQ(decode_header_words("=?UTF-8?q?=C3=84_x?= <a@b>"), "\xc3\x84 x <a@b>");
    EXPECT_EQ(decode_header_words("=?UTF-8?B?w4Q=?=\n =?utf-8?q?b?= c"), "\xc3\x84"
                                                                         "b c");
    EXPECT_EQ(decode_header_words("plain =? text"), "plain =? text");
    EXPECT_EQ(decode_header_words("=?UTF-8?q?"), "=?UTF-8?q?");
}

TEST(Mail, Parts) {
    const auto mail =
        parse_mail("From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\n"
                   "From: A <a@b>\nDate: now\nSubject: [PATCH] long\n line\nOrigin: other\n\nbody\n---\ndiff");
    EXPECT_TRUE(mail.is_commit());
    EXPECT_EQ(mail.header("subject"), "[PATCH] long line");
    EXPECT_EQ(mail.header("origin"), "other");
    EXPECT_EQ(mail.body, "body\n---\ndiff");
    EXPECT_EQ(mail.body_line, 8U);
    EXPECT_EQ(end_of_message(mail.body), 5U);
    EXPECT_FALSE(parse_mail("--- a/x\n+++ b/x\n").is_commit());
    EXPECT_EQ(parse_mail("diff --git a/x b/x\n").body, "diff --git a/x b/x\n");
}

TEST(Mail, Subjects) {
    EXPECT_EQ(subject_without_patch_tag("[PATCH v2 3/4] [BugFix] x"), "[BugFix] x");
    EXPECT_EQ(subject_without_patch_tag("[BugFix] x"), "[BugFix] x");
    EXPECT_EQ(subject_without_patch_tag("[PATCH"), "[PATCH");
}

TEST(Mail, Mailboxes) {
    const std::string one = "From 12 Mon Sep 17 00:00:00 2001\nFrom: a\n\nFrom here on it is text\n";
    EXPECT_EQ(split_mailbox(one).size(), 1U);
    const auto two = split_mailbox(one + one);
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[1].text, one);
    EXPECT_EQ(two[1].line, 5U);
    EXPECT_EQ(split_mailbox("").size(), 1U);
    EXPECT_EQ(split_mailbox("x\n" + one).size(), 1U) << "no mailbox starts like this";
}

TEST(Mail, HostileBytesNeverFail) {
    std::mt19937 random(20260308); // NOLINT(bugprone-random-generator-seed): the same bytes each time
    const std::string alphabet("From: =?UTF-8?q?=A_b?=\n\n -:\0\xff[PATCH]---", 38);
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (auto size = random() % 80; size > 0; --size)
            text += alphabet[random() % alphabet.size()];
        for (const auto& part : split_mailbox(text)) {
            const auto mail = parse_mail(part.text);
            decode_header_words(mail.header("from"));
            EXPECT_LE(end_of_message(mail.body), mail.body.size());
        }
        EXPECT_EQ(decode_quoted_printable(encode_quoted_printable(text)), text);
    }
}

} // namespace carry::patch
