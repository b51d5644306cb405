#include "base/text.hpp"
#include "merge/chunk_text.hpp"
#include "merge/sequence_diff.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace carry::merge {
namespace {

std::string told(const Items& before, const Items& after) {
    std::string text;
    for (const auto& change : diff_sequences(before, after))
        text += std::to_string(change.before.start) + "+" + std::to_string(change.before.count) + ">" +
                std::to_string(change.after.start) + "+" + std::to_string(change.after.count) + " ";
    return text;
}

TEST(SequenceDiff, FindsNothingInEqualSequences) {
    EXPECT_EQ(told({}, {}), "");
    EXPECT_EQ(told({"a", "b"}, {"a", "b"}), "");
}

TEST(SequenceDiff, TellsInsertionsRemovalsAndReplacements) {
    EXPECT_EQ(told({}, {"a"}), "0+0>0+1 ");
    EXPECT_EQ(told({"a"}, {}), "0+1>0+0 ");
    EXPECT_EQ(told({"a", "b", "c"}, {"a", "x", "c"}), "1+1>1+1 ");
    EXPECT_EQ(told({"a", "b", "c", "d"}, {"b", "c", "x", "y", "d"}), "0+1>0+0 3+0>2+2 ");
}

TEST(SequenceDiff, AnchorsOnTheItemThatIsRarest) {
    // the function moves as a whole; its braces alone would match as well
    const Items before = {"{", "one", "}", "{", "two", "}"};
    const Items after = {"{", "two", "}", "{", "one", "}"};
    EXPECT_EQ(told(before, after), "1+3>1+0 6+0>3+3 ");
}

TEST(SequenceDiff, SlidesAGroupDownAsGitDoes) {
    EXPECT_EQ(told({"a", "b"}, {"a", "a", "b"}), "1+0>1+1 ");
    EXPECT_EQ(told({"x", "", "y"}, {"x", "", "z", "", "y"}), "2+0>2+2 ");
}

TEST(SequenceDiff, TakesAllForChangedWhereOnlyFrequentItemsAreCommon) {
    Items before(100, "same");
    Items after(101, "same");
    after[50] = "other";
    EXPECT_EQ(told(before, after), "0+100>0+101 ");
}

TEST(SequenceDiff, ItsChangesLeadFromOneSequenceToTheOther) {
    std::mt19937 random(7);
    const auto any = [&random](std::size_t most) {
        return std::uniform_int_distribution<std::size_t>(0, most)(random);
    };
    const Items letters = {"a", "b", "c", "d", "e"};
    for (int round = 0; round < 500; ++round) {
        Items before(any(12));
        Items after(any(12));
        for (auto* items : {&before, &after})
            for (auto& item : *items)
                item = letters[any(letters.size() - 1)];
        std::string replayed;
        std::size_t at = 0;
        for (const auto& change : diff_sequences(before, after)) {
            ASSERT_GE(change.before.start, at);
            replayed += bytes_of(items_of(before, {at, change.before.start - at}));
            replayed += bytes_of(items_of(after, change.after));
            at = change.before.end();
        }
        replayed += bytes_of(items_of(before, {at, before.size() - at}));
        ASSERT_EQ(replayed, bytes_of(after)) << "from " << bytes_of(before);
    }
}

} // namespace
} // namespace carry::merge
