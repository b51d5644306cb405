// Each refusal: exit code 6, one sentence with what to type, and the checkout unchanged byte for byte, .git included.
#include "run_cli.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <iostream>

namespace carry::test {
namespace {

using ::testing::HasSubstr;

/// A checkout in which nothing is refused yet.
struct Place {
    TempRepo upstream, work;

    static Place fresh() {
        static const auto both = [] {
            auto made = UpstreamAndCheckout::with({{"a", numbered("a", 30)}, {"b", numbered("b", 30)}, {"d/c", "c\n"}});
            made.upstream.write("a", set_line(numbered("a", 30), 10, "theirs"));
            made.upstream.write("new", "new\n");
            made.upstream.commit("Move on");
            return made;
        }();
        Place place{TempRepo::copy_of(both.upstream), TempRepo::copy_of(both.work)};
        auto config = place.work.read(".git/config");
        config.replace(config.find(both.upstream.url()), both.upstream.url().size(), place.upstream.url());
        place.work.write(".git/config", config);
        return place;
    }
    /// Upstream's change of 'a' and one of its own at the same lines, as a commit.
    void diverge() const {
        work.write("a", set_line(numbered("a", 30), 10, "mine"));
        work.commit("Mine");
        work.git("fetch", "-q");
    }
    /// A filter that has to succeed.
    void filter(const std::string& path, const std::string& clean, const std::string& smudge) const {
        work.write(".git/info/attributes", path + " filter=carried\n");
        work.git("config", "filter.carried.clean", clean);
        work.git("config", "filter.carried.smudge", smudge);
        work.git("config", "filter.carried.required", "true");
    }
    void write_script(const std::string& name, const std::string& body) const {
        work.write(".git/" + name, "#!/bin/sh\n" + body);
        work.make_executable(".git/" + name);
    }
};

struct Refusal {
    std::string name;
    std::string sentence, hint;
    std::function<void(const Place&)> prepare;
    std::vector<std::string> arguments = {"upgrade"};
    /// Done by somebody else meanwhile, so that it is part of what has to be there afterwards.
    std::function<void(const Place&)> meanwhile = {};
    bool as_nobody = false; ///< run by somebody who is not root
};

/// git-carry run by nobody, where we are root, and by ourselves otherwise.
ProcessResult run_as_nobody(const Place& place, const std::vector<std::string>& arguments) {
    if (geteuid() != 0)
        return run_cli(place.work.path(), arguments);
    std::vector<std::string> argv = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", CARRY_PROGRAM};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run_program(argv, place.work.path());
}

/// What is made for a test is root's alone.
void let_in(const std::filesystem::path& directory) {
    namespace fs = std::filesystem;
    fs::permissions(directory, fs::perms::others_exec | fs::perms::others_read, fs::perm_options::add);
}

void give_away(const std::filesystem::path& path, uid_t owner) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
        ASSERT_EQ(lchown(entry.path().c_str(), owner, owner), 0);
    ASSERT_EQ(lchown(path.c_str(), owner, owner), 0);
}

void PrintTo(const Refusal& refusal, std::ostream* out) {
    *out << refusal.name;
}

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, AndUnchanged) {
    const auto& refusal = GetParam();
    const auto place = Place::fresh();
    refusal.prepare(place);
    if (testing::Test::IsSkipped())
        return;
    auto before = every_file(place.work.path());
    const auto run =
        refusal.as_nobody ? run_as_nobody(place, refusal.arguments) : run_cli(place.work.path(), refusal.arguments);
    EXPECT_EQ(run.exit_code, 6) << run.output << run.error_output;
    const auto line = run.error_output.substr(0, run.error_output.find('\n'));
    EXPECT_THAT(line, HasSubstr(refusal.sentence));
    EXPECT_TRUE(line.starts_with("git-carry: ")) << run.error_output;
    EXPECT_THAT(run.error_output, HasSubstr("\nhint: "));
    EXPECT_THAT(run.error_output, HasSubstr(refusal.hint));
    EXPECT_EQ(run.output, "");
    auto after = every_file(place.work.path());
    // what was resolved so far is remembered, whatever comes of the command
    std::erase_if(after, [](const auto& file) { return file.first.starts_with(".git/carry/rr-cache/"); });
    if (refusal.meanwhile) {
        refusal.meanwhile(place);
        before = every_file(place.work.path());
    }
    EXPECT_TRUE(same(before, after));
}

std::vector<Refusal> refusals() {
    std::vector<Refusal> all = {
        {"Merge", "a merge is in progress in ", "git merge --abort",
         [](const Place& place) {
             place.diverge();
             place.work.git_status("merge", "-q", "origin/main");
         }},
        {"Rebase", "a rebase is in progress in ", "git rebase --abort",
         [](const Place& place) {
             place.diverge();
             place.work.git_status("rebase", "-q", "origin/main");
         }},
        {"CherryPick", "a cherry-pick is in progress in ", "git cherry-pick --abort",
         [](const Place& place) {
             place.diverge();
             place.work.git_status("cherry-pick", "origin/main");
         }},
        {"Revert", "a revert is in progress in ", "git revert --abort",
         [](const Place& place) {
             place.diverge();
             place.work.git_status("revert", "--no-commit", "HEAD");
             place.work.write(".git/REVERT_HEAD", place.work.head() + "\n");
         }},
        {"Bisect", "a bisect is in progress in ", "git bisect reset",
         [](const Place& place) { place.work.git("bisect", "start"); }},
        {"Am", "an am is in progress in ", "git am --abort",
         [](const Place& place) {
             place.diverge();
             const auto patch = place.work.git("format-patch", "-1", "--stdout", "origin/main");
             static_cast<void>(place.work.git_run({"am", "-q"}, patch));
         }},
        {"IndexLock", "the index is locked: ", "rm ",
         [](const Place& place) { place.work.write(".git/index.lock", ""); }},
        {"Unmerged", "'a' has unresolved conflicts", "git add a",
         [](const Place& place) {
             place.work.write("a", set_line(numbered("a", 30), 10, "mine"));
             place.work.git("stash", "-q");
             place.work.git("pull", "-q");
             place.work.git_status("stash", "pop", "-q");
         }},
        {"Waiting", "the conflicts of run ", "git carry abort",
         [](const Place& place) {
             place.work.write("a", set_line(numbered("a", 30), 10, "mine"));
             EXPECT_EQ(run_cli(place.work.path(), {"upgrade", "--on-conflict=mark"}).exit_code, 4);
         }},
        {"Unresolved",
         "'a' is not resolved yet",
         "git add a",
         [](const Place& place) {
             place.work.write("a", set_line(numbered("a", 30), 10, "mine"));
             EXPECT_EQ(run_cli(place.work.path(), {"upgrade", "--on-conflict=mark"}).exit_code, 4);
         },
         {"continue"}},
        {"BeyondWhatIsStaged",
         "'b' was changed beyond what is staged",
         "git add b",
         [](const Place& place) {
             place.diverge();
             place.work.write("b", set_line(numbered("b", 30), 10, "carried"));
             EXPECT_EQ(run_cli(place.work.path(), {"upgrade", "--on-conflict=mark"}).exit_code, 4);
             place.work.write("a", "resolved\n");
             place.work.stage("a");
             place.work.write("b", set_line(numbered("b", 30), 10, "later"));
         },
         {"continue"}},
        {"NothingToContinue", "no run waits to be continued", "git carry status", [](const Place&) {}, {"continue"}},
        {"NothingToAbort", "no run waits to be continued or aborted", "git carry undo", [](const Place&) {}, {"abort"}},
        {"Unborn", "'fresh' has no commit yet", "git pull",
         [](const Place& place) { place.work.git("symbolic-ref", "HEAD", "refs/heads/fresh"); }},
        {"NoUpstream", "branch 'side' follows no upstream", "git branch --set-upstream-to=origin/main",
         [](const Place& place) { place.work.git("checkout", "-q", "--no-track", "-b", "side"); }},
        {"Detached", "HEAD is detached and follows no upstream", "git carry upgrade --to origin/main",
         [](const Place& place) {
             place.work.git("checkout", "-q", "--detach");
             place.work.git("remote", "set-head", "origin", "--delete");
         }},
        {"NoRemote", "branch 'main' follows no upstream", "--to",
         [](const Place& place) { place.work.git("remote", "remove", "origin"); }},
        {"NothingInCommon",
         "have no commit in common",
         "git carry upgrade --base REV",
         [](const Place& place) {
             place.work.git("checkout", "-q", "--orphan", "other");
             place.work.write("a", "nothing that upstream ever had\n");
             place.work.commit("Another history");
         },
         {"upgrade", "--to", "origin/main"}},
        {"UpstreamGone", "upstream 'origin/side' is gone from 'origin'", "git ls-remote --heads origin",
         [](const Place& place) {
             place.upstream.git("branch", "side");
             place.work.git("fetch", "-q");
             place.work.git("branch", "-q", "--set-upstream-to=origin/side");
             place.upstream.git("branch", "-q", "-D", "side");
             place.upstream.git("checkout", "-q", "--detach");
         }},
        {"UpstreamMissing",
         "upstream 'origin/none' does not exist",
         "git branch -r",
         [](const Place& place) { place.work.git("config", "branch.main.merge", "refs/heads/none"); },
         {"upgrade", "--offline"}},
        {"MergesInARebase",
         "the local commits hold a merge and cannot be rebased",
         "--integrate=merge",
         [](const Place& place) {
             place.work.git("checkout", "-q", "-b", "side");
             place.work.write("side", "1\n");
             place.work.commit("Side");
             place.work.git("checkout", "-q", "main");
             place.work.git("merge", "-q", "--no-ff", "-m", "Merge side", "side");
         },
         {"upgrade", "--integrate=rebase"}},
        {"TooLargeInTheWay", "'new' is in upstream's way and larger than the limit of 3 bytes", "carry.inTheWayLimit",
         [](const Place& place) {
             place.work.write(".git/info/exclude", "new\n");
             place.work.write("new", "local\n");
             place.work.git("config", "carry.inTheWayLimit", "3");
         }},
        {"SpecialFileInTheWay", "'new' is in upstream's way and cannot be stored", "",
         [](const Place& place) { ASSERT_EQ(mkfifo(place.work.file("new").c_str(), 0600), 0); }},
        {"SpecialFileTracked", "'b' is tracked and is neither a file nor a link on disk", "",
         [](const Place& place) {
             place.work.remove("b");
             ASSERT_EQ(mkfifo(place.work.file("b").c_str(), 0600), 0);
         }},
        {"CleanFilterOfAnEdit", "the clean filter 'carried' fails on 'b'", "git config --get-regexp",
         [](const Place& place) {
             place.filter("b", "false", "cat");
             place.work.write("b", "mine\n");
         }},
        {"CleanFilterOfTheScan", "the clean filter 'carried' fails on 'b'", "git config --get-regexp",
         [](const Place& place) { place.filter("b", "false", "cat"); }}, // its time is new, so git has to read it
        {"SmudgeFilter", "the smudge filter 'carried' fails on 'a'", "git config --get-regexp",
         [](const Place& place) { place.filter("a", "cat", "false"); }},
        {"ChangedMeanwhile",
         "'b' was changed while the upgrade was being planned",
         "run the command again",
         [](const Place& place) {
             place.upstream.write("b", "new\n" + numbered("b", 30));
             place.upstream.commit("Move b");
             place.work.write("b", set_line(numbered("b", 30), 20, "mine"));
             place.write_script("upload", "echo later >>b; exec git-upload-pack \"$@\"\n");
             place.work.git("config", "remote.origin.uploadpack", place.work.file(".git/upload").string());
         },
         {"upgrade"},
         [](const Place& place) { place.work.write("b", set_line(numbered("b", 30), 20, "mine") + "later\n"); }},
        {"AppearedMeanwhile",
         "'new' appeared while the upgrade was being planned",
         "run the command again",
         [](const Place& place) {
             place.filter("new", "cat", "echo later >" + place.work.file("new").string() + "; cat");
         },
         {"upgrade"},
         [](const Place& place) { place.work.write("new", "later\n"); }},
        {"UnseenEdit", "'b' holds an edit that git status does not show", "touch b",
         [](const Place& place) {
             place.upstream.write("b", "new\n" + numbered("b", 30));
             place.upstream.commit("Move b");
             place.write_script("monitor", "printf 'token\\0'\n"); // it has seen nothing
             place.work.git("config", "core.fsmonitor", place.work.file(".git/monitor").string());
             place.work.git("config", "core.fsmonitorHookVersion", "2");
             place.work.git("update-index", "--refresh");
             place.work.git("update-index", "--fsmonitor");
             place.work.git("status");
             place.work.write("b", set_line(numbered("b", 30), 20, "mine"));
             EXPECT_EQ(place.work.git("status", "--porcelain"), "");
         }},
        {"Reftable", "the reftable format in ", "git refs migrate --ref-format=files",
         [](const Place& place) { place.work.git("config", "extensions.refStorage", "reftable"); }},
        {"UnknownExtension", "is a repository that this git does not know how to read", "",
         [](const Place& place) {
             place.work.git("config", "core.repositoryFormatVersion", "1");
             place.work.git("config", "extensions.fromTheFuture", "true");
         }},
        {"Bare",
         "is a bare repository: it has no working tree",
         "",
         [](const Place& place) { place.work.git("config", "core.bare", "true"); },
         {"-C", ".git", "upgrade"}},
        {"InsideGit",
         "is inside a git directory, not a working tree",
         "",
         [](const Place&) {},
         {"-C", ".git", "upgrade"}},
        {"NoRepository", "is not in a git repository", "git carry -C DIR", [](const Place&) {}, {"-C", "/", "upgrade"}},
        {"SomebodyElses", "(uid 12345), not to 'root'", "sudo -u",
         [](const Place& place) {
             if (geteuid() != 0)
                 GTEST_SKIP() << "only root can give files away";
             give_away(place.work.path(), 12345);
         }},
        {.name = "NobodyAtRoots",
         .sentence = "(uid 0), not to 'nobody'",
         .hint = "safe.directory",
         .prepare =
             [](const Place& place) {
                 if (geteuid() != 0)
                     GTEST_SKIP() << "only root can become somebody else";
                 let_in(place.work.path().parent_path());
                 if (run_as_nobody(place, {"--version"}).exit_code != 0)
                     GTEST_SKIP() << "somebody else cannot run " CARRY_PROGRAM;
             },
         .as_nobody = true},
        {.name = "Unreadable",
         .sentence = "'b' is tracked and cannot be read",
         .hint = "chmod u+r b",
         .prepare =
             [](const Place& place) {
                 place.work.write("b", set_line(numbered("b", 30), 20, "mine"));
                 if (geteuid() == 0) {
                     let_in(place.work.path().parent_path());
                     if (run_as_nobody(place, {"--version"}).exit_code != 0)
                         GTEST_SKIP() << "somebody else cannot run " CARRY_PROGRAM;
                     give_away(place.work.path(), 65534);
                 }
                 std::filesystem::permissions(place.work.file("b"), std::filesystem::perms::none);
             },
         .as_nobody = true},
        {"RestlessFile", "the checkout changes while it is read", "when nothing writes to the checkout",
         [](const Place& place) {
             place.filter("b", "touch b; cat", "cat");
             place.work.write("b", set_line(numbered("b", 30), 20, "mine"));
         }},
        {"RestlessFileInTheWay", "'new' changes while it is read", "when nothing writes to the checkout",
         [](const Place& place) {
             place.filter("new", "touch new; cat", "cat");
             place.work.write(".git/info/exclude", "new\n");
             place.work.write("new", "mine\n");
         }},
        {"RepositoryInTheWay", "'new' is in upstream's way and is another repository", "mv new ELSEWHERE",
         [](const Place& place) { place.work.git("init", "-q", "new"); }},
        {"BrokenSubmodule", "the submodule 'sub' cannot be read", "git -C sub status",
         [](const Place& place) {
             place.work.git("init", "-q", "-b", "main", "sub");
             place.work.git("update-index", "--add", "--cacheinfo", "160000," + place.work.head() + ",sub");
             place.work.write("sub/.git/refs/heads/main", std::string(40, '1') + "\n");
         }},
    };
    return all;
}

INSTANTIATE_TEST_SUITE_P(Each, Refused, ::testing::ValuesIn(refusals()),
                         [](const auto& refusal) { return refusal.param.name; });

} // namespace
} // namespace carry::test
