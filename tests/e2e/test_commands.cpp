// Every other command, and the exit codes of what goes wrong.
#include "base/lock.hpp"
#include "base/text.hpp"
#include "run_cli.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

UpstreamAndCheckout carrying() {
    auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}, {"b.txt", numbered("b", 30)}});
    both.work.write("a.txt", set_line(numbered("a", 30), 10, "committed"));
    both.work.commit("Commit something");
    both.work.write("a.txt", set_line(both.work.read("a.txt"), 20, "staged"));
    both.work.stage("a.txt");
    both.work.write("b.txt", set_line(numbered("b", 30), 10, "unstaged"));
    both.work.write("new.txt", "untracked\n");
    both.upstream.write("c.txt", "upstream\n");
    both.upstream.commit("Add c");
    return both;
}

TEST(Status, SaysWhatIsCarried) {
    const auto both = carrying();
    both.work.git("fetch", "-q");
    const auto before = fingerprint(both.work.path());
    const auto status = run_cli_json(both.work.path(), {"status"});
    EXPECT_EQ(status.exit_code, 0);
    EXPECT_EQ(status.report["outcome"], "shown");
    EXPECT_EQ(status.report["commits"], 1);
    EXPECT_EQ(status.report["staged"], 1);
    EXPECT_EQ(status.report["unstaged"], 1);
    EXPECT_EQ(status.report["untracked"], 1);
    EXPECT_EQ(status.report["upstream_commits"], 1);
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
    EXPECT_FALSE(both.work.exists(".git/carry/runs"));

    const auto text = run_cli(both.work.path(), {"status"}).output;
    EXPECT_THAT(text, HasSubstr("carried  1 commit, 1 staged, 1 unstaged, 1 untracked\n"));
    EXPECT_THAT(text, HasSubstr("upstream has 1 new commit\n"));
    EXPECT_EQ(run_cli(both.work.path(), {"upgrade"}).exit_code, 0);
    EXPECT_THAT(run_cli(both.work.path(), {"status"}).output, HasSubstr("last run  "));
}

TEST(Snapshot, IsAStateToComeBackTo) {
    const auto both = carrying();
    const auto before = fingerprint(both.work.path());
    const auto snapshot = run_cli_json(both.work.path(), {"snapshot"});
    EXPECT_EQ(snapshot.exit_code, 0) << snapshot.error_output;
    EXPECT_EQ(snapshot.report["outcome"], "recorded");
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
    both.work.write("b.txt", "lost?\n");
    both.work.remove("new.txt");
    both.work.git("reset", "-q", "--hard", "HEAD~1");
    const auto undo = run_cli_json(both.work.path(), {"undo", snapshot.report["run"].get<std::string>()});
    EXPECT_EQ(undo.exit_code, 0) << undo.error_output;
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
}

TEST(Runs, AreListedAndShown) {
    const auto both = carrying();
    const auto upgrade = run_cli_json(both.work.path(), {"upgrade"});
    const auto id = upgrade.report["run"].get<std::string>();
    EXPECT_EQ(run_cli(both.work.path(), {"undo"}).exit_code, 0);

    const auto runs = run_cli_json(both.work.path(), {"runs"}).report["runs"];
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_THAT(run_cli(both.work.path(), {"runs"}).output, HasSubstr(id));

    const auto shown = run_cli(both.work.path(), {"show", id, "--json"});
    EXPECT_EQ(shown.exit_code, 0);
    EXPECT_EQ(nlohmann::json::parse(shown.output), upgrade.report);
    EXPECT_EQ(run_cli(both.work.path(), {"show", id.substr(0, id.size() - 1)}).exit_code, 0);
    EXPECT_EQ(run_cli(both.work.path(), {"show", "no-such-run"}).exit_code, 2);
    EXPECT_TRUE(both.work.exists(".git/carry/runs/" + id + "/report.json"));
    EXPECT_THAT(both.work.read(".git/carry/runs/" + id + "/report.md"), StartsWith("# git carry upgrade: upgraded"));
}

TEST(Export, IsWhatGitTakes) {
    const auto both = carrying();
    const auto base = both.work.git_line("rev-parse", "origin/main");
    const fs::path directory = both.work.path().parent_path() / "patches";
    const auto exported = run_cli_json(both.work.path(), {"export", "../patches"});
    EXPECT_EQ(exported.exit_code, 0) << exported.error_output;
    EXPECT_TRUE(fs::exists(directory / "series"));
    EXPECT_EQ(run_cli(both.work.path(), {"export", "../patches"}).exit_code != 0, true); // not empty any more

    const auto clone = TempRepo::clone_of(both.upstream);
    clone.git("reset", "-q", "--hard", base);
    for (const auto& patch : exported.report["patches"]) {
        const auto file = (directory / patch["patch_file"].get<std::string>()).string();
        clone.git(patch["layer"] == "commit" ? "am" : "apply", file);
    }
    for (const char* path : {"a.txt", "b.txt", "new.txt"})
        EXPECT_EQ(clone.read(path), both.work.read(path)) << path;
}

TEST(Apply, PutsASeriesOntoAnotherCheckout) {
    const auto both = carrying();
    EXPECT_EQ(run_cli(both.work.path(), {"export", "../patches"}).exit_code, 0);
    const auto clone = TempRepo::clone_of(both.upstream); // one commit ahead of what they were made for
    const auto before = fingerprint(clone.path());
    const auto series = (both.work.path().parent_path() / "patches" / "series").string();
    const auto applied = run_cli_json(clone.path(), {"apply", series});
    EXPECT_EQ(applied.exit_code, 0) << applied.report.dump(2) << applied.error_output;
    EXPECT_EQ(applied.report["outcome"], "applied");
    for (const char* path : {"a.txt", "b.txt", "new.txt"})
        EXPECT_EQ(clone.read(path), both.work.read(path)) << path;
    EXPECT_EQ(clone.git("diff", "--cached", "--name-only"), "a.txt\n");
    EXPECT_EQ(run_cli(clone.path(), {"undo"}).exit_code, 0);
    EXPECT_TRUE(same(before, fingerprint(clone.path())));
}

TEST(Resolutions, AreListedAndTakenIn) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "a\n"}});
    const auto id = run_program({"sh", "-c", "printf 'a\\n\\000b\\n\\000' | sha1sum"}).output.substr(0, 40);
    const auto directory = both.work.path().parent_path() / "colleague";
    fs::create_directories(directory / id);
    write_file_atomic(directory / id / "preimage", "<<<<<<<\na\n=======\nb\n>>>>>>>\n");
    write_file_atomic(directory / id / "postimage", "c\n");
    const auto taken = run_cli_json(both.work.path(), {"import", "../colleague"});
    EXPECT_EQ(taken.exit_code, 0) << taken.error_output;
    EXPECT_EQ(taken.report["outcome"], "imported");
    const auto listed = run_cli(both.work.path(), {"resolutions"});
    EXPECT_THAT(listed.output, HasSubstr(id.substr(0, 9)));
    EXPECT_THAT(listed.output, HasSubstr("1 resolution is remembered"));
    EXPECT_EQ(run_cli(both.work.path(), {"import", "../nowhere"}).exit_code, 2);
    EXPECT_EQ(run_cli(both.work.path(), {"resolutions", "--forget", id.substr(0, 9)}).exit_code, 0);
    EXPECT_EQ(run_cli(both.work.path(), {"resolutions", "--forget", id}).exit_code, 2);
}

TEST(Prune, KeepsTheLatest) {
    const auto both = carrying();
    EXPECT_EQ(run_cli(both.work.path(), {"upgrade"}).exit_code, 0);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(run_cli(both.work.path(), {"undo"}).exit_code, 0);
    EXPECT_EQ(run_cli_json(both.work.path(), {"runs"}).report["runs"].size(), 4U);
    EXPECT_EQ(run_cli_json(both.work.path(), {"prune", "--keep", "1"}).exit_code, 0);
    EXPECT_EQ(run_cli_json(both.work.path(), {"runs"}).report["runs"].size(), 1U);
    EXPECT_EQ(run_cli(both.work.path(), {"undo"}).exit_code, 0);
}

TEST(ExitCodes, Usage) {
    const auto both = carrying();
    const auto before = fingerprint(both.work.path());
    EXPECT_EQ(run_cli(both.work.path(), {}).exit_code, 2);
    EXPECT_EQ(run_cli(both.work.path(), {"upgrade", "--bogus"}).exit_code, 2);
    EXPECT_EQ(run_cli(both.work.path(), {"upgrade", "--config", "none.yaml"}).exit_code, 2);

    both.work.write("../team.yaml", "offline: true\non-conflct: park\n");
    const auto file = run_cli(both.work.path(), {"upgrade", "--config", "../team.yaml"});
    EXPECT_EQ(file.exit_code, 2);
    EXPECT_THAT(file.error_output,
                HasSubstr("team.yaml:2:1: unknown key 'on-conflct'\nhint: did you mean 'on-conflict'?"));

    both.work.git("config", "carry.keepRuns", "many");
    const auto git = run_cli_json(both.work.path(), {"upgrade"});
    EXPECT_EQ(git.exit_code, 2);
    EXPECT_THAT(git.report["error"].get<std::string>(), HasSubstr("'keep-runs' is not a whole number: 'many'"));
    both.work.git("config", "--unset", "carry.keepRuns");
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
}

TEST(ExitCodes, Refused) {
    const auto both = carrying();
    both.work.write(".git/MERGE_HEAD", both.work.head() + "\n");
    const auto before = fingerprint(both.work.path());
    const auto result = run_cli_json(both.work.path(), {"upgrade"});
    EXPECT_EQ(result.exit_code, 6);
    EXPECT_EQ(result.report["outcome"], "refused");
    EXPECT_THAT(result.error_output, StartsWith("git-carry: a merge is in progress"));
    EXPECT_THAT(result.error_output, HasSubstr("\nhint: git merge --abort"));
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));

    const TemporaryDirectory nowhere(fs::temp_directory_path());
    const auto outside = run_cli(nowhere.path(), {"status"});
    EXPECT_EQ(outside.exit_code, 6);
    EXPECT_THAT(outside.error_output, StartsWith("git-carry: "));
    EXPECT_EQ(outside.output, "");
}

TEST(ExitCodes, Locked) {
    const auto both = carrying();
    fs::create_directory(both.work.git_directory() / "carry");
    const auto lock = FileLock::try_acquire(both.work.git_directory() / "carry" / "lock");
    ASSERT_TRUE(lock);
    const auto result = run_cli_json(both.work.path(), {"upgrade"});
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_THAT(result.error_output, StartsWith("git-carry: another git-carry"));
    EXPECT_EQ(run_cli(both.work.path(), {"status"}).exit_code, 0); // looking needs no lock
}

TEST(ExitCodes, FailedWhereUpstreamCannotBeReached) {
    const auto both = carrying();
    both.work.git("remote", "set-url", "origin", "file:///nonexistent/repository");
    const auto before = fingerprint(both.work.path());
    const auto result = run_cli_json(both.work.path(), {"upgrade"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.report["outcome"], "failed");
    EXPECT_THAT(result.error_output, HasSubstr("nonexistent"));
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
}

TEST(Options, DirectoriesQuietAndColour) {
    const auto both = carrying();
    const fs::path above = both.work.path().parent_path();
    EXPECT_EQ(run_cli_json(above, {"-C", both.work.path().filename().string(), "status"}).report["commits"], 1);
    EXPECT_EQ(run_cli_json("/", {"-C", above.string(), "status", "-C", "repo"}).report["commits"], 1);
    EXPECT_EQ(run_cli(both.work.path(), {"status", "-q"}).output, "nothing new upstream\n");
    EXPECT_THAT(run_cli(both.work.path(), {"check", "--color=always"}).output, HasSubstr("\x1b[32mkept\x1b[0m"));
    EXPECT_THAT(run_cli(both.work.path(), {"check", "--color=auto"}).output, Not(HasSubstr("\x1b")));
}

TEST(Options, GitFindsTheCommand) {
    const auto both = carrying();
    const char* path = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe)
    ASSERT_NE(path, nullptr);
    const auto directory = fs::path(CARRY_PROGRAM).parent_path().string();
    const auto result =
        run_program({"git", "carry", "status"}, both.work.path(), {{"PATH", directory + ":" + std::string(path)}});
    EXPECT_EQ(result.exit_code, 0) << result.error_output;
    EXPECT_THAT(result.output, HasSubstr("1 commit, 1 staged"));
}

TEST(Options, BothObjectStoresGiveTheSameAnswer) {
    const auto both = carrying();
    both.work.git("fetch", "-q");
    auto by_libgit2 = run_cli_json(both.work.path(), {"check", "--offline"}).report;
    auto by_git = run_cli_json(both.work.path(), {"check", "--offline", "--object-store=git"}).report;
    by_libgit2.erase("time");
    by_git.erase("time");
    EXPECT_EQ(by_git, by_libgit2);
}

TEST(Names, OddOnesStayInTheirPlace) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}});
    const std::string odd = "tab\there \xff \x1b[2J.txt";
    both.work.write(odd, "mine\n");
    both.upstream.write("b.txt", "2\n");
    both.upstream.commit("Add b");
    const auto text = run_cli(both.work.path(), {"upgrade", "-v"});
    EXPECT_EQ(text.exit_code, 0) << text.error_output;
    EXPECT_TRUE(is_utf8(text.output));
    EXPECT_THAT(text.output, Not(HasSubstr("\x1b")));
    const auto shown = run_cli_json(both.work.path(), {"status"});
    EXPECT_THAT(shown.report["patches"][0]["path"].get<std::string>(), EndsWith(".txt\""));
    EXPECT_EQ(both.work.read(odd), "mine\n");
}

TEST(Log, SaysWhatWasRun) {
    const auto both = carrying();
    EXPECT_EQ(run_cli(both.work.path(), {"upgrade"}).exit_code, 0);
    const auto log = both.work.read(".git/carry/log/git-carry.log");
    EXPECT_THAT(log, HasSubstr("end git-carry upgrade, exit 0\n"));
}

} // namespace
} // namespace carry::test
