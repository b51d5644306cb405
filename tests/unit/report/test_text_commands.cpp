#include "report/render.hpp"
#include "sample.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const Report& report) {
    report::TextStyle style;
    style.width = 0;
    style.now = sample_time;
    return report::render_text(report, style);
}

Report with(Outcome outcome, std::string command) {
    Report report = sample_report();
    report.outcome = outcome;
    report.command = std::move(command);
    report.exit_code = 0;
    report.conflicts.clear();
    report.next.clear();
    report.verify.clear();
    report.notes.clear();
    report.patches = {patch(Layer::unstaged, Fate::kept, "a.txt", {hunk(Fate::kept)})};
    return report;
}

TEST(TextOfCommands, StatusSaysWhatIsCarriedWithoutFates) {
    Report report = with(Outcome::shown, "status");
    report.run.clear();
    report.last_run = RunSummary{
        "20260306T021502Z-aaaa", "upgrade", Outcome::upgraded, 0, "", "", sample_time - 2 * day, "done", 0, 1};
    report.parked = {"launch-flags"};
    EXPECT_EQ(text_of(report), R"(sglang-main  main <- origin/main  f8d4eb702..3c91e02aa  47 commits, 212 files
carried  1 commit, 1 staged, 3 unstaged, 1 untracked

  unstaged   a.txt  1 hunk
warning  torch_symm_mem.py:88 uses 'get_world_group', which upstream removed in 77aa01b
parked  launch-flags
last run  20260306T021502Z-aaaa  upgrade  upgraded, 2 days ago

upstream has 47 new commits
)");
}

TEST(TextOfCommands, StatusNamesARunThatWaits) {
    Report report = with(Outcome::shown, "status");
    report.waiting = "20260306T021502Z-aaaa";
    EXPECT_THAT(text_of(report),
                EndsWith("\nrun 20260306T021502Z-aaaa waits for 'git carry continue' or 'git carry abort'\n"));
}

TEST(TextOfCommands, NothingToDo) {
    Report report = with(Outcome::up_to_date, "upgrade");
    report.run.clear();
    report.old_upstream = report.new_upstream;
    report.upstream_commits = report.upstream_files = 0;
    const auto text = text_of(report);
    EXPECT_THAT(text, HasSubstr("main <- origin/main  3c91e02aa  nothing new\n"));
    EXPECT_THAT(text, EndsWith("\nalready up to date\n"));
    report.command = "undo";
    EXPECT_THAT(text_of(report), EndsWith("\nnothing to undo\n"));
}

TEST(TextOfCommands, ParkedAndMarked) {
    Report report = with(Outcome::parked, "upgrade");
    report.patches[0].fate = report.patches[0].hunks[0].fate = Fate::parked;
    report.patches[0].parked_as = "a-txt";
    report.parked = {"a-txt", "older"};
    const auto text = text_of(report);
    EXPECT_THAT(text, HasSubstr("  parked    unstaged   a.txt  1 hunk  set aside as a-txt\n"));
    EXPECT_THAT(text, HasSubstr("parked  older\n"));
    EXPECT_THAT(text, EndsWith("\nupgraded; 2 patches are set aside\n"));
    report.run.clear();
    EXPECT_THAT(text_of(report), EndsWith("\nalready up to date; 2 patches are set aside\n"));
    report.outcome = Outcome::planned;
    EXPECT_THAT(text_of(report), EndsWith("\nan upgrade would set 1 patch aside; nothing was changed\n"));

    report = with(Outcome::marked, "upgrade");
    report.conflicts = {sample_report().conflicts[0], sample_report().conflicts[0]};
    EXPECT_THAT(text_of(report), EndsWith("\n2 conflicts are marked in 1 file to resolve\n"));
}

TEST(TextOfCommands, VerificationThatFailedShowsItsTail) {
    Report report = with(Outcome::verify_failed, "upgrade");
    report.verify = {{"make check", 2, 0.5, "line one\nline two\n"}};
    const auto text = text_of(report);
    EXPECT_THAT(text, HasSubstr("verify  failed with exit 2  make check, 0.5 s\n        line one\n        line two\n"));
    EXPECT_THAT(text, EndsWith("\nverification failed; the checkout is as it was before\n"));
}

TEST(TextOfCommands, UndoNamesWhatItSaved) {
    Report report = with(Outcome::undone, "undo");
    report.patches.clear();
    report.saved = {"app.txt  (run X, object 1a2b)"};
    EXPECT_THAT(text_of(report), HasSubstr("saved  app.txt  (run X, object 1a2b)\n"));
    report.command = "abort";
    EXPECT_THAT(text_of(report), EndsWith("\naborted; the checkout is as it was before\n"));
}

TEST(TextOfCommands, ARefusalIsItsSentence) {
    Report report = with(Outcome::refused, "upgrade");
    report.patches.clear();
    report.warnings.clear();
    report.error = "a rebase is in progress";
    report.next = {"git rebase --continue   finish it"};
    EXPECT_EQ(text_of(report), "a rebase is in progress\nnext  git rebase --continue   finish it\n");
}

TEST(TextOfCommands, CheckSaysThatNothingWasChanged) {
    Report report = with(Outcome::planned, "check");
    EXPECT_THAT(text_of(report), EndsWith("\nan upgrade would land everything; nothing was changed\n"));
    report.conflicts = {sample_report().conflicts[0]};
    report.exit_code = 3;
    EXPECT_THAT(text_of(report), EndsWith("\nan upgrade would stop on 1 conflict; nothing was changed\n"));
    report.exit_code = 4;
    EXPECT_THAT(text_of(report), EndsWith("\nan upgrade would mark 1 conflict; nothing was changed\n"));
}

TEST(TextOfCommands, EveryOutcomeHasASentence) {
    for (int i = 0; i <= static_cast<int>(Outcome::failed); ++i) {
        Report report = with(static_cast<Outcome>(i), "upgrade");
        report.error = "something failed";
        EXPECT_THAT(text_of(report), Not(EndsWith("\n\n"))) << to_string(report.outcome);
        EXPECT_NE(to_string(report.outcome), "unknown");
    }
}

TEST(TextOfCommands, RunsAreATable) {
    report::TextStyle style;
    style.width = 0;
    style.now = sample_time;
    const std::string a(40, 'a');
    const std::string b(40, 'b');
    const std::vector<RunSummary> runs = {
        {"20260308T021502Z-k3f9", "upgrade", Outcome::stopped, 3, a, a, sample_time - 3600, "stopped", 1, 6},
        {"20260307T021502Z-x1y2", "undo", Outcome::undone, 0, a, b, sample_time - day, "done", 0, 0}};
    EXPECT_EQ(report::render_runs_text(runs, style),
              "20260308T021502Z-k3f9  60 minutes ago  upgrade  stopped  aaaaaaa           6 patches, 1 conflict\n"
              "20260307T021502Z-x1y2  24 hours ago    undo     undone   aaaaaaa..bbbbbbb\n");
    EXPECT_EQ(report::render_runs_text({}, style), "no runs yet\n");
}

} // namespace
} // namespace carry::test
