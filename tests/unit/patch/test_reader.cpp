#include "carried.hpp"
#include "support/lines.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

namespace carry::patch {

using test::TempRepo;
using testing::HasSubstr;

std::string message_of(const std::vector<std::filesystem::path>& files) {
    try {
        read_patches(files);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.message();
    }
    return "no error";
}

TEST(Reader, WhatWasWritten) {
    const TempRepo repo;
    repo.write("a", test::numbered("a", 10));
    repo.write("old", test::numbered("old", 10));
    const auto base = repo.commit("base");
    repo.write("a", "2\r\n");
    repo.commit("Subject\n\nBody\n");
    repo.git("mv", "old", "new name");
    repo.write("a", "3\n");
    repo.write("u\xff", "u\n");
    const TemporaryDirectory out("/tmp");
    const auto written = export_series(repo, base, out.path());
    for (const auto& place : {out.path(), out.path() / "series"}) {
        const auto read = read_patches({place});
        ASSERT_EQ(read.size(), written.size());
        for (std::size_t i = 0; i < read.size(); ++i) {
            EXPECT_EQ(read[i].file.name, written[i].name);
            EXPECT_EQ(read[i].file.layer, written[i].layer);
            EXPECT_EQ(read[i].file.commit, written[i].commit);
            EXPECT_EQ(read[i].file.gnu_patch, written[i].gnu_patch);
            ASSERT_EQ(read[i].file.changes.size(), written[i].changes.size());
            for (std::size_t j = 0; j < read[i].file.changes.size(); ++j) {
                EXPECT_EQ(read[i].file.changes[j].old_path, written[i].changes[j].old_path);
                EXPECT_EQ(read[i].file.changes[j].new_path, written[i].changes[j].new_path);
                EXPECT_EQ(read[i].file.changes[j].before, written[i].changes[j].before) << read[i].file.name;
                EXPECT_EQ(read[i].file.changes[j].after, written[i].changes[j].after);
            }
        }
        EXPECT_EQ(read[0].message, "Subject\n\nBody\n");
        EXPECT_THAT(read[0].author, HasSubstr(repo.git_line("log", "-1", "--format=%ae")));
    }
}

TEST(Reader, AMailboxOfSeveral) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("base");
    for (const auto* subject : {"two", "three"}) {
        repo.write("a", std::string(subject) + "\n");
        repo.commit(subject);
    }
    const TemporaryDirectory out("/tmp");
    write_file_atomic(out.path() / "all.mbox", repo.git("format-patch", "--stdout", "-2"));
    const auto patches = read_patches({out.path() / "all.mbox"});
    ASSERT_EQ(patches.size(), 2U);
    EXPECT_EQ(patches[0].message, "two\n");
    EXPECT_EQ(patches[1].message, "three\n");
    EXPECT_EQ(patches[1].file.name, "all.mbox#2");
    EXPECT_EQ(patches[1].file.layer, Layer::commit);
    EXPECT_EQ(patches[1].file.commit.hex(), repo.head());
}

TEST(Reader, PlainDiffs) {
    const TemporaryDirectory out("/tmp");
    write_file_atomic(out.path() / "x.diff",
                      "Description: why\nOrigin: me\n---\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n");
    const auto patches = read_patches({out.path() / "x.diff"});
    ASSERT_EQ(patches.size(), 1U);
    EXPECT_EQ(patches[0].file.title, "why");
    EXPECT_EQ(patches[0].file.layer, Layer::unstaged);
    EXPECT_THAT(patches[0].text, testing::StartsWith("--- a/x\n"));
    EXPECT_TRUE(patches[0].author.empty());
}

TEST(Reader, ErrorsNameFileAndLine) {
    const TemporaryDirectory out("/tmp");
    const auto file = [&](const std::string& name, const std::string& text) {
        write_file_atomic(out.path() / name, text);
        return out.path() / name;
    };
    EXPECT_THAT(message_of({out.path()}), HasSubstr("holds no series file"));
    EXPECT_THAT(message_of({out.path() / "missing"}), HasSubstr("missing"));
    EXPECT_THAT(message_of({file("text", "some text\n")}), HasSubstr("text:1: holds no patch"));
    EXPECT_THAT(
        message_of({file("cut", "From: a\nDate: b\nSubject: c\n\nbody\n---\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n"
                                "@@ -1,2 +1,2 @@\n a\n")}),
        HasSubstr("cut:12: the hunk is cut short"));
    EXPECT_THAT(message_of({file("series", "# x\ngone.patch\n")}), HasSubstr("series:2: there is no 'gone.patch'"));
}

} // namespace carry::patch
