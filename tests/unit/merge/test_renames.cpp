#include "merge/renames.hpp"
#include "scratch_trees.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carry::merge {
namespace {

using test::numbered;
using test::ScratchFiles;
using test::ScratchRepository;
using test::set_line;

PathMap renames(ScratchRepository& scratch, const ScratchFiles& before, const ScratchFiles& after,
                const std::vector<std::string>& touched, const std::vector<std::string>& added = {}) {
    return upstream_renames(scratch.repository(), scratch.tree(before), scratch.tree(after), touched, added);
}

TEST(PathMap, IsIdentityWhereNothingIsKnown) {
    PathMap map;
    map.set("a", "b");
    map.set("c", "c");
    EXPECT_EQ(map.map("a"), "b");
    EXPECT_EQ(map.map("c"), "c");
    EXPECT_EQ(map.map("b"), "b");
    EXPECT_TRUE(map.moved("a"));
    EXPECT_FALSE(map.moved("c"));
    map.erase("a");
    EXPECT_EQ(map.map("a"), "a");
}

TEST(PathMap, TakesTheLongestDirectory) {
    PathMap map;
    map.set_directory("lib", "src");
    map.set_directory("lib/net", "network");
    map.set_directory("old", "");
    EXPECT_EQ(map.map_new("lib/a.c"), "src/a.c");
    EXPECT_EQ(map.map_new("lib/net/tcp/a.c"), "network/tcp/a.c");
    EXPECT_EQ(map.map_new("old/a/b.c"), "a/b.c");
    EXPECT_EQ(map.map_new("library/a.c"), std::nullopt);
    EXPECT_EQ(map.map_new("lib"), std::nullopt);
}

TEST(UpstreamRenames, FollowsAnEditedFile) {
    ScratchRepository scratch;
    const auto text = numbered("line", 40);
    const auto map = renames(scratch, {{"src/util.py", text}, {"app.py", "x\n"}},
                             {{"lib/helpers.py", set_line(text, 35, "new")}, {"app.py", "x\n"}}, {"src/util.py"});
    EXPECT_EQ(map.map("src/util.py"), "lib/helpers.py");
}

TEST(UpstreamRenames, LeavesAloneWhatIsStillThere) {
    ScratchRepository scratch;
    const auto text = numbered("line", 40);
    const auto map = renames(scratch, {{"a", text}}, {{"a", "rewritten\n"}, {"b", text}}, {"a"});
    EXPECT_FALSE(map.moved("a"));
}

TEST(UpstreamRenames, AnEmptyFileIsNoEvidence) {
    ScratchRepository scratch;
    const auto map = renames(scratch, {{"a/__init__.py", ""}}, {{"b/__init__.py", ""}}, {"a/__init__.py"});
    EXPECT_FALSE(map.moved("a/__init__.py"));
}

TEST(UpstreamRenames, AnIdenticalFileTakesItsTargetFromASimilarOne) {
    ScratchRepository scratch;
    const auto text = numbered("line", 20);
    const auto similar = set_line(text, 3, "similar");
    // "b" became "c", so that "a", which is touched and similar, was deleted
    const auto map = renames(scratch, {{"a", similar}, {"b", text}}, {{"c", text}}, {"a"});
    EXPECT_FALSE(map.moved("a"));
}

TEST(UpstreamRenames, AmongIdenticalFilesTheNameDecides) {
    ScratchRepository scratch;
    const auto text = numbered("line", 20);
    const auto map =
        renames(scratch, {{"old/x", text}, {"old/y", text}}, {{"new/x", text}, {"new/y", text}}, {"old/x", "old/y"});
    EXPECT_EQ(map.map("old/x"), "new/x");
    EXPECT_EQ(map.map("old/y"), "new/y");
}

TEST(UpstreamRenames, ALinkIsNoFile) {
    ScratchRepository scratch;
    const auto map = renames(scratch, {{"a", test::link_to("target")}}, {{"b", test::ScratchFile("target")}}, {"a"});
    EXPECT_FALSE(map.moved("a"));
}

TEST(UpstreamRenames, CaseOnly) {
    ScratchRepository scratch;
    const auto text = numbered("line", 20);
    const auto map =
        renames(scratch, {{"README.txt", text}}, {{"Readme.txt", set_line(text, 18, "new")}}, {"README.txt"});
    EXPECT_EQ(map.map("README.txt"), "Readme.txt");
}

TEST(DirectoryRenames, TheMajorityDecides) {
    ScratchRepository scratch;
    const ScratchFiles before = {{"d/a", numbered("a", 9)}, {"d/b", numbered("b", 9)}, {"d/c", numbered("c", 9)}};
    const ScratchFiles after = {{"e/a", numbered("a", 9)}, {"e/b", numbered("b", 9)}, {"f/c", numbered("c", 9)}};
    EXPECT_EQ(renames(scratch, before, after, {}, {"d/new"}).map_new("d/new"), "e/new");
}

TEST(DirectoryRenames, ATieDecidesNothing) {
    ScratchRepository scratch;
    const ScratchFiles before = {{"d/a", numbered("a", 9)}, {"d/b", numbered("b", 9)}};
    const ScratchFiles after = {{"e/a", numbered("a", 9)}, {"f/b", numbered("b", 9)}};
    EXPECT_EQ(renames(scratch, before, after, {}, {"d/new"}).map_new("d/new"), std::nullopt);
}

TEST(DirectoryRenames, ADirectoryThatIsStillThereWasNotRenamed) {
    ScratchRepository scratch;
    const ScratchFiles before = {{"d/a", numbered("a", 9)}, {"d/b", numbered("b", 9)}};
    const ScratchFiles after = {{"e/a", numbered("a", 9)}, {"d/b", numbered("b", 9)}};
    EXPECT_EQ(renames(scratch, before, after, {}, {"d/new"}).map_new("d/new"), std::nullopt);
}

TEST(DirectoryRenames, AFileSpeaksForTheDirectoriesAbove) {
    ScratchRepository scratch;
    const ScratchFiles before = {{"d/sub/a", numbered("a", 9)}, {"d/sub/b", numbered("b", 9)}};
    const ScratchFiles after = {{"e/sub/a", numbered("a", 9)}, {"e/sub/b", set_line(numbered("b", 9), 2, "x")}};
    const auto map = renames(scratch, before, after, {}, {"d/new", "d/other/new"});
    EXPECT_EQ(map.map_new("d/new"), "e/new");
    EXPECT_EQ(map.map_new("d/other/new"), "e/other/new");
}

} // namespace
} // namespace carry::merge
