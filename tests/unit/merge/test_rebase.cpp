#include "merge/rebase.hpp"
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string text = numbered("line", 30);

std::string with(std::size_t line, std::string_view words, const std::string& bytes = text) {
    return set_line(bytes, line, words);
}

/// An upstream of two commits, and a chain on the first of them that is built step by step.
class Rebase : public ::testing::Test {
protected:
    void world(const ScratchFiles& base, const ScratchFiles& upstream) {
        m_base = m_tip = m_scratch.commit(m_scratch.tree(base), {}, "base\n");
        m_tree = m_scratch.tree(base);
        m_onto = m_scratch.commit(m_scratch.tree(upstream), {m_base}, "upstream\n");
    }

    void commit(const std::string& label, const ScratchFiles& files) {
        auto next = link(Layer::commit, label, files);
        m_tip = next.commit = m_scratch.commit(next.after, {m_tip}, label + "\n");
        m_links.push_back(std::move(next));
    }
    void layer(Layer layer, const ScratchFiles& files) {
        m_links.push_back(link(layer, std::string(to_string(layer)), files));
    }
    ChainLink link(Layer layer, const std::string& label, const ScratchFiles& files) {
        ChainLink next;
        next.layer = layer;
        next.label = label;
        next.before = m_tree;
        next.after = m_tree = m_scratch.tree(files);
        return next;
    }

    RebasedChain rebase(ConflictMode mode = ConflictMode::set_aside, const std::string& committer = {}) {
        return rebase_chain(m_scratch.repository(),
                            {.base = m_base, .onto = m_onto, .links = m_links, .mode = mode, .committer = committer});
    }
    ScratchFiles files(const git::ObjectId& tree) { return m_scratch.content(tree); }
    git::Commit read(const git::ObjectId& id) { return git::read_commit(m_scratch.repository().objects(), id); }

    ScratchRepository m_scratch;
    git::ObjectId m_base, m_onto, m_tip, m_tree;
    std::vector<ChainLink> m_links;
};

TEST_F(Rebase, CarriesEveryLayerOnTheOneBefore) {
    world({{"a", text}}, {{"a", with(28, "upstream")}});
    commit("one", {{"a", with(3, "committed")}});
    layer(Layer::staged, {{"a", with(8, "staged", with(3, "committed"))}});
    layer(Layer::unstaged, {{"a", with(13, "unstaged", with(8, "staged", with(3, "committed")))}});
    layer(Layer::untracked, {{"a", with(13, "unstaged", with(8, "staged", with(3, "committed")))}, {"note", "n\n"}});
    const auto chain = rebase();
    EXPECT_TRUE(chain.clean());
    const auto committed = with(28, "upstream", with(3, "committed"));
    EXPECT_EQ(files(chain.head_tree), (ScratchFiles{{"a", committed}}));
    EXPECT_EQ(files(chain.staged_tree), (ScratchFiles{{"a", with(8, "staged", committed)}}));
    EXPECT_EQ(files(chain.unstaged_tree), (ScratchFiles{{"a", with(13, "unstaged", with(8, "staged", committed))}}));
    EXPECT_EQ(files(chain.untracked_tree),
              (ScratchFiles{{"a", with(13, "unstaged", with(8, "staged", committed))}, {"note", "n\n"}}));
    const auto rebased = read(chain.head);
    EXPECT_THAT(rebased.parents, ElementsAre(m_onto));
    EXPECT_EQ(rebased.tree, chain.head_tree);
    EXPECT_EQ(rebased.message, "one\n");
    EXPECT_EQ(rebased.author, read(m_tip).author);
    EXPECT_EQ(rebased.committer, read(m_tip).committer);
}

TEST_F(Rebase, NothingNewKeepsEveryId) {
    world({{"a", text}}, {{"a", text}});
    m_onto = m_base;
    commit("one", {{"a", with(3, "one")}});
    commit("two", {{"a", with(3, "two")}});
    const auto chain = rebase(ConflictMode::set_aside, "S Omebody <s@example.com> 1800000000 +0000");
    EXPECT_EQ(chain.head, m_tip);
    EXPECT_EQ(chain.links.at(0).new_commit, m_links.at(0).commit);
    EXPECT_EQ(chain.staged_tree, m_tree);
}

TEST_F(Rebase, NamesTheCommitterAndDropsSignatures) {
    world({{"a", text}}, {{"a", text}, {"b", "b\n"}});
    commit("one", {{"a", with(3, "one")}});
    auto signed_commit = read(m_tip);
    signed_commit.extra = {{"gpgsig", "-----BEGIN\n -----END"}, {"x-other", "kept"}};
    signed_commit.encoding = "ISO-8859-1";
    signed_commit.message = "\xc4nderung\n";
    m_links.back().commit = m_scratch.repository().objects().write(git::ObjectType::commit, signed_commit.serialize());
    const auto rebased = read(rebase(ConflictMode::set_aside, "S Omebody <s@example.com> 1800000000 +0000").head);
    EXPECT_EQ(rebased.committer, "S Omebody <s@example.com> 1800000000 +0000");
    EXPECT_EQ(rebased.author, signed_commit.author);
    EXPECT_EQ(rebased.encoding, "ISO-8859-1");
    EXPECT_EQ(rebased.message, "\xc4nderung\n");
    ASSERT_EQ(rebased.extra.size(), 1U);
    EXPECT_EQ(rebased.extra[0].first, "x-other");
}

TEST_F(Rebase, DropsWhatUpstreamHas) {
    world({{"a", text}, {"b", text}}, {{"a", with(3, "fix")}, {"b", text}});
    commit("fix", {{"a", with(3, "fix")}, {"b", text}});
    commit("mine", {{"a", with(3, "fix")}, {"b", with(3, "mine")}});
    const auto chain = rebase();
    EXPECT_TRUE(chain.links.at(0).dropped);
    EXPECT_TRUE(chain.links.at(0).new_commit.is_null());
    EXPECT_FALSE(chain.links.at(1).dropped);
    EXPECT_THAT(read(chain.head).parents, ElementsAre(m_onto));
    EXPECT_TRUE(chain.clean());
}

TEST_F(Rebase, KeepsACommitThatWasEmptyFromTheStart) {
    world({{"a", text}}, {{"a", with(3, "new")}});
    commit("empty", {{"a", text}});
    const auto chain = rebase();
    EXPECT_FALSE(chain.links.at(0).dropped);
    EXPECT_EQ(read(chain.head).message, "empty\n");
}

TEST_F(Rebase, FollowsRenamesThroughTheWholeChain) {
    world({{"src/a", text}, {"src/b", "b\n"}}, {{"lib/a", with(28, "upstream")}, {"lib/b", "b\n"}});
    commit("edit", {{"src/a", with(3, "one")}, {"src/b", "b\n"}});
    commit("add", {{"src/a", with(3, "one")}, {"src/b", "b\n"}, {"src/new", "1\n"}});
    layer(Layer::unstaged, {{"src/a", with(8, "x", with(3, "one"))}, {"src/b", "b\n"}, {"src/new", "2\n"}});
    const auto chain = rebase();
    EXPECT_TRUE(chain.clean());
    const auto edited = with(8, "x", with(3, "one", with(28, "upstream")));
    EXPECT_EQ(files(chain.untracked_tree), (ScratchFiles{{"lib/a", edited}, {"lib/b", "b\n"}, {"lib/new", "2\n"}}));
    EXPECT_EQ(chain.map.map("src/new"), "lib/new");
}

TEST_F(Rebase, ALocalRenameGoesOnInLaterLinks) {
    world({{"a", text}}, {{"a", with(28, "upstream")}});
    commit("rename", {{"b", text}});
    layer(Layer::staged, {{"b", with(3, "staged")}});
    const auto chain = rebase();
    EXPECT_EQ(files(chain.staged_tree), (ScratchFiles{{"b", with(3, "staged", with(28, "upstream"))}}));
    EXPECT_TRUE(chain.clean());
}

// Setting aside.

TEST_F(Rebase, ACommitInConflictStaysOutAndTakesLaterOnesOnItsPathsAlong) {
    world({{"a", text}, {"b", text}, {"c", text}}, {{"a", with(3, "upstream")}, {"b", text}, {"c", text}});
    commit("collides", {{"a", with(3, "mine")}, {"b", with(3, "mine")}, {"c", text}});
    commit("follows", {{"a", with(3, "mine")}, {"b", with(8, "x", with(3, "mine"))}, {"c", text}});
    commit("free", {{"a", with(3, "mine")}, {"b", with(8, "x", with(3, "mine"))}, {"c", with(3, "free")}});
    layer(Layer::unstaged,
          {{"a", with(3, "mine")}, {"b", with(9, "y", with(3, "mine"))}, {"c", with(4, "u", with(3, "free"))}});
    const auto chain = rebase();
    ASSERT_EQ(chain.links.size(), 4U);
    EXPECT_FALSE(chain.clean());
    EXPECT_TRUE(chain.links[0].set_aside);
    EXPECT_EQ(chain.links[0].needs, "");
    EXPECT_FALSE(chain.links[0].merge.clean());
    EXPECT_TRUE(chain.links[1].set_aside);
    EXPECT_EQ(chain.links[1].needs, "collides");
    EXPECT_EQ(chain.links[1].merge.paths.at(0).fate, Fate::parked);
    EXPECT_FALSE(chain.links[2].set_aside);
    EXPECT_THAT(chain.links[3].set_aside_paths, ElementsAre("b"));
    EXPECT_EQ(chain.links[3].needs, "collides");
    EXPECT_EQ(files(chain.head_tree), (ScratchFiles{{"a", with(3, "upstream")}, {"b", text}, {"c", with(3, "free")}}));
    EXPECT_EQ(files(chain.untracked_tree).at("c").bytes, with(4, "u", with(3, "free")));
    EXPECT_THAT(read(chain.head).parents, ElementsAre(m_onto));
}

TEST_F(Rebase, StagedAndUnstagedChangesOfAPathStayOutTogether) {
    world({{"a", text}, {"b", text}, {"c", text}},
          {{"a", with(3, "upstream")}, {"b", with(8, "upstream")}, {"c", text}});
    layer(Layer::staged, {{"a", with(3, "staged")}, {"b", with(3, "staged")}, {"c", with(3, "staged")}});
    layer(Layer::unstaged, {{"a", with(20, "unstaged", with(3, "staged"))},
                            {"b", with(8, "unstaged", with(3, "staged"))},
                            {"c", with(20, "unstaged", with(3, "staged"))}});
    const auto chain = rebase();
    const auto& staged = chain.links.at(0);
    const auto& unstaged = chain.links.at(1);
    EXPECT_THAT(staged.set_aside_paths, ElementsAre("a", "b"));
    EXPECT_THAT(unstaged.set_aside_paths, ElementsAre("a", "b"));
    ASSERT_EQ(staged.merge.paths.size(), 3U);
    EXPECT_TRUE(staged.merge.paths[0].conflict);
    EXPECT_EQ(staged.merge.paths[1].fate, Fate::parked);
    EXPECT_EQ(staged.merge.paths[2].fate, Fate::kept);
    EXPECT_EQ(unstaged.merge.paths.at(0).fate, Fate::parked);
    EXPECT_TRUE(unstaged.merge.paths.at(1).conflict);
    EXPECT_EQ(files(chain.staged_tree),
              (ScratchFiles{{"a", with(3, "upstream")}, {"b", with(8, "upstream")}, {"c", with(3, "staged")}}));
    EXPECT_EQ(files(chain.unstaged_tree).at("b").bytes, with(8, "upstream"));
    EXPECT_EQ(files(chain.unstaged_tree).at("c").bytes, with(20, "unstaged", with(3, "staged")));
}

TEST_F(Rebase, AnUntrackedFileInConflictStaysOutAlone) {
    world({}, {{"a", "upstream\n"}, {"same", "same\n"}});
    layer(Layer::untracked, {{"a", "mine\n"}, {"b", "b\n"}, {"same", "same\n"}});
    layer(Layer::ignored, {{"a", "mine\n"}, {"b", "b\n"}, {"same", "same\n"}, {"c", "c\n"}});
    const auto chain = rebase();
    EXPECT_THAT(chain.links.at(0).set_aside_paths, ElementsAre("a"));
    EXPECT_THAT(chain.links.at(1).set_aside_paths, IsEmpty());
    EXPECT_EQ(files(chain.untracked_tree),
              (ScratchFiles{{"a", "upstream\n"}, {"b", "b\n"}, {"c", "c\n"}, {"same", "same\n"}}));
    EXPECT_TRUE(files(chain.unstaged_tree).contains("a"));
}

TEST_F(Rebase, ARenameThatStaysOutKeepsBothNamesOut) {
    world({{"a", text}}, {{"a", with(3, "upstream")}});
    commit("rename", {{"b", with(3, "mine")}});
    layer(Layer::unstaged, {{"b", with(20, "more", with(3, "mine"))}});
    const auto chain = rebase();
    EXPECT_TRUE(chain.links.at(0).set_aside);
    EXPECT_THAT(chain.links.at(1).set_aside_paths, ElementsAre("b"));
    EXPECT_EQ(files(chain.untracked_tree), (ScratchFiles{{"a", with(3, "upstream")}}));
}

// Parked patches that are tried again.

TEST_F(Rebase, AParkedPatchComesBackWhereItMerges) {
    world({{"a", with(3, "upstream")}}, {{"a", text}});
    layer(Layer::unstaged, {{"a", with(20, "now", with(3, "upstream"))}});
    auto parked = m_links.back();
    parked.before = m_scratch.tree({{"a", text}});
    parked.after = m_scratch.tree({{"a", with(3, "parked")}});
    parked.parked_name = "old";
    m_links.push_back(parked);
    const auto chain = rebase();
    EXPECT_TRUE(chain.clean());
    EXPECT_EQ(files(chain.unstaged_tree).at("a").bytes, with(20, "now", with(3, "parked")));
}

TEST_F(Rebase, AParkedPatchThatStillCollidesLeavesTheOthersAlone) {
    world({{"a", with(3, "upstream")}}, {{"a", with(3, "upstream again")}});
    layer(Layer::staged, {{"a", with(20, "now", with(3, "upstream"))}});
    auto parked = m_links.back();
    parked.before = m_scratch.tree({{"a", text}});
    parked.after = m_scratch.tree({{"a", with(3, "parked")}});
    parked.parked_name = "old";
    m_links.push_back(parked);
    layer(Layer::unstaged, {{"a", with(25, "more", with(20, "now", with(3, "upstream")))}});
    const auto chain = rebase();
    EXPECT_THAT(chain.links.at(0).set_aside_paths, IsEmpty());
    EXPECT_THAT(chain.links.at(1).set_aside_paths, ElementsAre("a"));
    EXPECT_THAT(chain.links.at(2).set_aside_paths, IsEmpty());
    EXPECT_EQ(files(chain.unstaged_tree).at("a").bytes, with(25, "more", with(20, "now", with(3, "upstream again"))));
}

TEST_F(Rebase, AParkedPatchMakesRoomForWhatIsCarriedNow) {
    world({{"a", text}}, {{"a", text}, {"b", "b\n"}});
    auto parked = link(Layer::commit, "old", {{"a", with(3, "parked")}});
    parked.commit = m_scratch.commit(parked.after, {m_base}, "old\n");
    parked.parked_name = "old";
    m_tree = parked.before;
    m_links.push_back(parked);
    layer(Layer::unstaged, {{"a", with(3, "now")}});
    const auto chain = rebase();
    EXPECT_TRUE(chain.links.at(0).set_aside);
    EXPECT_EQ(chain.links.at(0).merge.paths.at(0).note, "collides with what is carried now");
    EXPECT_THAT(chain.links.at(1).set_aside_paths, IsEmpty());
    EXPECT_EQ(files(chain.unstaged_tree).at("a").bytes, with(3, "now"));
    EXPECT_EQ(chain.head, m_onto);
}

// Halting.

TEST_F(Rebase, HaltsAtTheFirstCommitInConflict) {
    world({{"a", text}, {"b", text}}, {{"a", with(3, "upstream")}, {"b", text}});
    commit("clean", {{"a", text}, {"b", with(3, "clean")}});
    commit("collides", {{"a", with(3, "mine")}, {"b", with(8, "also", with(3, "clean"))}});
    commit("later", {{"a", with(3, "mine")}, {"b", with(9, "later", with(3, "clean"))}});
    layer(Layer::unstaged, {{"a", text}, {"b", text}});
    const auto chain = rebase(ConflictMode::halt);
    EXPECT_TRUE(chain.halted);
    ASSERT_EQ(chain.links.size(), 2U);
    EXPECT_EQ(chain.head, chain.links[0].new_commit);
    EXPECT_EQ(files(chain.head_tree), (ScratchFiles{{"a", with(3, "upstream")}, {"b", with(3, "clean")}}));
    EXPECT_EQ(chain.untracked_tree, chain.head_tree);
    const auto& conflict = chain.links[1].merge.paths.at(0).conflict;
    ASSERT_TRUE(conflict);
    EXPECT_THAT(m_scratch.bytes(*conflict->marked), HasSubstr(">>>>>>> collides\n"));
    EXPECT_EQ(files(chain.links[1].merge.tree).at("b").bytes, with(8, "also", with(3, "clean")));
}

TEST_F(Rebase, AStagedConflictTakesItsUnstagedChangeAlong) {
    world({{"a", text}, {"b", text}}, {{"a", with(3, "upstream")}, {"b", text}});
    layer(Layer::staged, {{"a", with(3, "staged")}, {"b", with(3, "staged")}});
    layer(Layer::unstaged,
          {{"a", with(20, "unstaged", with(3, "staged"))}, {"b", with(20, "unstaged", with(3, "staged"))}});
    const auto chain = rebase(ConflictMode::halt);
    ASSERT_EQ(chain.links.size(), 2U);
    const auto& path = chain.links[0].merge.paths.at(0);
    ASSERT_TRUE(path.conflict);
    EXPECT_THAT(path.note, HasSubstr("could not be kept apart"));
    EXPECT_THAT(m_scratch.bytes(*path.conflict->marked), HasSubstr("line 19\nunstaged\nline 21\n"));
    ASSERT_EQ(chain.links[1].merge.paths.size(), 1U);
    EXPECT_EQ(chain.links[1].merge.paths[0].path, "b");
    EXPECT_EQ(files(chain.unstaged_tree),
              (ScratchFiles{{"a", with(3, "upstream")}, {"b", with(20, "unstaged", with(3, "staged"))}}));
}

TEST_F(Rebase, WhatMergesWithItsUnstagedChangeIsUnstaged) {
    world({{"a", text}}, {{"a", with(3, "upstream")}});
    layer(Layer::staged, {{"a", with(3, "staged")}});
    layer(Layer::unstaged, {{"a", with(20, "unstaged")}}); // takes line 3 back
    const auto chain = rebase(ConflictMode::halt);
    EXPECT_TRUE(chain.clean());
    EXPECT_EQ(files(chain.staged_tree), (ScratchFiles{{"a", with(3, "upstream")}}));
    EXPECT_EQ(files(chain.unstaged_tree), (ScratchFiles{{"a", with(20, "unstaged", with(3, "upstream"))}}));
}

TEST_F(Rebase, AnUnstagedConflictLeavesTheStagedChangeAlone) {
    world({{"a", text}}, {{"a", with(20, "upstream")}});
    layer(Layer::staged, {{"a", with(3, "staged")}});
    layer(Layer::unstaged, {{"a", with(20, "unstaged", with(3, "staged"))}});
    const auto chain = rebase(ConflictMode::halt);
    EXPECT_TRUE(chain.links.at(0).merge.clean());
    const auto& conflict = chain.links.at(1).merge.paths.at(0).conflict;
    ASSERT_TRUE(conflict);
    EXPECT_EQ(m_scratch.bytes(*conflict->stages.ours), with(3, "staged", with(20, "upstream")));
    EXPECT_EQ(files(chain.unstaged_tree), files(chain.staged_tree));
}

TEST_F(Rebase, AFileRemovedFromTheIndexAloneStaysOnDisk) {
    world({{"config", text}}, {{"config", with(20, "upstream")}});
    layer(Layer::staged, {});
    layer(Layer::ignored, {{"config", with(3, "secret")}});
    const auto chain = rebase(ConflictMode::halt);
    const auto& removed = chain.links.at(0).merge.paths.at(0);
    ASSERT_TRUE(removed.conflict);
    EXPECT_EQ(removed.conflict->kind, ConflictKind::deleted_here);
    EXPECT_EQ(m_scratch.bytes(*removed.conflict->marked), with(3, "secret"));
    const auto& kept = chain.links.at(1).merge.paths.at(0);
    EXPECT_EQ(kept.new_path, "config");
    EXPECT_FALSE(kept.conflict);
}

TEST_F(Rebase, WhatWasRenamedAwayFromAConflictIsNotLost) {
    world({{"a", text}}, {{"a", with(3, "upstream")}});
    layer(Layer::staged, {{"a", with(3, "staged")}});
    layer(Layer::unstaged, {{"b", with(3, "staged")}});
    const auto chain = rebase(ConflictMode::halt);
    EXPECT_FALSE(chain.clean());
    EXPECT_EQ(files(chain.unstaged_tree).at("b").bytes, with(3, "staged"));
}

// Moves that git was not told of.

TEST_F(Rebase, AMoveWithoutGitTakesUpstreamsChangesAlong) {
    for (const auto mode : {ConflictMode::set_aside, ConflictMode::halt}) {
        m_links.clear();
        world({{"a", text}, {"b", "b\n"}}, {{"a", with(20, "upstream")}, {"b", "b\n"}});
        layer(Layer::staged, {{"a", with(5, "staged")}, {"b", "b\n"}});
        layer(Layer::unstaged, {{"b", "b\n"}});
        layer(Layer::untracked, {{"b", "b\n"}, {"d/moved", with(8, "edited", with(5, "staged"))}, {"other", "o\n"}});
        const auto chain = rebase(mode);
        EXPECT_TRUE(chain.clean());
        EXPECT_EQ(files(chain.unstaged_tree), (ScratchFiles{{"b", "b\n"}}));
        EXPECT_EQ(files(chain.staged_tree).at("a").bytes, with(5, "staged", with(20, "upstream")));
        EXPECT_EQ(files(chain.untracked_tree).at("d/moved").bytes,
                  with(8, "edited", with(5, "staged", with(20, "upstream"))));
        EXPECT_EQ(chain.links.at(1).merge.paths.at(0).note, "moved to 'd/moved'");
        const auto& moved = chain.links.at(2).merge.paths.at(0);
        EXPECT_EQ(moved.old_path, "a");
        EXPECT_EQ(moved.new_path, "d/moved");
        EXPECT_EQ(moved.change(), "renamed");
    }
}

TEST_F(Rebase, AMoveWithoutGitInConflictIsADeletionAndANewFile) {
    for (const auto mode : {ConflictMode::set_aside, ConflictMode::halt}) {
        m_links.clear();
        world({{"a", text}}, {{"a", with(3, "upstream")}});
        layer(Layer::unstaged, {});
        layer(Layer::untracked, {{"moved", with(3, "mine")}});
        const auto chain = rebase(mode);
        const auto& deleted = chain.links.at(0).merge.paths.at(0);
        ASSERT_TRUE(deleted.conflict);
        EXPECT_EQ(deleted.conflict->kind, ConflictKind::deleted_here);
        EXPECT_TRUE(chain.links.at(1).merge.clean());
        EXPECT_EQ(files(chain.untracked_tree), (ScratchFiles{{"a", with(3, "upstream")}, {"moved", with(3, "mine")}}));
    }
}

TEST_F(Rebase, AMoveWithoutGitOfWhatUpstreamLeftAloneIsNotLookedFor) {
    world({{"a", text}}, {{"a", text}, {"b", "b\n"}});
    layer(Layer::unstaged, {});
    layer(Layer::untracked, {{"moved", text}});
    const auto chain = rebase();
    EXPECT_TRUE(chain.clean());
    EXPECT_EQ(files(chain.untracked_tree), (ScratchFiles{{"b", "b\n"}, {"moved", text}}));
    EXPECT_EQ(chain.links.at(1).merge.paths.at(0).change(), "added");
}

// Merging instead of rebasing.

TEST_F(Rebase, MakesAMergeCommitOfTheNetChange) {
    world({{"a", text}}, {{"a", with(20, "upstream")}});
    commit("one", {{"a", with(3, "one")}});
    m_links.back().merge_parents = {m_tip, m_onto};
    m_links.back().merge_message = "Merge upstream\n";
    const auto chain = rebase(ConflictMode::set_aside, "S Omebody <s@example.com> 1800000000 +0000");
    const auto merge = read(chain.head);
    EXPECT_THAT(merge.parents, ElementsAre(m_tip, m_onto));
    EXPECT_EQ(merge.message, "Merge upstream\n");
    EXPECT_EQ(merge.author, "S Omebody <s@example.com> 1800000000 +0000");
    EXPECT_EQ(files(merge.tree).at("a").bytes, with(3, "one", with(20, "upstream")));
}

} // namespace
} // namespace carry::merge
