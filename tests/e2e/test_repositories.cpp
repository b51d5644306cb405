// Kinds of repositories: the same upgrade in each, then git's own word on the result, then undo.
#include "base/file.hpp"
#include "run_cli.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <iostream>

namespace carry::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

/// A change in each layer.
void carry_changes(const TempRepo& work) {
    work.write("committed", set_line(numbered("c", 30), 20, "mine"));
    work.commit("Mine");
    work.write("staged", set_line(numbered("s", 30), 20, "mine"));
    work.stage("staged");
    work.write("unstaged", set_line(numbered("u", 30), 20, "mine"));
    work.write("d/intended", "mine\n");
    work.git("add", "-N", "d/intended");
    work.write("untracked", "mine\n");
}

TempRepo make_upstream(const std::vector<std::string>& init = {}) {
    TempRepo upstream;
    if (!init.empty()) {
        upstream.remove(".git");
        std::vector<std::string> args = {"init", "-q", "-b", "main"};
        args.insert(args.end(), init.begin(), init.end());
        static_cast<void>(upstream.git_args(args));
    }
    upstream.git("config", "uploadpack.allowFilter", "true");
    upstream.git("config", "uploadpack.allowAnySHA1InWant", "true");
    for (const char* name : {"committed", "staged", "unstaged", "plain", "d/deep"})
        upstream.write(name, numbered(std::string(1, *name), 30));
    upstream.commit("Begin");
    upstream.write("plain", numbered("plain", 30));
    upstream.commit("Go on");
    return upstream;
}

void move_on(const TempRepo& upstream) {
    for (const char* name : {"committed", "staged", "unstaged", "plain", "d/deep"})
        upstream.write(name, "new\n" + upstream.read(name));
    upstream.write("d/new", "new\n");
    upstream.write("Plain", "differs in case only\n");
    upstream.commit("Move on");
}

void expect_upgraded(const TempRepo& work) {
    EXPECT_EQ(work.git("status", "--porcelain"), " A d/intended\nM  staged\n M unstaged\n?? untracked\n");
    EXPECT_EQ(work.read("committed"), "new\n" + set_line(numbered("c", 30), 20, "mine"));
    EXPECT_EQ(work.read("staged"), "new\n" + set_line(numbered("s", 30), 20, "mine"));
    EXPECT_EQ(work.read("unstaged"), "new\n" + set_line(numbered("u", 30), 20, "mine"));
    EXPECT_EQ(work.read("plain"), "new\n" + numbered("plain", 30));
    EXPECT_EQ(work.read("d/new"), "new\n");
    const auto fsck = work.git_run({"fsck", "--connectivity-only", "--no-dangling"});
    EXPECT_TRUE(fsck.ok()) << fsck.error_output << fsck.output;
}

struct Kind {
    std::string name;
    std::vector<std::string> clone = {};
    std::function<void(const TempRepo&)> prepare = [](const TempRepo&) {}; ///< before the changes are made
    std::function<void(const TempRepo&)> seal = [](const TempRepo&) {};    ///< after they are
    std::function<void(const TempRepo&)> check = [](const TempRepo&) {};   ///< after the upgrade
    std::vector<std::string> init = {};
};

void PrintTo(const Kind& kind, std::ostream* out) {
    *out << kind.name;
}

class RepositoryKind : public ::testing::TestWithParam<Kind> {};

TEST_P(RepositoryKind, IsUpgradedAndUndone) {
    const auto& kind = GetParam();
    const auto upstream = make_upstream(kind.init);
    const auto work = TempRepo::clone_of(upstream, kind.clone);
    kind.prepare(work);
    carry_changes(work);
    kind.seal(work);
    move_on(upstream);
    const auto before = fingerprint(work.path());
    const auto upgrade = run_cli(work.path(), {"upgrade"});
    ASSERT_EQ(upgrade.exit_code, 0) << upgrade.output << upgrade.error_output;
    expect_upgraded(work);
    kind.check(work);
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_TRUE(same(before, fingerprint(work.path())));
}

void write_monitor(const TempRepo& work) {
    work.write(".git/hooks/monitor", "#!/bin/sh\nprintf 'token\\0/\\0'\n"); // anything may have changed
    work.make_executable(".git/hooks/monitor");
    work.git("config", "core.fsmonitor", ".git/hooks/monitor");
    work.git("config", "core.fsmonitorHookVersion", "2");
}

std::string index_of(const TempRepo& work) {
    return work.read(".git/index");
}

/// As index.skipHash leaves it: the checksum at the end is all zero.
void drop_checksum(const TempRepo& work) {
    auto bytes = index_of(work);
    bytes.replace(bytes.size() - 20, 20, 20, '\0');
    work.write(".git/index", bytes);
}

std::size_t promisor_packs(const fs::path& pack) {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(pack))
        count += entry.path().extension() == ".promisor" ? 1U : 0U;
    return count;
}

std::vector<Kind> kinds() {
    const auto configured = [](const TempRepo& work) {
        for (const auto& [key, value] : std::map<std::string, std::string>{{"core.ignoreCase", "true"},
                                                                           {"core.symlinks", "false"},
                                                                           {"core.quotePath", "false"},
                                                                           {"core.sharedRepository", "group"},
                                                                           {"core.precomposeUnicode", "true"},
                                                                           {"core.protectNTFS", "true"},
                                                                           {"core.trustCtime", "false"},
                                                                           {"core.checkStat", "minimal"},
                                                                           {"extensions.worktreeConfig", "true"}})
            work.git("config", key, value);
        work.git("config", "--worktree", "core.bigFileThreshold", "1k");
    };
    const auto cached_and_watched = [](const TempRepo& work) {
        work.git("update-index", "--index-version", "4");
        work.git("config", "core.untrackedCache", "true");
        work.git("update-index", "--untracked-cache");
        write_monitor(work);
        work.git("status");
    };
    const auto still_cached_and_watched = [](const TempRepo& work) {
        EXPECT_EQ(index_of(work).substr(0, 8), std::string("DIRC\0\0\0\4", 8));
        EXPECT_THAT(index_of(work), HasSubstr("UNTR"));
    };
    const auto split = [](const TempRepo& work) {
        work.git("config", "core.splitIndex", "true");
        work.git("update-index", "--split-index");
    };
    const auto replaced_and_grafted = [](const TempRepo& work) {
        work.git("replace", "HEAD~1", work.git_line("commit-tree", "-m", "Another beginning", "HEAD~1^{tree}"));
        work.git("config", "advice.graftFileDeprecated", "false");
        work.write(".git/info/grafts", work.git_line("rev-parse", "HEAD~1") + "\n");
    };
    const auto adopted = [](const TempRepo& work) {
        EXPECT_GT(promisor_packs(work.git_directory() / "objects/pack"), 0U);
        EXPECT_EQ(promisor_packs(work.git_directory() / "carry/objects/pack"), 0U);
    };
    const auto nothing = [](const TempRepo&) {};
    return {{"SettingsCacheAndMonitor", {}, configured, cached_and_watched, still_cached_and_watched},
            {"SplitIndex", {}, split},
            {"ShallowAndAnIndexWithoutChecksum", {"--depth=1"}, nothing, drop_checksum},
            {"AlternatesReplaceRefsAndGrafts", {"--shared"}, nothing, replaced_and_grafted},
            {"WithoutTrees", {"--filter=tree:0"}, nothing, nothing, adopted},
            {"Sha256", {}, nothing, nothing, nothing, {"--object-format=sha256"}}};
}

INSTANTIATE_TEST_SUITE_P(Each, RepositoryKind, ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param.name; });

/// Fetching needs one request for refs, and one for all the files that are missing.
TEST(PartialClone, AsksOnceAndSaysSoWhereNobodyAnswers) {
    const auto upstream = make_upstream();
    for (int n = 0; n < 9; ++n)
        upstream.write("file" + std::to_string(n), numbered("f", 20));
    upstream.commit("More");
    const auto work = TempRepo::clone_of(upstream, {"--filter=blob:none"});
    carry_changes(work);
    move_on(upstream);
    for (int n = 0; n < 9; ++n)
        upstream.append("file" + std::to_string(n), std::to_string(n) + "\n");
    upstream.commit("More still");
    work.git("fetch", "-q");
    const auto elsewhere = upstream.path().parent_path() / "elsewhere";
    fs::rename(upstream.path(), elsewhere);
    const auto before = every_file(work.path());
    const auto refused = run_cli(work.path(), {"upgrade", "--offline"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_TRUE(refused.error_output.starts_with(
        "git-carry: this partial clone needs objects that its remote does not deliver\n"))
        << refused.error_output;
    EXPECT_TRUE(same(before, every_file(work.path())));
    fs::rename(elsewhere, upstream.path());

    const auto trace = work.path().parent_path() / "trace";
    const auto upgrade =
        run_program({CARRY_PROGRAM, "upgrade", "--offline"}, work.path(), {{"GIT_TRACE2_EVENT", trace.string()}});
    EXPECT_EQ(upgrade.exit_code, 0) << upgrade.error_output;
    expect_upgraded(work);
    const auto events = read_file(trace);
    int requests = 0;
    constexpr std::string_view request = "\"name\":\"index-pack\"";
    for (auto at = events.find(request); at != std::string::npos; at = events.find(request, at + 1))
        ++requests;
    EXPECT_EQ(requests, 1);
}

TEST(Worktrees, AreUpgradedInTurnWithRecordsOfTheirOwn) {
    const auto upstream = make_upstream();
    const auto work = TempRepo::clone_of(upstream);
    const auto linked = work.path().parent_path() / "linked";
    work.git("worktree", "add", "-q", "-b", "side", "--track", linked.string(), "origin/main");
    work.git("worktree", "lock", linked.string());
    carry_changes(work);
    write_file_atomic(linked / "unstaged", set_line(numbered("u", 30), 20, "linked"));
    move_on(upstream);
    const auto before = fingerprint(work.path());
    const auto linked_before = fingerprint(linked);
    EXPECT_EQ(run_cli(linked / "d", {"upgrade"}).exit_code, 0); // from a directory in it
    EXPECT_EQ(read_file(linked / "unstaged"), "new\n" + set_line(numbered("u", 30), 20, "linked"));
    EXPECT_EQ(work.git("-C", linked.string(), "status", "--porcelain"), " M unstaged\n");
    EXPECT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 0);
    expect_upgraded(work);
    EXPECT_EQ(run_cli(linked, {"undo"}).exit_code, 0);
    auto linked_after = fingerprint(linked);
    linked_after["branches"] = linked_before.at("branches"); // main has moved
    EXPECT_TRUE(same(linked_before, linked_after));
    expect_upgraded(work);
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_TRUE(same(before, fingerprint(work.path())));
}

/// The repository is elsewhere, by core.worktree and by the environment, and the caller's index is another one.
TEST(Places, AreWhatGitSaysTheyAre) {
    const auto upstream = make_upstream();
    const auto work = TempRepo::clone_of(upstream);
    carry_changes(work);
    move_on(upstream);
    const auto moved = work.path().parent_path() / "elsewhere.git";
    fs::rename(work.git_directory(), moved);
    work.write("../caller/f", "");
    const auto before_index = read_file(moved / "index");
    const auto status =
        run_program({"git", "--git-dir", moved.string(), "config", "core.worktree", work.path().string()});
    ASSERT_TRUE(status.ok());
    const auto caller = work.path().parent_path() / "caller";
    const auto upgrade = run_program({CARRY_PROGRAM, "upgrade"}, caller,
                                     {{"GIT_DIR", moved.string()}, {"GIT_INDEX_FILE", (caller / "index").string()}});
    EXPECT_EQ(upgrade.exit_code, 0) << upgrade.error_output;
    EXPECT_FALSE(fs::exists(caller / "index"));
    EXPECT_NE(read_file(moved / "index"), before_index);
    write_file_atomic(work.path() / ".git", "gitdir: " + moved.string() + "\n"); // as git clone --separate-git-dir
    expect_upgraded(work);
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_EQ(work.git("status", "--porcelain"), " A d/intended\nM  staged\n M unstaged\n?? untracked\n");
    EXPECT_EQ(work.read("unstaged"), set_line(numbered("u", 30), 20, "mine"));
}

TEST(Upstreams, MayBeALocalBranchAmongSeveralRemotes) {
    const auto upstream = make_upstream();
    const auto work = TempRepo::clone_of(upstream);
    work.git("remote", "add", "another", upstream.url());
    work.git("checkout", "-q", "-b", "side");
    work.git("branch", "-q", "--set-upstream-to=main");
    carry_changes(work);
    move_on(upstream);
    work.git("fetch", "-q", "origin", "main:main");
    const auto upgrade = run_cli_json(work.path(), {"upgrade"});
    EXPECT_EQ(upgrade.exit_code, 0) << upgrade.error_output;
    EXPECT_EQ(upgrade.report["upstream"], "main");
    expect_upgraded(work);
}

} // namespace
} // namespace carry::test
