// The repository, its history and its patches may be somebody's attack: nothing is written outside the tree or into
// .git, no command of theirs runs, and nothing of theirs reaches the terminal unescaped.
#include "run_cli.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace carry::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

UpstreamAndCheckout carrying_an_edit() {
    auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}, {"b.txt", "b\n"}});
    both.work.write("a.txt", set_line(numbered("a", 30), 20, "mine"));
    return both;
}

/// A commit on HEAD whose tree has one more entry, of any name.
std::string commit_with(const TempRepo& repo, const std::string& mode, const std::string& content,
                        const std::string& name) {
    const auto make = [&](std::vector<std::string> args, std::string input) {
        auto made = repo.git_run(args, std::move(input));
        EXPECT_EQ(made.exit_code, 0) << made.error_output;
        return made.output.substr(0, made.output.find('\n'));
    };
    auto id = make({"hash-object", "-w", "--stdin"}, content);
    std::string kind = "blob";
    if (mode == "040000") {
        id = make({"mktree", "-z"}, "100644 blob " + id + "\tplanted" + std::string(1, '\0'));
        kind = "tree";
    }
    const auto entries = repo.git("ls-tree", "-z", "HEAD") + mode + " " + kind + " " + id + "\t" + name + '\0';
    return make({"commit-tree", make({"mktree", "-z"}, entries), "-p", "HEAD", "-m", "evil"}, {});
}

TEST(Hostile, NamesThatLeaveTheTreeOrReachIntoGit) {
    const auto both = carrying_an_edit();
    const auto& work = both.work;
    const auto before = fingerprint(work.path());
    const auto config = work.read(".git/config");
    for (const std::string name : {"..", ".git", ".GIT", "git~1", ".git ", ".git.", ".g\xe2\x80\x8cit",
                                   ".git::$INDEX_ALLOCATION", "a\\.git\\hooks"}) {
        const auto evil = commit_with(work, "040000", "evil\n", name);
        const auto result = run_cli_json(work.path(), {"upgrade", "--offline", "--to", evil});
        EXPECT_EQ(result.exit_code, 6) << name << result.error_output;
        EXPECT_THAT(result.error_output, AllOf(HasSubstr("upstream holds '"), HasSubstr("--to REV"))) << name;
        EXPECT_TRUE(same(before, fingerprint(work.path()))) << name;
    }
    for (const std::string name : {".gitmodules", ".GITMODULES", ".gitmodules ."}) {
        const auto evil = commit_with(work, "120000", "../outside", name);
        EXPECT_EQ(run_cli(work.path(), {"check", "--offline", "--to", evil}).exit_code, 6) << name;
    }
    EXPECT_EQ(work.read(".git/config"), config);
    EXPECT_FALSE(fs::exists(work.path().parent_path() / "planted"));
    // and nothing is stuck afterwards
    EXPECT_EQ(run_cli(work.path(), {"upgrade", "--offline"}).exit_code, 0);
}

TEST(Hostile, LinksThatLeadOut) {
    const auto both = carrying_an_edit();
    const auto& work = both.work;
    const TemporaryDirectory outside(fs::temp_directory_path(), "carry-outside-");
    // planted by the local layer, where upstream brings a directory
    work.symlink(outside.path().native(), "lib");
    both.upstream.write("lib/code.txt", "code\n");
    both.upstream.commit("Add a library");
    const auto before = fingerprint(work.path());
    const auto stopped = run_cli(work.path(), {"upgrade"});
    EXPECT_EQ(stopped.exit_code, 3) << stopped.output << stopped.error_output;
    EXPECT_TRUE(same(before, fingerprint(work.path())));
    EXPECT_TRUE(fs::is_empty(outside.path()));

    // planted by upstream, where a local file lies in a directory
    work.remove("lib");
    both.upstream.symlink(outside.path().native(), "tools");
    both.upstream.commit("Add tools");
    work.write("tools/mine.txt", "mine\n");
    EXPECT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 3);
    EXPECT_EQ(run_cli(work.path(), {"upgrade", "--on-conflict=park"}).exit_code, 4);
    EXPECT_TRUE(fs::is_empty(outside.path()));
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_EQ(work.read("tools/mine.txt"), "mine\n");
    EXPECT_TRUE(fs::is_empty(outside.path()));
}

std::string adding(const std::string& path, const std::string& mode, const std::string& line) {
    return "diff --git a/" + path + " b/" + path + "\nnew file mode " + mode + "\n--- /dev/null\n+++ b/" + path +
           "\n@@ -0,0 +1 @@\n+" + line + "\n" + (mode == "120000" ? "\\ No newline at end of file\n" : "");
}

TEST(Hostile, PatchesThatLeaveTheTree) {
    const auto both = carrying_an_edit();
    const auto& work = both.work;
    const auto before = fingerprint(work.path());
    const TemporaryDirectory directory(fs::temp_directory_path(), "carry-patches-");
    const auto patch = [&](const std::string& name, const std::string& text) {
        write_file_atomic(directory.path() / name, text);
        return (directory.path() / name).native();
    };
    for (const std::string path : {"../x", "/etc/x", "d/../../x", ".git/hooks/post-checkout", ".GIT/config",
                                   "git~1/config", "d/.git/config", "x//y"}) {
        const auto result = run_cli(work.path(), {"apply", patch("evil.patch", adding(path, "100644", "evil"))});
        EXPECT_EQ(result.exit_code, 2) << path << result.output << result.error_output;
        EXPECT_TRUE(same(before, fingerprint(work.path()))) << path;
    }
    const auto through = adding("out", "120000", directory.path().native()) + adding("out/x", "100644", "evil");
    EXPECT_NE(run_cli(work.path(), {"apply", patch("link.patch", through)}).exit_code, 0);
    const auto first = patch("1.patch", adding("out", "120000", directory.path().native()));
    const auto second = patch("2.patch", adding("out/x", "100644", "evil"));
    EXPECT_NE(run_cli(work.path(), {"apply", first, second}).exit_code, 0);
    EXPECT_FALSE(fs::exists(directory.path() / "x"));
    EXPECT_TRUE(same(before, fingerprint(work.path())));

    for (const std::string name : {"../1.patch", "/etc/passwd", "sub/../../1.patch", "endless"}) {
        fs::remove(directory.path() / "endless");
        fs::create_symlink("/dev/zero", directory.path() / "endless");
        const auto result = run_cli(work.path(), {"apply", patch("series", name + "\n")});
        EXPECT_EQ(result.exit_code, 2) << name << result.error_output;
    }
}

TEST(Hostile, BinaryPatchesThatUnfoldToAnySize) {
    const auto both = carrying_an_edit();
    const auto before = fingerprint(both.work.path());
    const TemporaryDirectory directory(fs::temp_directory_path(), "carry-patches-");
    // git would ask the system for what the patch announces
    write_file_atomic(directory.path() / "bomb.patch",
                      "diff --git a/big b/big\nnew file mode 100644\nindex " + std::string(40, '0') + ".." +
                          std::string(40, '1') + "\nGIT binary patch\nliteral 99999999999\nKc${NkU|;|M00aO5\n\n");
    const auto result = run_cli(both.work.path(), {"apply", (directory.path() / "bomb.patch").native()});
    EXPECT_NE(result.exit_code, 0);
    EXPECT_TRUE(same(before, fingerprint(both.work.path())));
}

bool is_plain(const std::string& text) {
    return std::ranges::all_of(text,
                               [](unsigned char c) { return (c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t'; });
}

TEST(Hostile, NothingOfTheirsActsOnTheTerminal) {
    const std::string red = "\x1b[31mred\x1b]0;title\x07.txt";
    const auto both = UpstreamAndCheckout::with({{red, numbered("a", 30)}, {"b.txt", "b\n"}});
    const auto& work = both.work;
    work.write(red, set_line(numbered("a", 30), 10, "mine"));
    work.write("new\x1b[2J\n<script>.txt", "mine\n");
    both.upstream.write(red, set_line(numbered("a", 30), 10, "theirs"));
    both.upstream.commit("Wipe \x1b[2J\x1b[H the screen \xc2\x9b"
                         "31m <img src=x onerror=alert(1)>");
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"status"}, {"check", "-v"}, {"upgrade"}, {"upgrade", "--on-conflict=mark", "-v"}, {"abort"}, {"runs"}}) {
        const auto result = run_cli(work.path(), words);
        EXPECT_LE(result.exit_code, 4) << result.error_output;
        EXPECT_TRUE(is_plain(result.output)) << words[0] << "\n" << result.output;
        EXPECT_TRUE(is_plain(result.error_output)) << words[0] << "\n" << result.error_output;
        EXPECT_THAT(result.output, Not(HasSubstr("\xc2\x9b")));
    }
    std::size_t reports = 0;
    for (const auto& entry : fs::directory_iterator(work.file(".git/carry/runs"))) {
        const auto markdown = read_file_if_exists(entry.path() / "report.md").value_or("");
        EXPECT_TRUE(is_plain(markdown)) << markdown;
        EXPECT_THAT(markdown, Not(HasSubstr("<img")));
        EXPECT_THAT(markdown, Not(HasSubstr("\n<script")));
        reports += markdown.empty() ? 0U : 1U;
    }
    EXPECT_GE(reports, 2U);
}

TEST(Hostile, UpstreamsFilesAreData) {
    const auto both = carrying_an_edit();
    const auto& upstream = both.upstream;
    const auto pwned = both.work.path().parent_path() / (both.work.path().filename().native() + "-pwned");
    const auto command = "touch " + pwned.native();
    upstream.write(".gitattributes", "*.txt filter=evil diff=evil merge=evil\n");
    upstream.write(".gitconfig", "[core]\n\tfsmonitor = " + command + "\n\tsshCommand = " + command + "\n");
    upstream.write("hooks/post-checkout", "#!/bin/sh\n" + command + "\n");
    upstream.make_executable("hooks/post-checkout");
    upstream.write(".gitmodules",
                   "[submodule \"s\"]\n\tpath = s\n\turl = ext::sh -c " + command + "\n\tupdate = !" + command + "\n");
    upstream.write("a.txt", "new\n" + numbered("a", 30));
    upstream.commit("Everything that could run");
    const auto result = run_cli(both.work.path(), {"upgrade"});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.error_output;
    EXPECT_EQ(run_cli(both.work.path(), {"undo"}).exit_code, 0);
    EXPECT_FALSE(fs::exists(pwned));
}

TEST(Trust, CommandsThatCameWithAPullRunOnlyOnceTrusted) {
    const auto both = carrying_an_edit();
    const auto& work = both.work;
    both.upstream.write(".carry.yaml", "keep-runs: 7\nverify: touch pwned\n");
    both.upstream.write("b.txt", "2\n");
    both.upstream.commit("Bring settings");
    EXPECT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 0); // what is not there yet decides nothing
    EXPECT_FALSE(work.exists("pwned"));

    both.upstream.write("b.txt", "3\n");
    both.upstream.commit("Move on");
    const auto before = fingerprint(work.path());
    const auto refused = run_cli(work.path(), {"upgrade"});
    EXPECT_EQ(refused.exit_code, 6);
    EXPECT_THAT(refused.error_output, AllOf(HasSubstr("'.carry.yaml' sets 'verify', and you have not trusted it"),
                                            HasSubstr("hint: git carry trust --show")));
    EXPECT_EQ(run_cli(work.path(), {"check"}).exit_code, 6);
    const auto status = run_cli(work.path(), {"status"});
    EXPECT_EQ(status.exit_code, 0);
    EXPECT_THAT(status.output, HasSubstr("warning  '.carry.yaml' sets 'verify'"));
    const auto shown = run_cli(work.path(), {"trust", "--show"});
    EXPECT_EQ(shown.exit_code, 0);
    EXPECT_THAT(shown.output, AllOf(HasSubstr("verify: touch pwned"), HasSubstr("is not trusted")));
    EXPECT_TRUE(same(before, fingerprint(work.path())));

    // what the user sets is the user's; what goes back does not ask
    const auto own = run_cli(work.path(), {"upgrade", "--verify", "true"});
    EXPECT_EQ(own.exit_code, 0) << own.error_output;
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);

    EXPECT_EQ(run_cli_json(work.path(), {"trust"}).exit_code, 0);
    EXPECT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 0);
    EXPECT_TRUE(work.exists("pwned"));
    work.append(".carry.yaml", "# another version\n");
    EXPECT_EQ(run_cli(work.path(), {"check"}).exit_code, 6);
    EXPECT_EQ(run_cli(work.path(), {"trust"}).exit_code, 0);
    EXPECT_EQ(run_cli(work.path(), {"check"}).exit_code, 0);
    EXPECT_EQ(run_cli(work.path(), {"trust", "--revoke"}).exit_code, 0);
    EXPECT_EQ(run_cli(work.path(), {"check"}).exit_code, 6);
    EXPECT_EQ(run_cli(work.path(), {"trust", "--revoke", "--show"}).exit_code, 2);
}

TEST(Trust, AMalformedFileOfThePullBlocksNoWayBack) {
    const auto both = carrying_an_edit();
    const auto& work = both.work;
    both.upstream.write(".carry.yaml", "verify: [\n");
    both.upstream.commit("Break the settings");
    EXPECT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 0);
    const auto upgrade = run_cli(work.path(), {"upgrade"});
    EXPECT_EQ(upgrade.exit_code, 2);
    EXPECT_THAT(upgrade.error_output, HasSubstr(".carry.yaml:2:1: "));
    EXPECT_EQ(run_cli(work.path(), {"trust"}).exit_code, 2);
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_FALSE(work.exists(".carry.yaml"));
    EXPECT_EQ(run_cli(work.path(), {"trust"}).exit_code, 2); // there is none
}

} // namespace
} // namespace carry::test
