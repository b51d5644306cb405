#include "base/text.hpp"
#include "report/render.hpp"
#include "sample.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace carry::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

report::TextStyle wide() {
    report::TextStyle style;
    style.width = 0;
    style.now = sample_time;
    return style;
}

TEST(Text, TellsAStoppedUpgrade) {
    EXPECT_EQ(report::render_text(sample_report(), wide()),
              R"(sglang-main  main <- origin/main  f8d4eb702..3c91e02aa  47 commits, 212 files
run 20260308T021502Z-k3f9  1 commit, 1 staged, 3 unstaged, 1 untracked

  kept      unstaged   python/sglang/srt/distributed/device_communicators/all_reduce_utils.py  2 hunks, one 14 lines down
  merged    unstaged   python/sglang/srt/layers/quantization/fp4_utils.py  3 hunks
  moved     staged     python/sglang/srt/server_args.py -> python/sglang/srt/args/server.py  1 hunk
  absorbed  commit     1111111 Fix the NVFP4 scale layout  csrc/scale.cu  by 9ab12cd (#20111), dropped
  conflict  unstaged   benchmark/launch.sh  1 of 3 hunks
                       yours 38-47, upstream 40-52, last changed by 77aa01b Rework launch flags (#20102), 2 days ago, and 1 more (-v)
  kept      untracked  tune/sm120.json
warning  torch_symm_mem.py:88 uses 'get_world_group', which upstream removed in 77aa01b
note  upstream was rewritten: fork point f8d4eb7
verify  passed  make check, 1.2 s

stopped on 1 conflict; the checkout was not changed
next  git carry upgrade --on-conflict=park   everything else lands, this patch is set aside
      git carry upgrade --on-conflict=mark   markers in the file, then git carry continue
)");
}

TEST(Text, NeverCutsAPathAndStaysWithinTheWidthElsewhere) {
    auto style = wide();
    style.width = 60;
    const auto text = report::render_text(sample_report(), style);
    for (const auto& patch : sample_report().patches)
        EXPECT_THAT(text, HasSubstr(patch.path));
    EXPECT_THAT(text, HasSubstr("all_reduce_utils.py\n                       2 hunks, one 14 lines down\n"));
    EXPECT_THAT(text, HasSubstr("  kept      untracked  tune/sm120.json\n"));
    EXPECT_THAT(text, HasSubstr("yours 38-47, upstream 40-52,\n                       last changed by 77aa01b"));
    EXPECT_THAT(text, Not(HasSubstr(" \n")));
}

TEST(Text, ColoursOnlyWhereAsked) {
    auto style = wide();
    EXPECT_THAT(report::render_text(sample_report(), style), Not(HasSubstr("\x1b")));
    style.color = true;
    const auto text = report::render_text(sample_report(), style);
    EXPECT_THAT(text, HasSubstr("\x1b[1;31mconflict\x1b[0m  unstaged"));
    EXPECT_THAT(text, HasSubstr("\x1b[32mkept\x1b[0m      unstaged")); // columns hold with colours
}

TEST(Text, QuietLeavesOnlyWhatNeedsAPerson) {
    auto style = wide();
    style.quiet = true;
    const auto text = report::render_text(sample_report(), style);
    EXPECT_THAT(text, Not(HasSubstr("origin/main")));
    EXPECT_THAT(text, Not(HasSubstr("fp4_utils")));
    EXPECT_THAT(text, Not(HasSubstr("note")));
    EXPECT_THAT(text, HasSubstr("conflict  unstaged   benchmark/launch.sh"));
    EXPECT_THAT(text, HasSubstr("warning"));
    EXPECT_THAT(text, HasSubstr("stopped on 1 conflict"));
    EXPECT_THAT(text, HasSubstr("next  git carry upgrade --on-conflict=park"));
}

TEST(Text, VerboseTellsEachHunkAndAllCulprits) {
    auto style = wide();
    style.verbose = true;
    const auto text = report::render_text(sample_report(), style);
    EXPECT_THAT(text, HasSubstr("lines 40-44 -> 54-58  kept  14 lines down\n"));
    EXPECT_THAT(text, HasSubstr("lines 38-47  conflict  upstream changed the same lines\n"));
    EXPECT_THAT(text, HasSubstr("by 77aa01b Rework launch flags (#20102), 2 days ago  U Pstream\n"));
    EXPECT_THAT(text, HasSubstr("by 0123456 Quote the flags, 9 days ago  A Nother\n"));
    EXPECT_THAT(text, HasSubstr("patches/0001-all_reduce_utils.patch\n"));
    EXPECT_THAT(text, HasSubstr("        all good\n"));
}

Report commit_over(const std::vector<std::pair<std::string, Fate>>& paths) {
    Report report = sample_report();
    report.patches.clear();
    report.conflicts.clear();
    for (const auto& [path, fate] : paths) {
        report.patches.push_back(patch(Layer::commit, fate, path, {hunk(fate)}));
        report.patches.back().commit = CommitRef{std::string(40, 'a'), "Tune two files", "W Orker", 0};
        report.patches.back().new_commit = std::string(40, 'b');
    }
    return report;
}

TEST(Text, TellsWhatRulesPropose) {
    auto style = wide();
    const auto brief = report::render_text(report_with_proposals(), style);
    EXPECT_THAT(brief, HasSubstr("rule adjacent-lines (right in 95 of 100) would put 2 lines there (-v)\n"));
    EXPECT_THAT(brief, HasSubstr("would put 1 line there (-v)\n"));
    EXPECT_THAT(brief, Not(HasSubstr("rule words"))); // the same lines
    EXPECT_THAT(brief, Not(HasSubstr("flags\n")));
    style.verbose = true;
    const auto text = report::render_text(report_with_proposals(), style);
    EXPECT_THAT(text, HasSubstr("would put 2 lines there:\n"));
    EXPECT_THAT(text, HasSubstr("  run \\x1b[31m\n"));
    EXPECT_THAT(text, HasSubstr("          flags\n"));
    style.verbose = false;
    style.quiet = true;
    EXPECT_THAT(report::render_text(report_with_proposals(), style), Not(HasSubstr("rule ")));
}

TEST(Text, ACommitOfOneFateIsOneLine) {
    const auto text = report::render_text(commit_over({{"a.txt", Fate::kept}, {"b.txt", Fate::kept}}), wide());
    EXPECT_THAT(text, HasSubstr("  kept      commit     aaaaaaa Tune two files  2 files, 2 hunks\n"));
    EXPECT_THAT(text, Not(HasSubstr("a.txt")));
}

TEST(Text, ACommitOfSeveralFatesListsItsPaths) {
    const auto text = report::render_text(commit_over({{"a.txt", Fate::kept}, {"b.txt", Fate::merged}}), wide());
    EXPECT_THAT(text, HasSubstr("  merged    commit     aaaaaaa Tune two files  2 files\n"
                                "                       kept      a.txt  1 hunk\n"
                                "                       merged    b.txt  1 hunk\n"));
}

TEST(Text, NeighbouringCommitsStayApart) {
    auto report = commit_over({{"a.txt", Fate::kept}, {"b.txt", Fate::kept}});
    report.patches[1].commit->id = std::string(40, 'c');
    const auto text = report::render_text(report, wide());
    EXPECT_THAT(text, HasSubstr("aaaaaaa Tune two files  a.txt  1 hunk\n"));
    EXPECT_THAT(text, HasSubstr("ccccccc Tune two files  b.txt  1 hunk\n"));
}

TEST(Text, ForeignTextCannotActOnTheTerminal) {
    Report report = sample_report();
    const std::string evil = "\x1b[2Jevil\r\x9b";
    report.branch = report.upstream = report.run = report.repository = evil;
    report.patches[0].path = report.patches[0].note = report.patches[0].parked_as = evil;
    report.patches[0].hunks[0].reason = evil;
    report.patches[3].commit->subject = report.patches[3].by->subject = evil;
    report.conflicts[0].message = report.conflicts[0].culprits[0].subject = evil;
    report.conflicts[0].culprits[0].author = report.conflicts[0].path = evil;
    report.warnings[0] = {evil, evil, evil};
    report.notes = report.saved = report.parked = report.next = {evil};
    report.verify[0] = {evil, 1, 0, evil};
    report.last_run = RunSummary{evil, evil, Outcome::upgraded, 0, evil, evil, 5, evil, 0, 0};
    report.error = report.waiting = evil;
    for (const bool verbose : {false, true}) {
        for (const auto outcome : {Outcome::stopped, Outcome::failed, Outcome::shown}) {
            auto style = wide();
            style.verbose = verbose;
            report.outcome = outcome;
            const auto text = report::render_text(report, style);
            EXPECT_EQ(text.find_first_of("\x1b\r\x9b"), std::string::npos) << text;
            EXPECT_TRUE(is_utf8(text));
        }
    }
    const auto runs = report::render_runs_text({*report.last_run}, wide());
    EXPECT_EQ(runs.find_first_of("\x1b\r\x9b"), std::string::npos) << runs;
}

TEST(Text, AConflictWithoutAPatchIsTold) {
    Report report = sample_report();
    report.patches.clear();
    report.conflicts[0].kind = ConflictKind::in_the_way;
    report.conflicts[0].layer = Layer::ignored;
    report.conflicts[0].yours.reset();
    report.conflicts[0].culprits.clear();
    report.conflicts[0].message = "it is in upstream's way and larger than 1 GiB";
    EXPECT_THAT(report::render_text(report, wide()),
                HasSubstr("  conflict  ignored    benchmark/launch.sh\n"
                          "                       it is in upstream's way and larger than 1 GiB\n"));
}

TEST(Text, HunkRemarksAreGrouped) {
    Report report = sample_report();
    report.conflicts.clear();
    report.patches = {
        patch(Layer::unstaged, Fate::kept, "one", {hunk(Fate::kept, "3 lines up")}),
        patch(Layer::unstaged, Fate::kept, "all", {hunk(Fate::kept, "3 lines up"), hunk(Fate::kept, "3 lines up")}),
        patch(Layer::unstaged, Fate::merged, "mixed",
              {hunk(Fate::merged), hunk(Fate::absorbed, "upstream has it"), hunk(Fate::kept)}),
        patch(Layer::staged, Fate::absorbed, "gone", {hunk(Fate::absorbed, "upstream has it")}),
        patch(Layer::staged, Fate::parked, "aside", {hunk(Fate::conflict), hunk(Fate::kept)}),
        patch(Layer::untracked, Fate::kept, "new", {hunk(Fate::kept)})};
    const auto text = report::render_text(report, wide());
    EXPECT_THAT(text, HasSubstr("one  1 hunk, 3 lines up\n"));
    EXPECT_THAT(text, HasSubstr("all  2 hunks, all 3 lines up\n"));
    EXPECT_THAT(text, HasSubstr("mixed  3 hunks, one absorbed, one kept\n"));
    EXPECT_THAT(text, HasSubstr("gone  1 hunk\n"));
    EXPECT_THAT(text, HasSubstr("aside  1 of 2 hunks\n"));
    EXPECT_THAT(text, HasSubstr("untracked  new\n"));
}

} // namespace
} // namespace carry::test
