#include "base/text.hpp"
#include "merge/tree_merge.hpp"
#include "scratch_trees.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carry::merge {
namespace {

using test::executable;
using test::link_to;
using test::numbered;
using test::ScratchFile;
using test::ScratchFiles;
using test::ScratchRepository;
using test::set_line;
using test::submodule_at;
using ::testing::HasSubstr;

const std::string base_text = numbered("line", 30);
const std::string upstream_text = set_line(base_text, 25, "line 25 upstream");
const std::string local_text = set_line(base_text, 3, "line 3 mine");
const std::string both_text = set_line(upstream_text, 3, "line 3 mine");

/// A merge and where it was made.
struct Merged {
    ScratchRepository& scratch;
    LinkMerge merge;
    PathMap map;

    [[nodiscard]] const PathOutcome& only() const {
        EXPECT_EQ(merge.paths.size(), 1U);
        return merge.paths.at(0);
    }
    [[nodiscard]] const PathOutcome& at(std::string_view display_path) const {
        for (const auto& path : merge.paths) {
            if (path.display_path() == display_path)
                return path;
        }
        throw std::out_of_range(std::string(display_path));
    }
    [[nodiscard]] ScratchFiles files() const { return scratch.content(merge.tree); }
    [[nodiscard]] std::string marked() const { return scratch.bytes(only().conflict->marked.value()); }
};

Merged merged(ScratchRepository& scratch, const ScratchFiles& base, const ScratchFiles& upstream,
              const ScratchFiles& local) {
    const auto before = scratch.tree(base);
    const auto after = scratch.tree(local);
    const auto onto = scratch.tree(upstream);
    std::vector<std::string> touched;
    std::vector<std::string> added;
    for (const auto& change : scratch.repository().trees().diff(before, after))
        (change.before ? touched : added).push_back(change.path);
    auto map = upstream_renames(scratch.repository(), before, onto, touched, added);
    auto merge = merge_link(scratch.repository(), {.before = before, .after = after, .onto = onto, .map = &map});
    return {scratch, std::move(merge), std::move(map)};
}

/// Every rule holds on both object stores.
class TreeMerge : public ::testing::TestWithParam<bool> {
protected:
    Merged merge(const ScratchFiles& base, const ScratchFiles& upstream, const ScratchFiles& local) {
        return merged(m_scratch, base, upstream, local);
    }
    ScratchRepository m_scratch{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Stores, TreeMerge, ::testing::Bool(),
                         [](const auto& store) { return store.param ? "program" : "libgit2"; });

void expect_conflict(const Merged& result, ConflictKind kind) {
    const auto& path = result.only();
    ASSERT_TRUE(path.conflict);
    EXPECT_EQ(path.conflict->kind, kind) << to_string(path.conflict->kind);
    EXPECT_EQ(path.fate, Fate::conflict);
    EXPECT_FALSE(path.merged);
    EXPECT_FALSE(result.merge.clean());
    EXPECT_FALSE(path.conflict->message.empty());
}

TEST_P(TreeMerge, KeepsWhatUpstreamLeftAlone) {
    const auto result = merge({{"a", base_text}}, {{"a", base_text}, {"b", "new\n"}}, {{"a", local_text}});
    EXPECT_EQ(result.files(), (ScratchFiles{{"a", local_text}, {"b", "new\n"}}));
    EXPECT_EQ(result.only().fate, Fate::kept);
    EXPECT_EQ(result.only().change(), "modified");
    ASSERT_EQ(result.only().hunks.size(), 1U);
    EXPECT_EQ(result.only().hunks[0].base, (git::LineRange{2, 1}));
}

TEST_P(TreeMerge, MergesLinesOfBothSides) {
    const auto result = merge({{"a", base_text}}, {{"a", upstream_text}}, {{"a", local_text}});
    EXPECT_EQ(result.files(), (ScratchFiles{{"a", both_text}}));
    EXPECT_EQ(result.only().fate, Fate::kept);
    EXPECT_EQ(result.only().new_path, "a");
}

TEST_P(TreeMerge, AbsorbsWhatUpstreamHas) {
    const auto result = merge({{"a", base_text}, {"b", base_text}}, {{"a", local_text}, {"b", both_text}},
                              {{"a", local_text}, {"b", local_text}});
    EXPECT_EQ(result.files(), (ScratchFiles{{"a", local_text}, {"b", both_text}}));
    EXPECT_EQ(result.at("a").fate, Fate::absorbed);
    EXPECT_EQ(result.at("b").fate, Fate::absorbed);
    EXPECT_EQ(result.at("a").hunks.at(0).fate, Fate::absorbed);
    EXPECT_EQ(result.at("b").hunks.at(0).fate, Fate::absorbed);
}

TEST_P(TreeMerge, MarksLinesThatBothChanged) {
    const auto result =
        merge({{"a", base_text}}, {{"a", set_line(base_text, 3, "line 3 upstream")}}, {{"a", local_text}});
    expect_conflict(result, ConflictKind::content);
    const auto& conflict = *result.only().conflict;
    EXPECT_THAT(result.marked(), HasSubstr("<<<<<<< upstream\nline 3 upstream\n"));
    EXPECT_THAT(result.marked(), HasSubstr("\nline 3 mine\n>>>>>>> yours\n"));
    EXPECT_EQ(m_scratch.bytes(*conflict.stages.base), base_text);
    EXPECT_EQ(m_scratch.bytes(*conflict.stages.theirs), local_text);
    EXPECT_EQ(conflict.stages.ours, result.only().upstream);
    EXPECT_EQ(result.files().at("a").bytes, set_line(base_text, 3, "line 3 upstream"));
}

TEST_P(TreeMerge, MergesModesApartFromContents) {
    const auto result =
        merge({{"a", base_text}, {"b", base_text}}, {{"a", upstream_text}, {"b", executable(base_text)}},
              {{"a", executable(base_text)}, {"b", local_text}});
    EXPECT_EQ(result.files(), (ScratchFiles{{"a", executable(upstream_text)}, {"b", executable(local_text)}}));
    EXPECT_EQ(result.at("a").change(), "mode");
}

TEST_P(TreeMerge, AddsAndDeletes) {
    const auto result =
        merge({{"a", base_text}, {"b", "b\n"}}, {{"a", base_text}, {"b", "b\n"}}, {{"b", "b\n"}, {"d/new", "new\n"}});
    EXPECT_EQ(result.files(), (ScratchFiles{{"b", "b\n"}, {"d/new", "new\n"}}));
    EXPECT_EQ(result.at("a").change(), "deleted");
    EXPECT_EQ(result.at("a").new_path, "");
    EXPECT_EQ(result.at("a").fate, Fate::kept);
    EXPECT_EQ(result.at("d/new").change(), "added");
    EXPECT_EQ(result.at("d/new").fate, Fate::kept);
}

TEST_P(TreeMerge, AbsorbsTheSameAdditionAndDeletion) {
    const auto result = merge({{"gone", "x\n"}}, {{"new", "new\n"}}, {{"new", "new\n"}});
    EXPECT_TRUE(result.merge.clean());
    EXPECT_EQ(result.at("gone").fate, Fate::absorbed);
    EXPECT_EQ(result.at("new").fate, Fate::absorbed);
    EXPECT_EQ(result.files(), (ScratchFiles{{"new", "new\n"}}));
}

TEST_P(TreeMerge, BothAddedDifferently) {
    const auto result = merge({}, {{"a", "same\nupstream\n"}}, {{"a", "same\nmine\n"}});
    expect_conflict(result, ConflictKind::both_added);
    EXPECT_FALSE(result.only().conflict->stages.base);
    EXPECT_THAT(result.marked(), HasSubstr("same\n<<<<<<<"));
    EXPECT_THAT(result.marked(), HasSubstr("mine\n>>>>>>>"));
}

TEST_P(TreeMerge, BothAddedOneOfThemEmpty) {
    const auto result = merge({}, {{"a", ""}, {"b", "text\n"}}, {{"a", "text\n"}, {"b", ""}});
    EXPECT_TRUE(result.merge.clean());
    EXPECT_EQ(result.files(), (ScratchFiles{{"a", "text\n"}, {"b", "text\n"}}));
    EXPECT_EQ(result.at("b").fate, Fate::absorbed);
}

TEST_P(TreeMerge, BothAddedWithDifferentModes) {
    const auto result = merge({}, {{"a", "same\n"}}, {{"a", executable("same\n")}});
    expect_conflict(result, ConflictKind::mode);
    EXPECT_EQ(result.only().conflict->marked, m_scratch.entry("same\n"));
}

TEST_P(TreeMerge, DeletedUpstream) {
    const auto result = merge({{"a", base_text}}, {}, {{"a", local_text}});
    expect_conflict(result, ConflictKind::deleted_upstream);
    const auto& conflict = *result.only().conflict;
    EXPECT_EQ(result.marked(), local_text);
    EXPECT_TRUE(conflict.stages.base && !conflict.stages.ours && conflict.stages.theirs);
    EXPECT_EQ(result.only().new_path, "a");
    EXPECT_TRUE(result.files().empty());
}

TEST_P(TreeMerge, DeletedHere) {
    const auto result = merge({{"a", base_text}}, {{"a", upstream_text}}, {});
    expect_conflict(result, ConflictKind::deleted_here);
    const auto& conflict = *result.only().conflict;
    EXPECT_EQ(result.marked(), upstream_text);
    EXPECT_TRUE(conflict.stages.base && conflict.stages.ours && !conflict.stages.theirs);
    EXPECT_EQ(result.files(), (ScratchFiles{{"a", upstream_text}}));
}

TEST_P(TreeMerge, DeletedHereAndRenamedUpstream) {
    const auto result = merge({{"a", base_text}}, {{"b", base_text}}, {});
    expect_conflict(result, ConflictKind::deleted_here);
    EXPECT_EQ(result.only().new_path, "b");
    EXPECT_THAT(result.only().conflict->message, HasSubstr("'b'"));
}

TEST_P(TreeMerge, FollowsAnUpstreamRename) {
    const auto result = merge({{"src/a", base_text}}, {{"lib/b", upstream_text}}, {{"src/a", local_text}});
    EXPECT_EQ(result.files(), (ScratchFiles{{"lib/b", both_text}}));
    const auto& path = result.only();
    EXPECT_EQ(path.fate, Fate::moved);
    EXPECT_EQ(path.new_path, "lib/b");
    EXPECT_EQ(path.note, "upstream renamed it");
    EXPECT_EQ(path.hunks.at(0).fate, Fate::moved);
}

TEST_P(TreeMerge, AbsorbedIsStrongerThanMoved) {
    const auto result = merge({{"a", base_text}}, {{"b", local_text}}, {{"a", local_text}});
    EXPECT_EQ(result.only().fate, Fate::absorbed);
    EXPECT_EQ(result.only().new_path, "b");
}

TEST_P(TreeMerge, TakesALocalRenameAlong) {
    const auto result = merge({{"a", base_text}}, {{"a", upstream_text}}, {{"b", local_text}});
    EXPECT_EQ(result.files(), (ScratchFiles{{"b", both_text}}));
    const auto& path = result.only();
    EXPECT_TRUE(path.local_rename);
    EXPECT_EQ(path.change(), "renamed");
    EXPECT_EQ(path.old_path, "a");
    EXPECT_EQ(path.new_path, "b");
    EXPECT_EQ(path.fate, Fate::kept);
}

TEST_P(TreeMerge, APureRenameTakesUpstreamsContents) {
    const auto result = merge({{"a", base_text}}, {{"a", upstream_text}}, {{"b", base_text}});
    EXPECT_EQ(result.files(), (ScratchFiles{{"b", upstream_text}}));
    EXPECT_EQ(result.only().fate, Fate::kept);
}

TEST_P(TreeMerge, BothRenamedItAlike) {
    const auto result = merge({{"a", base_text}}, {{"b", upstream_text}}, {{"b", local_text}});
    EXPECT_EQ(result.files(), (ScratchFiles{{"b", both_text}}));
    EXPECT_EQ(result.only().fate, Fate::kept);
    const auto absorbed = merge({{"a", base_text}}, {{"b", upstream_text}}, {{"b", base_text}});
    EXPECT_EQ(absorbed.only().fate, Fate::absorbed);
    EXPECT_EQ(absorbed.files(), (ScratchFiles{{"b", upstream_text}}));
}

TEST_P(TreeMerge, RenamedTwice) {
    const auto result = merge({{"a", base_text}}, {{"up", upstream_text}}, {{"mine", local_text}});
    expect_conflict(result, ConflictKind::renamed_twice);
    EXPECT_EQ(result.only().new_path, "up");
    EXPECT_EQ(result.marked(), both_text);
    EXPECT_EQ(result.files(), (ScratchFiles{{"up", upstream_text}}));
    EXPECT_THAT(result.only().conflict->message, HasSubstr("'mine'"));
}

TEST_P(TreeMerge, RenamedHereDeletedUpstream) {
    const auto result = merge({{"a", base_text}}, {}, {{"b", local_text}});
    expect_conflict(result, ConflictKind::deleted_upstream);
    EXPECT_EQ(result.only().new_path, "b");
    EXPECT_EQ(result.marked(), local_text);
}

TEST_P(TreeMerge, RenamedOntoUpstreamsNewFile) {
    const auto result = merge({{"a", base_text}}, {{"a", base_text}, {"b", "other\n"}}, {{"b", local_text}});
    expect_conflict(result, ConflictKind::both_added);
    EXPECT_EQ(result.only().new_path, "b");
    EXPECT_EQ(result.files(), (ScratchFiles{{"a", base_text}, {"b", "other\n"}}));
}

TEST_P(TreeMerge, ANewFileFollowsItsDirectory) {
    auto result = merge({{"d/a", base_text}}, {{"e/a", base_text}}, {{"d/a", base_text}, {"d/new", "new\n"}});
    EXPECT_EQ(result.files(), (ScratchFiles{{"e/a", base_text}, {"e/new", "new\n"}}));
    EXPECT_EQ(result.only().fate, Fate::moved);
    EXPECT_EQ(result.only().note, "its directory was renamed upstream");
    EXPECT_EQ(result.map.map("d/new"), "e/new");
}

TEST_P(TreeMerge, TwoFilesForOneName) {
    const auto result = merge({{"d/a", base_text}}, {{"e/a", base_text}}, {{"d/a", local_text}, {"e/a", "mine\n"}});
    EXPECT_EQ(result.at("d/a").conflict->kind, ConflictKind::both_added);
    EXPECT_EQ(result.at("e/a").conflict->kind, ConflictKind::both_added);
    EXPECT_EQ(result.files(), (ScratchFiles{{"e/a", base_text}}));
}

TEST_P(TreeMerge, BinaryIsNeverMergedAsText) {
    const std::string nul(1, '\0');
    const auto result = merge({{"a", "PNG" + nul}}, {{"a", "PNG" + nul + "UPSTREAM"}}, {{"a", "PNG" + nul + "MINE"}});
    expect_conflict(result, ConflictKind::binary);
    EXPECT_TRUE(result.only().binary);
    EXPECT_EQ(result.marked(), "PNG" + nul + "UPSTREAM");
    const auto kept = merge({{"a", "PNG" + nul}}, {{"a", "PNG" + nul}}, {{"a", "PNG" + nul + "MINE"}});
    EXPECT_EQ(kept.files(), (ScratchFiles{{"a", "PNG" + nul + "MINE"}}));
    EXPECT_EQ(kept.only().change(), "binary");
}

TEST_P(TreeMerge, Links) {
    const auto kept = merge({{"l", link_to("a")}}, {{"l", link_to("a")}}, {{"l", link_to("b")}});
    EXPECT_EQ(kept.files(), (ScratchFiles{{"l", link_to("b")}}));
    const auto result = merge({{"l", link_to("a")}}, {{"l", link_to("up")}}, {{"l", link_to("mine")}});
    expect_conflict(result, ConflictKind::binary);
    EXPECT_EQ(result.marked(), "up");
}

TEST_P(TreeMerge, ATypeChangeAgainstAnEdit) {
    const auto result = merge({{"a", base_text}}, {{"a", upstream_text}}, {{"a", link_to("../elsewhere")}});
    expect_conflict(result, ConflictKind::type_changed);
    EXPECT_EQ(result.only().change(), "type");
    EXPECT_EQ(result.marked(), upstream_text);
    EXPECT_EQ(result.only().conflict->stages.theirs->mode, git::mode::link);
}

TEST_P(TreeMerge, Submodules) {
    const std::string one(40, '1');
    const std::string two(40, '2');
    const std::string three(40, '3');
    const auto kept = merge({{"s", submodule_at(one)}}, {{"s", submodule_at(one)}}, {{"s", submodule_at(two)}});
    EXPECT_EQ(kept.files(), (ScratchFiles{{"s", submodule_at(two)}}));
    EXPECT_EQ(kept.only().change(), "submodule");
    const auto result = merge({{"s", submodule_at(one)}}, {{"s", submodule_at(two)}}, {{"s", submodule_at(three)}});
    expect_conflict(result, ConflictKind::submodule);
}

TEST_P(TreeMerge, AFileWhereUpstreamHasADirectory) {
    const auto result = merge({}, {{"d/a", "a\n"}}, {{"d", "mine\n"}});
    expect_conflict(result, ConflictKind::directory_file);
    EXPECT_FALSE(result.only().conflict->marked);
    EXPECT_EQ(m_scratch.bytes(*result.only().conflict->stages.theirs), "mine\n");
    EXPECT_EQ(result.files(), (ScratchFiles{{"d/a", "a\n"}}));
}

TEST_P(TreeMerge, AFileBelowWhatIsALinkUpstream) {
    const auto result =
        merge({{"themes/a", base_text}, {"assets/s", "s\n"}}, {{"themes", link_to("assets")}, {"assets/s", "s\n"}},
              {{"themes/a", local_text}, {"themes/local", "x\n"}, {"assets/s", "s\n"}});
    EXPECT_EQ(result.at("themes/a").conflict->kind, ConflictKind::directory_file);
    EXPECT_EQ(result.at("themes/local").conflict->kind, ConflictKind::directory_file);
    EXPECT_EQ(result.files(), (ScratchFiles{{"themes", link_to("assets")}, {"assets/s", "s\n"}}));
}

TEST_P(TreeMerge, AFileBecomesADirectoryAndBack) {
    const auto there = merge({{"d", "d\n"}}, {{"d", "d\n"}, {"x", "x\n"}}, {{"d/a", "a\n"}});
    EXPECT_TRUE(there.merge.clean());
    EXPECT_EQ(there.files(), (ScratchFiles{{"d/a", "a\n"}, {"x", "x\n"}}));
    const auto back = merge({{"d/a", "a\n"}}, {{"d/a", "a\n"}, {"x", "x\n"}}, {{"d", "d\n"}});
    EXPECT_TRUE(back.merge.clean());
    EXPECT_EQ(back.files(), (ScratchFiles{{"d", "d\n"}, {"x", "x\n"}}));
}

TEST_P(TreeMerge, ADirectoryThatUpstreamAddedToStays) {
    const auto result = merge({{"d/a", "a\n"}}, {{"d/a", "a\n"}, {"d/new", "n\n"}}, {{"d", "d\n"}});
    EXPECT_EQ(result.at("d").conflict->kind, ConflictKind::directory_file);
    EXPECT_EQ(result.files(), (ScratchFiles{{"d/new", "n\n"}}));
}

TEST_P(TreeMerge, AConflictTakesItsRoomBack) {
    // "d" cannot be removed (upstream changed it), so "d/a" finds no room
    const auto result = merge({{"d", "d\n"}}, {{"d", "d upstream\n"}}, {{"d/a", "a\n"}});
    EXPECT_EQ(result.at("d").conflict->kind, ConflictKind::deleted_here);
    EXPECT_EQ(result.at("d/a").conflict->kind, ConflictKind::directory_file);
    EXPECT_EQ(result.files(), (ScratchFiles{{"d", "d upstream\n"}}));
}

TEST_P(TreeMerge, PassesOverWhatIsLeftOut) {
    const auto before = m_scratch.tree({{"a", base_text}, {"b", "b\n"}});
    std::set<std::string> left_out = {"a"};
    const auto result = merge_link(
        m_scratch.repository(),
        {.before = before, .after = m_scratch.tree({{"a", local_text}}), .onto = before, .left_out = &left_out});
    ASSERT_EQ(result.paths.size(), 1U);
    EXPECT_EQ(result.paths[0].display_path(), "b");
    EXPECT_EQ(m_scratch.content(result.tree), (ScratchFiles{{"a", base_text}}));
}

TEST_P(TreeMerge, NamesAreBytes) {
    const std::string name = "d\xff\n\t\"x";
    const auto result = merge({{name, base_text}}, {{name, upstream_text}}, {{name, local_text}});
    EXPECT_EQ(result.files(), (ScratchFiles{{name, both_text}}));
}

class MergeDrivers : public ::testing::Test {
protected:
    void attributes(std::string_view text) { m_scratch.files().write(".gitattributes", text); }
    void configure(std::string_view key, std::string_view value) {
        m_scratch.files().git("config", key, value);
        m_scratch.reopen();
    }
    Merged conflicting() {
        return merged(m_scratch, {{"a.x", base_text}}, {{"a.x", set_line(base_text, 3, "line 3 upstream")}},
                      {{"a.x", local_text}});
    }
    ScratchRepository m_scratch;
};

TEST_F(MergeDrivers, Binary) {
    attributes("*.x -merge\n");
    expect_conflict(merged(m_scratch, {{"a.x", base_text}}, {{"a.x", upstream_text}}, {{"a.x", local_text}}),
                    ConflictKind::binary);
    attributes("*.x binary\n");
    expect_conflict(merged(m_scratch, {{"a.x", base_text}}, {{"a.x", upstream_text}}, {{"a.x", local_text}}),
                    ConflictKind::binary);
}

TEST_F(MergeDrivers, Union) {
    attributes("*.x merge=union\n");
    const auto result = conflicting();
    EXPECT_TRUE(result.merge.clean());
    EXPECT_THAT(result.files().at("a.x").bytes, HasSubstr("line 3 upstream\nline 3 mine\n"));
    EXPECT_THAT(result.only().note, HasSubstr("union"));
}

TEST_F(MergeDrivers, MarkerSize) {
    attributes("*.x conflict-marker-size=12\n");
    EXPECT_THAT(conflicting().marked(), HasSubstr("\n<<<<<<<<<<<< upstream\n"));
}

TEST_F(MergeDrivers, UnknownIsText) {
    attributes("*.x merge=nobody\n");
    const auto result = conflicting();
    expect_conflict(result, ConflictKind::content);
    EXPECT_THAT(result.only().note, HasSubstr("'nobody'"));
}

TEST_F(MergeDrivers, ExternalIsRunAsGitRunsIt) {
    attributes("*.x merge=mine\n");
    configure("merge.mine.driver", "cat %O %B >>%A; printf '%%s|' %P %L >>%A");
    const auto result = conflicting();
    EXPECT_TRUE(result.merge.clean());
    EXPECT_EQ(result.files().at("a.x").bytes,
              set_line(base_text, 3, "line 3 upstream") + base_text + local_text + "a.x|7|");
    EXPECT_EQ(result.only().note, "merged by driver 'mine'");
}

TEST_F(MergeDrivers, ExternalConflict) {
    attributes("*.x merge=mine\n");
    configure("merge.mine.driver", "echo help >%A; exit 1");
    const auto result = conflicting();
    expect_conflict(result, ConflictKind::content);
    EXPECT_EQ(result.marked(), "help\n");
}

TEST_F(MergeDrivers, ExternalFailure) {
    attributes("*.x merge=mine\n");
    configure("merge.mine.driver", "kill -9 $$");
    const auto result = conflicting();
    expect_conflict(result, ConflictKind::content);
    EXPECT_THAT(result.only().conflict->message, HasSubstr("driver 'mine' failed"));
    EXPECT_EQ(result.marked(), set_line(base_text, 3, "line 3 upstream"));
}

TEST_F(MergeDrivers, DefaultDriver) {
    configure("merge.default", "union");
    EXPECT_TRUE(conflicting().merge.clean());
}

} // namespace
} // namespace carry::merge
