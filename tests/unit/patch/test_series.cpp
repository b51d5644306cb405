#include "patch/series.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

namespace carry::patch {

SeriesEntry entry(const std::string& name, Layer layer) {
    SeriesEntry result;
    result.file.name = name;
    result.file.layer = layer;
    return result;
}

TEST(Series, ANameThatWouldBeACommentIsNone) {
    EXPECT_THROW(parse_series("# mail: #x.patch\n", "series"), Error);
    EXPECT_THROW(parse_series("a.patch # diff=#x\n", "series"), Error);
}

TEST(Series, ComesBackInItsOrder) {
    const auto id = git::ObjectId::from_hex(std::string(40, 'a'));
    std::vector<SeriesEntry> entries = {entry("0001-a.patch", Layer::commit), entry("0002-b.patch", Layer::staged),
                                        entry("0003-c.patch", Layer::commit), entry("0004-d.patch", Layer::untracked)};
    entries[0].file.commit = id;
    entries[1].file.gnu_patch = false;
    entries[1].before = id;
    entries[2].file.bundle = "0003-c.bundle";
    entries[2].diff = "0003-c.diff";
    const auto text = write_series_text(entries, id, "origin/main\nx");
    const auto back = parse_series(text, "series");
    ASSERT_EQ(back.size(), entries.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
        EXPECT_EQ(back[i].file.name, entries[i].file.name);
        EXPECT_EQ(back[i].file.layer, entries[i].file.layer);
        EXPECT_EQ(back[i].file.commit, entries[i].file.commit);
        EXPECT_EQ(back[i].file.gnu_patch, entries[i].file.gnu_patch);
        EXPECT_EQ(back[i].file.bundle, entries[i].file.bundle);
        EXPECT_EQ(back[i].before, entries[i].before);
        EXPECT_EQ(back[i].diff, entries[i].diff);
    }
}

TEST(Series, QuiltsOwn) {
    const auto entries =
        parse_series("# a comment\n\n  fix.patch -p0\t# why\ndebian/sub/other.patch\n#fix2.patch\n", "series");
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].file.name, "fix.patch");
    EXPECT_EQ(entries[0].strip, 0);
    EXPECT_EQ(entries[1].file.name, "debian/sub/other.patch");
    EXPECT_EQ(entries[1].line, 4U);
}

TEST(Series, ErrorsNameTheLine) {
    const auto message_of = [](std::string_view text) -> std::string {
        try {
            parse_series(text, "series");
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            return error.message();
        }
        return "no error";
    };
    EXPECT_THAT(message_of("ok\n../../etc/passwd\n"), testing::StartsWith("series:2: "));
    EXPECT_THAT(message_of("/etc/passwd\n"), testing::StartsWith("series:1: "));
    EXPECT_THAT(message_of("# git-only: \n"), testing::StrEq("no error")) << "trimmed, it is somebody's comment";
    EXPECT_THAT(message_of("# mail: \r x\n"), testing::StartsWith("series:1: "));
    EXPECT_THAT(message_of("a # layer=roof\n"), testing::HasSubstr("no layer"));
    EXPECT_THAT(message_of("a # commit=xyz\n"), testing::HasSubstr("no object id"));
    EXPECT_THAT(message_of("a # diff=../x\n"), testing::HasSubstr("no name of a patch"));
    EXPECT_THAT(message_of("a -p999999999999\n"), testing::HasSubstr("no -pN"));
}

} // namespace carry::patch
