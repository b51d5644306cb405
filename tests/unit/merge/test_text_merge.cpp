#include "merge/hunk_fates.hpp"
#include "merge/text_merge.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace carry::merge {
namespace {

using git::LineRange;
using test::numbered;
using test::set_line;

std::string insert_before(std::string_view text, std::size_t n, std::string_view lines) {
    std::string result(text);
    std::size_t at = 0;
    for (std::size_t line = 1; line < n; ++line)
        at = result.find('\n', at) + 1;
    return result.insert(at, lines);
}

std::string remove_lines(std::string_view text, std::size_t first, std::size_t last) {
    std::string result(text);
    std::size_t at = 0;
    for (std::size_t line = 1; line < first; ++line)
        at = result.find('\n', at) + 1;
    std::size_t end = at;
    for (std::size_t line = first; line <= last; ++line)
        end = result.find('\n', end) + 1;
    return result.erase(at, end - at);
}

TextMerge merged(std::string_view base, std::string_view upstream, std::string_view local,
                 const git::MergeOptions& options = {}) {
    auto result = merge_text(base, upstream, local, options);
    EXPECT_TRUE(result.has_value());
    return result.value_or(TextMerge{});
}

const std::string base = numbered("line", 30);

TEST(TextMerge, KeepsAHunkWhereUpstreamChangedNothingNear) {
    const auto result = merged(base, set_line(base, 2, "UP"), set_line(base, 20, "MINE"));
    EXPECT_TRUE(result.clean);
    EXPECT_EQ(result.bytes, set_line(set_line(base, 2, "UP"), 20, "MINE"));
    ASSERT_EQ(result.hunks.size(), 1U);
    const auto& hunk = result.hunks[0];
    EXPECT_EQ(hunk.fate, Fate::kept);
    EXPECT_EQ(hunk.base, (LineRange{19, 1}));
    EXPECT_EQ(hunk.local, (LineRange{19, 1}));
    EXPECT_EQ(hunk.upstream, (LineRange{19, 1}));
    EXPECT_EQ(hunk.result, (LineRange{19, 1}));
    EXPECT_EQ(hunk.reason, "");
}

TEST(TextMerge, SaysHowFarUpstreamPushedAHunk) {
    const auto down = merged(base, insert_before(base, 3, numbered("new", 14)), set_line(base, 20, "MINE"));
    ASSERT_EQ(down.hunks.size(), 1U);
    EXPECT_EQ(down.hunks[0].fate, Fate::kept);
    EXPECT_EQ(down.hunks[0].reason, "14 lines down");
    EXPECT_EQ(down.hunks[0].upstream, (LineRange{33, 1}));
    EXPECT_EQ(down.hunks[0].result, (LineRange{33, 1}));

    const auto up = merged(base, remove_lines(base, 3, 3), insert_before(base, 20, "a\nb\n"));
    ASSERT_EQ(up.hunks.size(), 1U);
    EXPECT_EQ(up.hunks[0].fate, Fate::kept);
    EXPECT_EQ(up.hunks[0].reason, "1 line up");
    EXPECT_EQ(up.hunks[0].base, (LineRange{19, 0}));
    EXPECT_EQ(up.hunks[0].local, (LineRange{19, 2}));
    EXPECT_EQ(up.hunks[0].upstream, (LineRange{18, 0}));
    EXPECT_EQ(up.hunks[0].result, (LineRange{18, 2}));
}

TEST(TextMerge, CountsTheLinesOfLocalHunksAboveInTheResultOnly) {
    const auto local = set_line(insert_before(base, 5, "a\nb\n"), 22, "MINE"); // line 20 of base
    const auto result = merged(base, insert_before(base, 12, "x\n"), local);
    ASSERT_EQ(result.hunks.size(), 2U);
    EXPECT_EQ(result.hunks[1].base, (LineRange{19, 1}));
    EXPECT_EQ(result.hunks[1].local, (LineRange{21, 1}));
    EXPECT_EQ(result.hunks[1].upstream, (LineRange{20, 1}));
    EXPECT_EQ(result.hunks[1].result, (LineRange{22, 1}));
    EXPECT_EQ(result.hunks[1].reason, "1 line down");
}

TEST(TextMerge, MergesWhereUpstreamChangedTheContext) {
    // two common lines between
    const auto near = merged(base, set_line(base, 17, "UP"), set_line(base, 20, "MINE"));
    EXPECT_TRUE(near.clean);
    ASSERT_EQ(near.hunks.size(), 1U);
    EXPECT_EQ(near.hunks[0].fate, Fate::merged);
    EXPECT_EQ(near.hunks[0].reason, "upstream changed lines next to it");
    EXPECT_EQ(near.hunks[0].result, (LineRange{19, 1}));
    // below it
    EXPECT_EQ(merged(base, set_line(base, 22, "UP"), set_line(base, 20, "MINE")).hunks.at(0).fate, Fate::merged);
    // three: the context is whole
    EXPECT_EQ(merged(base, set_line(base, 16, "UP"), set_line(base, 20, "MINE")).hunks.at(0).fate, Fate::kept);
    EXPECT_EQ(merged(base, set_line(base, 24, "UP"), set_line(base, 20, "MINE")).hunks.at(0).fate, Fate::kept);
}

TEST(TextMerge, AbsorbsWhatUpstreamHas) {
    const auto local = set_line(insert_before(base, 10, "fix\n"), 22, "MINE");
    const auto upstream = insert_before(insert_before(base, 10, "fix\n"), 2, "x\ny\n");
    const auto result = merged(base, upstream, local);
    EXPECT_TRUE(result.clean);
    ASSERT_EQ(result.hunks.size(), 2U);
    EXPECT_EQ(result.hunks[0].fate, Fate::absorbed);
    EXPECT_EQ(result.hunks[0].reason, "upstream has it");
    EXPECT_EQ(result.hunks[0].base, (LineRange{9, 0}));
    EXPECT_EQ(result.hunks[0].local, (LineRange{9, 1}));
    EXPECT_EQ(result.hunks[0].upstream, (LineRange{11, 1}));
    EXPECT_EQ(result.hunks[0].result, (LineRange{11, 1}));
    EXPECT_EQ(result.hunks[1].fate, Fate::kept);
    EXPECT_EQ(result.hunks[1].reason, "3 lines down");
}

TEST(TextMerge, WhatUpstreamAbsorbedIsNoChangeNextToIt) {
    const auto local = set_line(set_line(base, 10, "fix"), 12, "MINE");
    const auto result = merged(base, set_line(base, 10, "fix"), local);
    ASSERT_EQ(result.hunks.size(), 2U);
    EXPECT_EQ(result.hunks[0].fate, Fate::absorbed);
    EXPECT_EQ(result.hunks[1].fate, Fate::kept);
}

TEST(TextMerge, AbsorbsARemoval) {
    const auto upstream = set_line(remove_lines(base, 10, 12), 2, "UP");
    const auto result = merged(base, upstream, remove_lines(base, 10, 12));
    ASSERT_EQ(result.hunks.size(), 1U);
    EXPECT_EQ(result.hunks[0].fate, Fate::absorbed);
    EXPECT_EQ(result.hunks[0].base, (LineRange{9, 3}));
    EXPECT_EQ(result.hunks[0].upstream, (LineRange{9, 0}));
}

TEST(TextMerge, NamesBothSidesOfAConflict) {
    const auto local = set_line(set_line(base, 20, "MINE"), 21, "MINE TOO");
    const auto upstream = set_line(insert_before(base, 2, "x\ny\n"), 22, "UP");
    const auto result = merged(base, upstream, local);
    EXPECT_FALSE(result.clean);
    EXPECT_THAT(result.bytes, testing::HasSubstr("<<<<<<< upstream\nUP\nline 21\n||||||| base\nline 20\nline 21\n"
                                                 "=======\nMINE\nMINE TOO\n>>>>>>> yours\n"));
    ASSERT_EQ(result.hunks.size(), 1U);
    const auto& hunk = result.hunks[0];
    EXPECT_EQ(hunk.fate, Fate::conflict);
    EXPECT_EQ(hunk.base, (LineRange{19, 2}));
    EXPECT_EQ(hunk.local, (LineRange{19, 2}));
    EXPECT_EQ(hunk.upstream, (LineRange{21, 2}));
    EXPECT_EQ(hunk.result, std::nullopt);
    EXPECT_EQ(hunk.reason, "both sides changed these lines");
}

TEST(TextMerge, ConflictsWithoutACommonLineBetween) {
    const auto result = merged(base, set_line(base, 21, "UP"), set_line(base, 20, "MINE"));
    EXPECT_FALSE(result.clean);
    ASSERT_EQ(result.hunks.size(), 1U);
    EXPECT_EQ(result.hunks[0].fate, Fate::conflict);
    EXPECT_EQ(result.hunks[0].base, (LineRange{19, 2}));
}

TEST(TextMerge, TellsAdditionsAndRemovalsApart) {
    const auto added = merged(base, insert_before(base, 20, "up\n"), insert_before(base, 20, "mine\n"));
    ASSERT_EQ(added.hunks.size(), 1U);
    EXPECT_EQ(added.hunks[0].reason, "both sides added different lines here");
    EXPECT_EQ(added.hunks[0].base, (LineRange{19, 0}));
    EXPECT_EQ(added.hunks[0].local, (LineRange{19, 1}));
    EXPECT_EQ(added.hunks[0].upstream, (LineRange{19, 1}));

    const auto removed = merged(base, remove_lines(base, 20, 20), set_line(base, 20, "mine"));
    ASSERT_EQ(removed.hunks.size(), 1U);
    EXPECT_EQ(removed.hunks[0].reason, "upstream removed these lines");
    EXPECT_EQ(removed.hunks[0].upstream, (LineRange{19, 0}));

    const auto removed_here = merged(base, set_line(base, 20, "up"), remove_lines(base, 20, 20));
    ASSERT_EQ(removed_here.hunks.size(), 1U);
    EXPECT_EQ(removed_here.hunks[0].reason, "upstream changed the lines that are removed here");
}

TEST(TextMerge, HunksOfOneConflictAreOneOutcome) {
    const auto local = set_line(set_line(base, 10, "MINE"), 13, "MINE TOO");
    auto upstream = base;
    for (std::size_t n = 10; n <= 13; ++n)
        upstream = set_line(upstream, n, "UP");
    const auto result = merged(base, upstream, local);
    ASSERT_EQ(result.hunks.size(), 1U);
    EXPECT_EQ(result.hunks[0].fate, Fate::conflict);
    EXPECT_EQ(result.hunks[0].base, (LineRange{9, 4}));
}

TEST(TextMerge, PartOfAConflictMayBeAbsorbed) {
    const auto local = set_line(set_line(set_line(base, 10, "BOTH"), 13, "MINE"), 16, "ALSO BOTH");
    auto upstream = local;
    for (std::size_t n = 11; n <= 15; ++n)
        upstream = set_line(upstream, n, "UP");
    upstream = insert_before(upstream, 2, "x\n");
    const auto result = merged(base, upstream, local);
    EXPECT_FALSE(result.clean);
    ASSERT_EQ(result.hunks.size(), 3U);
    EXPECT_EQ(result.hunks[0].fate, Fate::absorbed);
    EXPECT_EQ(result.hunks[0].local, (LineRange{9, 1}));
    EXPECT_EQ(result.hunks[0].upstream, (LineRange{10, 1}));
    EXPECT_EQ(result.hunks[1].fate, Fate::conflict);
    EXPECT_EQ(result.hunks[1].local, (LineRange{10, 5}));
    EXPECT_EQ(result.hunks[1].upstream, (LineRange{11, 5}));
    EXPECT_EQ(result.hunks[1].base, (LineRange{9, 7}));
    EXPECT_EQ(result.hunks[2].fate, Fate::absorbed);
    EXPECT_EQ(result.hunks[2].local, (LineRange{15, 1}));
    EXPECT_EQ(result.hunks[2].upstream, (LineRange{16, 1}));
}

TEST(TextMerge, PlacesCleanHunksAroundMarkers) {
    const auto local = set_line(set_line(base, 10, "MINE"), 25, "CLEAN");
    const auto result = merged(base, set_line(base, 10, "UP"), local);
    EXPECT_FALSE(result.clean);
    ASSERT_EQ(result.hunks.size(), 2U);
    EXPECT_EQ(result.hunks[0].fate, Fate::conflict);
    EXPECT_EQ(result.hunks[1].fate, Fate::kept);
    EXPECT_EQ(result.hunks[1].result, (LineRange{24 + 4 + 2, 1})); // four markers, two more versions of the line
}

TEST(TextMerge, UnionTakesBothAndSaysSo) {
    const auto local = set_line(insert_before(base, 10, "mine\n"), 26, "LATER");
    git::MergeOptions options;
    options.favor = git::MergeFavor::union_of_both;
    const auto result = merged(base, insert_before(base, 10, "up\nup too\n"), local, options);
    EXPECT_TRUE(result.clean);
    ASSERT_EQ(result.hunks.size(), 2U);
    EXPECT_EQ(result.hunks[0].fate, Fate::merged);
    EXPECT_EQ(result.hunks[0].reason, "the lines of both sides are in");
    EXPECT_EQ(result.hunks[0].result, (LineRange{11, 1}));
    EXPECT_EQ(result.hunks[1].result, (LineRange{27, 1}));
}

TEST(TextMerge, AFavouredSideResolves) {
    const auto local = set_line(base, 10, "mine");
    git::MergeOptions options;
    options.favor = git::MergeFavor::theirs;
    const auto theirs = merged(base, set_line(base, 10, "up"), local, options);
    EXPECT_TRUE(theirs.clean);
    EXPECT_EQ(theirs.hunks.at(0).fate, Fate::resolved);
    EXPECT_EQ(theirs.hunks.at(0).result, (LineRange{9, 1}));
    options.favor = git::MergeFavor::ours;
    const auto ours = merged(base, set_line(base, 10, "up"), local, options);
    EXPECT_EQ(ours.hunks.at(0).fate, Fate::resolved);
    EXPECT_EQ(ours.hunks.at(0).result, std::nullopt);
}

TEST(TextMerge, HasNothingToSayOfBinaries) {
    const std::string binary("a\0b\n", 4);
    EXPECT_EQ(merge_text(base, base, binary, {}), std::nullopt);
    EXPECT_EQ(merge_text(binary, base, base, {}), std::nullopt);
}

TEST(TextMerge, EmptyFilesAndMissingNewlines) {
    const auto both_empty = merged("", "", "a\n");
    EXPECT_TRUE(both_empty.clean);
    EXPECT_EQ(both_empty.hunks.at(0).result, (LineRange{0, 1}));
    const auto emptied = merged("a\n", "a\n", "");
    EXPECT_TRUE(emptied.clean);
    EXPECT_EQ(emptied.bytes, "");
    EXPECT_EQ(emptied.hunks.at(0).base, (LineRange{0, 1}));
    EXPECT_EQ(emptied.hunks.at(0).local, (LineRange{0, 0}));
    const auto no_newline = merged("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\ne");
    EXPECT_TRUE(no_newline.clean);
    EXPECT_EQ(no_newline.bytes, "A\nb\nc\nd\ne");
    EXPECT_EQ(no_newline.hunks.at(0).local, (LineRange{4, 1}));
    EXPECT_TRUE(merged("a\n", "b\n", "a\n").hunks.empty());
}

TEST(HunksOf, OneSideOnly) {
    const auto local = insert_before(set_line(base, 3, "x"), 10, "y\n");
    const auto kept = hunks_of(base, local, Fate::kept);
    ASSERT_EQ(kept.size(), 2U);
    EXPECT_EQ(kept[1].fate, Fate::kept);
    EXPECT_EQ(kept[1].base, (LineRange{9, 0}));
    EXPECT_EQ(kept[1].upstream, (LineRange{9, 0}));
    EXPECT_EQ(kept[1].local, (LineRange{9, 1}));
    EXPECT_EQ(kept[1].result, (LineRange{9, 1}));
    const auto absorbed = hunks_of(base, local, Fate::absorbed);
    ASSERT_EQ(absorbed.size(), 2U);
    EXPECT_EQ(absorbed[1].upstream, (LineRange{9, 1}));
    EXPECT_EQ(absorbed[1].reason, "upstream has it");
    const auto conflict = hunks_of(base, local, Fate::conflict);
    ASSERT_EQ(conflict.size(), 2U);
    EXPECT_EQ(conflict[0].result, std::nullopt);
}

TEST(HunkFates, GitHasTheLastWord) {
    std::vector<HunkOutcome> hunks(2);
    hunks[0].fate = Fate::kept;
    hunks[1].fate = Fate::conflict;
    follow_verdict(true, hunks);
    EXPECT_EQ(hunks[0].fate, Fate::kept);
    EXPECT_EQ(hunks[1].fate, Fate::merged);
    follow_verdict(false, hunks); // the hunk beside upstream's change is the likeliest
    EXPECT_EQ(hunks[0].fate, Fate::kept);
    EXPECT_EQ(hunks[1].fate, Fate::conflict);
}

} // namespace
} // namespace carry::merge
