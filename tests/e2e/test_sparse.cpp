// Sparse checkouts: what is checked out after an upgrade is what git's own rules say, and nothing is written beside it.
#include "run_cli.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>

#include <set>

namespace carry::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text(const std::string& name) {
    return numbered(name, 30);
}

struct Sparse {
    std::string name;
    std::vector<std::string> set; ///< git sparse-checkout set ...
};

/// A commit that touches what will not be checked out, then the sparse patterns, then a change in each layer.
UpstreamAndCheckout sparse_checkout(const Sparse& sparse) {
    auto both = UpstreamAndCheckout::with({{"top", text("top")},
                                           {"in/edited", text("edited")},
                                           {"in/staged", text("staged")},
                                           {"in/gone", text("gone")},
                                           {"in/plain", text("plain")},
                                           {"out/committed", text("committed")},
                                           {"out/plain", text("other")},
                                           {"out/deep/gone", text("deep")},
                                           {"far/away", text("away")}});
    const auto& work = both.work;
    work.write("out/committed", set_line(text("committed"), 20, "mine"));
    work.commit("Tune what is not checked out");
    std::vector<std::string> set = {"sparse-checkout", "set"};
    set.insert(set.end(), sparse.set.begin(), sparse.set.end());
    static_cast<void>(work.git_args(set));
    work.write("in/staged", set_line(text("staged"), 20, "mine"));
    work.stage("in/staged");
    work.write("in/edited", set_line(text("edited"), 20, "mine"));
    work.write("in/untracked", "mine\n");
    work.write("out/left behind", "mine\n");
    return both;
}

void move_upstream(const TempRepo& upstream) {
    for (const char* name : {"in/edited", "in/staged", "out/committed"})
        upstream.write(name, "new\n" + upstream.read(name));
    upstream.write("in/plain", "new\n");
    upstream.write("out/plain", "new\n");
    upstream.write("top", "new\n");
    upstream.remove("in/gone");
    upstream.remove("out/deep/gone");
    for (const char* name : {"in/deep/new", "out/new", "out/other/new", "fresh/new", "new", "far/new"})
        upstream.write(name, "new\n");
    upstream.commit("Move on");
}

class SparseCheckout : public ::testing::TestWithParam<Sparse> {};

TEST_P(SparseCheckout, HoldsWhatGitWouldCheckOut) {
    const auto both = sparse_checkout(GetParam());
    const auto& work = both.work;
    move_upstream(both.upstream);
    const auto before = fingerprint(work.path());
    const auto patterns = work.git("sparse-checkout", "list");
    const auto collapsed = [&] {
        std::set<std::string> directories;
        const auto listed = work.git("ls-files", "--sparse");
        for (std::size_t at = 0, end = 0; (end = listed.find('\n', at)) != std::string::npos; at = end + 1)
            if (listed[end - 1] == '/')
                directories.insert(listed.substr(at, end - at));
        return directories;
    };
    std::filesystem::remove_all(work.file("out")); // an outer file would make git open its directory
    const auto collapsed_before = collapsed();
    work.write("out/left behind", "mine\n");

    const auto upgrade = run_cli_json(work.path(), {"upgrade"});
    ASSERT_EQ(upgrade.exit_code, 0) << upgrade.report.dump(2) << upgrade.error_output;
    EXPECT_EQ(work.git("status", "--porcelain"),
              " M in/edited\nM  in/staged\n?? in/untracked\n?? \"out/left behind\"\n");
    EXPECT_EQ(work.read("in/plain"), "new\n");
    EXPECT_EQ(work.read("in/edited"), "new\n" + set_line(text("edited"), 20, "mine"));
    EXPECT_FALSE(work.exists("out/plain"));
    EXPECT_FALSE(work.exists("out/other"));
    EXPECT_FALSE(work.exists("far"));
    EXPECT_EQ(work.git("show", "HEAD:out/committed"), "new\n" + set_line(text("committed"), 20, "mine"));
    EXPECT_EQ(work.git("sparse-checkout", "list"), patterns);
    const auto after = fingerprint(work.path());
    work.git("sparse-checkout", "reapply");
    EXPECT_TRUE(same(after, fingerprint(work.path()))); // git itself sees nothing left to do
    std::filesystem::remove_all(work.file("out"));
    auto collapsed_after = collapsed();
    collapsed_after.erase("fresh/"); // upstream's
    EXPECT_EQ(collapsed_after, collapsed_before);
    work.write("out/left behind", "mine\n");
    EXPECT_EQ(work.git_status("fsck"), 0);

    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_TRUE(same(before, fingerprint(work.path())));
}

INSTANTIATE_TEST_SUITE_P(Kinds, SparseCheckout,
                         ::testing::Values(Sparse{"Cone", {"--cone", "--no-sparse-index", "in"}},
                                           Sparse{"SparseIndex", {"--cone", "--sparse-index", "in"}},
                                           Sparse{"Patterns",
                                                  {"--no-cone", "/*", "!/out/", "!/far/", "!new", "/in/deep/new"}}),
                         [](const auto& sparse) { return sparse.param.name; });

/// The sparse patterns leave "out/" out; `present` is checked out all the same, and edited.
UpstreamAndCheckout edited_outside() {
    auto both = UpstreamAndCheckout::with({{"in/a", text("a")}, {"out/b", text("b")}, {"out/c", text("c")}});
    both.work.git("sparse-checkout", "set", "--cone", "in");
    both.work.write("out/b", set_line(text("b"), 20, "mine"));
    return both;
}

TEST(SparseEdits, OutsideThePatternsAreCarried) {
    const auto both = edited_outside();
    const auto& work = both.work;
    both.upstream.write("out/b", "new\n" + text("b"));
    both.upstream.write("out/c", "new\n" + text("c"));
    both.upstream.commit("Move on");
    const auto before = fingerprint(work.path());
    const auto upgrade = run_cli_json(work.path(), {"upgrade"});
    EXPECT_EQ(upgrade.exit_code, 0) << upgrade.report.dump(2) << upgrade.error_output;
    EXPECT_EQ(work.read("out/b"), "new\n" + set_line(text("b"), 20, "mine"));
    EXPECT_FALSE(work.exists("out/c"));
    EXPECT_EQ(work.git("status", "--porcelain"), " M out/b\n");
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_TRUE(same(before, fingerprint(work.path())));
}

TEST(SparseEdits, FollowARenameOutOfThePatterns) {
    const auto both = UpstreamAndCheckout::with({{"in/a", text("a")}, {"in/s", text("s")}, {"out/b", text("b")}});
    const auto& work = both.work;
    work.git("sparse-checkout", "set", "--cone", "in");
    work.write("in/s", set_line(text("s"), 20, "mine"));
    work.stage("in/s");
    work.write("in/a", set_line(text("a"), 20, "mine"));
    both.upstream.git("mv", "in/a", "out/a");
    both.upstream.git("mv", "in/s", "out/s");
    both.upstream.commit("Move them");
    const auto before = fingerprint(work.path());
    const auto upgrade = run_cli_json(work.path(), {"upgrade"});
    EXPECT_EQ(upgrade.exit_code, 0) << upgrade.report.dump(2) << upgrade.error_output;
    EXPECT_EQ(work.read("out/a"), set_line(text("a"), 20, "mine")); // the edit is nowhere else
    EXPECT_FALSE(work.exists("out/s"));                             // the index has it
    EXPECT_EQ(work.git("status", "--porcelain"), " M out/a\nM  out/s\n");
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_TRUE(same(before, fingerprint(work.path())));
}

TEST(SparseConflicts, AreCheckedOutForTheirResolution) {
    const auto both = UpstreamAndCheckout::with({{"in/a", text("a")}, {"out/b", text("b")}, {"out/c", text("c")}});
    const auto& work = both.work;
    work.write("out/b", set_line(text("b"), 10, "mine"));
    work.commit("Tune b");
    work.git("sparse-checkout", "set", "--cone", "in");
    both.upstream.write("out/b", set_line(text("b"), 10, "theirs"));
    both.upstream.write("out/c", "new\n");
    both.upstream.commit("Tune b, too");
    const auto before = fingerprint(work.path());
    EXPECT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 3);
    EXPECT_TRUE(same(before, fingerprint(work.path())));
    EXPECT_EQ(run_cli(work.path(), {"upgrade", "--on-conflict=mark"}).exit_code, 4);
    EXPECT_THAT(work.read("out/b"), HasSubstr("<<<<<<<"));
    EXPECT_FALSE(work.exists("out/c"));
    work.write("out/b", set_line(text("b"), 10, "both"));
    work.git("add", "--sparse", "out/b");
    EXPECT_EQ(run_cli(work.path(), {"continue"}).exit_code, 0);
    EXPECT_EQ(work.git("show", "HEAD:out/b"), set_line(text("b"), 10, "both"));
    EXPECT_EQ(work.git("status", "--porcelain"), "");
    EXPECT_FALSE(work.exists("out/c"));
}

TEST(SparseWorktrees, HavePatternsOfTheirOwn) {
    const auto both = UpstreamAndCheckout::with({{"a/f", "1\n"}, {"b/f", "1\n"}});
    const auto linked = both.work.path().parent_path() / "linked";
    both.work.git("sparse-checkout", "set", "--cone", "a");
    both.work.git("worktree", "add", "-q", "-b", "side", "--track", linked.string(), "origin/main");
    both.work.git("-C", linked.string(), "sparse-checkout", "set", "--cone", "b");
    for (const char* name : {"a/f", "b/f", "a/new", "b/new", "c/new"})
        both.upstream.write(name, "2\n");
    both.upstream.commit("Move on");
    EXPECT_EQ(run_cli(linked, {"upgrade"}).exit_code, 0);
    EXPECT_EQ(run_cli(both.work.path(), {"upgrade"}).exit_code, 0);
    EXPECT_EQ(both.work.git("ls-files", "-t"), "H a/f\nH a/new\nS b/f\nS b/new\nS c/new\n");
    EXPECT_EQ(both.work.git("-C", linked.string(), "ls-files", "-t"), "S a/f\nS a/new\nH b/f\nH b/new\nS c/new\n");
    EXPECT_EQ(both.work.git("status", "--porcelain"), "");
    EXPECT_EQ(both.work.git("-C", linked.string(), "status", "--porcelain"), "");
    EXPECT_FALSE(std::filesystem::exists(linked / "a"));
    EXPECT_FALSE(both.work.exists("c"));
}

/// Flags without a sparse checkout: what is absent stays so, what is edited is carried and stays flagged.
TEST(SkipWorktree, WithoutPatternsConcernsTheFlaggedAlone) {
    const auto both = UpstreamAndCheckout::with({{"a", text("a")}, {"b", text("b")}, {"c", text("c")}});
    const auto& work = both.work;
    work.git("update-index", "--skip-worktree", "a", "b", "c");
    work.remove("a");
    work.write("b", set_line(text("b"), 20, "mine"));
    for (const char* name : {"a", "b", "c"})
        both.upstream.write(name, "new\n" + text(name));
    both.upstream.write("d", "new\n");
    both.upstream.commit("Move on");
    const auto before = fingerprint(work.path());
    EXPECT_EQ(run_cli(work.path(), {"upgrade"}).exit_code, 0);
    EXPECT_EQ(work.git("ls-files", "-t"), "S a\nS b\nS c\nH d\n");
    EXPECT_FALSE(work.exists("a"));
    EXPECT_EQ(work.read("b"), "new\n" + set_line(text("b"), 20, "mine"));
    EXPECT_EQ(work.read("c"), "new\n" + text("c"));
    EXPECT_EQ(work.read("d"), "new\n");
    EXPECT_EQ(run_cli(work.path(), {"undo"}).exit_code, 0);
    EXPECT_TRUE(same(before, fingerprint(work.path())));
}

} // namespace
} // namespace carry::test
