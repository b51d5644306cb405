#include "checkout.hpp"
#include "git/repository.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace carry::git {
namespace {

using test::TempRepo;
using test::UpstreamAndCheckout;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

UpstreamAndCheckout two() {
    return UpstreamAndCheckout::with({{"dir/a", "1\n"}});
}

TEST(Repository, OpensFromASubdirectory) {
    const auto both = two();
    const TempRepo& work = both.work;
    const Repository repository = Repository::open(work.file("dir"));
    EXPECT_EQ(repository.paths().worktree, fs::canonical(work.path()));
    EXPECT_EQ(repository.paths().git_dir, fs::canonical(work.git_directory()));
    EXPECT_EQ(repository.paths().common_dir, repository.paths().git_dir);
}

TEST(Repository, OpensALinkedWorktree) {
    const auto both = two();
    const TempRepo& work = both.work;
    const TemporaryDirectory place(fs::temp_directory_path());
    const auto linked = fs::canonical(place.path()) / "linked tree\nwith newline";
    work.git("worktree", "add", "-q", "-b", "side", linked.native());
    const Repository repository = Repository::open(linked / "dir");
    EXPECT_EQ(repository.paths().worktree, linked);
    EXPECT_EQ(repository.paths().common_dir, fs::canonical(work.git_directory()));
    EXPECT_EQ(repository.paths().git_dir.parent_path(), fs::canonical(work.git_directory()) / "worktrees");
    EXPECT_EQ(repository.head().branch, "refs/heads/side");
    EXPECT_EQ(repository.head().commit.hex(), work.head());
}

TEST(Repository, RefusesWhatIsNoCheckout) {
    const auto both = two();
    const TempRepo& work = both.work;
    const auto refused = [](const fs::path& path) {
        const auto error = error_of([&] { Repository::open(path); });
        EXPECT_TRUE(error && error->kind() == ErrorKind::refused) << path;
        return error ? error->message() : "";
    };
    EXPECT_THAT(refused(work.git_directory()), HasSubstr("inside a git directory"));
    const TemporaryDirectory place(fs::temp_directory_path());
    EXPECT_THAT(refused(place.path()), HasSubstr("not in a git repository"));
    work.git("clone", "-q", "--bare", ".", (place.path() / "bare").native());
    EXPECT_THAT(refused(place.path() / "bare"), HasSubstr("bare repository"));
    const auto missing = error_of([&] { Repository::open(place.path() / "missing"); });
    EXPECT_TRUE(missing && missing->kind() == ErrorKind::usage);
}

TEST(Repository, RefusesAnotherUsersTree) {
    if (geteuid() != 0)
        GTEST_SKIP() << "only root can give files away";
    const auto both = two();
    const TempRepo& work = both.work;
    constexpr uid_t nobody = 65534;
    fs::path top = fs::canonical(work.path());
    ASSERT_EQ(chown(top.c_str(), nobody, nobody), 0);
    const auto dubious = error_of([&] { Repository::open(work.file("dir")); });
    ASSERT_TRUE(dubious);
    EXPECT_EQ(dubious->kind(), ErrorKind::refused);
    EXPECT_THAT(dubious->message(), HasSubstr("belongs to 'nobody' (uid 65534)"));
    EXPECT_THAT(dubious->hints(),
                ElementsAre(HasSubstr("sudo -u nobody git carry"), HasSubstr("safe.directory " + top.native())));

    // what git allows does not make root's files in it right
    const ScopedVariable parameters("GIT_CONFIG_PARAMETERS", "'safe.directory'='*'");
    const auto root = error_of([&] { Repository::open(work.path()); });
    ASSERT_TRUE(root);
    EXPECT_EQ(root->kind(), ErrorKind::refused);
    EXPECT_THAT(hints_of(*root), HasSubstr("sudo -u nobody git carry"));
    ASSERT_EQ(chown(top.c_str(), 0, 0), 0);
    EXPECT_NO_THROW(Repository::open(work.path()));
}

TEST(Repository, FollowsGitDirOfTheEnvironment) {
    const auto both = two();
    const TempRepo& work = both.work;
    const TemporaryDirectory place(fs::temp_directory_path());
    const ScopedVariable git_dir("GIT_DIR", work.git_directory().native());
    const ScopedVariable work_tree("GIT_WORK_TREE", place.path().native());
    const Repository repository = Repository::open(place.path());
    EXPECT_EQ(repository.paths().worktree, fs::canonical(place.path()));
    EXPECT_EQ(repository.paths().git_dir, fs::canonical(work.git_directory()));
    EXPECT_EQ(repository.program().output({"diff", "--name-status"}), "D\tdir/a\n");
}

TEST(Repository, KnowsHead) {
    const auto both = two();
    const TempRepo& work = both.work;
    const Repository repository = Repository::open(work.path());
    EXPECT_EQ(repository.head().branch, "refs/heads/main");
    EXPECT_EQ(repository.head().commit.hex(), work.head());
    EXPECT_EQ(repository.head().display(), "main");

    work.git("checkout", "-q", "--detach");
    EXPECT_EQ(repository.head().branch, std::nullopt);
    EXPECT_EQ(repository.head().commit.hex(), work.head());
    EXPECT_EQ(repository.head().display(), "detached HEAD");

    work.git("checkout", "-q", "--orphan", "fresh/one");
    EXPECT_EQ(repository.head().branch, "refs/heads/fresh/one");
    EXPECT_TRUE(repository.head().commit.is_null());
    EXPECT_EQ(repository.upstream(), std::nullopt);

    // a tag called HEAD must not get in between
    work.git("checkout", "-q", "-f", "main");
    work.git("update-ref", "refs/heads/HEAD", "HEAD");
    EXPECT_EQ(repository.head().branch, "refs/heads/main");
}

TEST(Repository, KnowsOperationsInProgress) {
    const auto both = two();
    const TempRepo& work = both.work;
    const Repository repository = Repository::open(work.path());
    EXPECT_EQ(repository.operation(), Operation::none);

    work.git("checkout", "-q", "-b", "other");
    work.write("dir/a", "other\n");
    work.commit("other");
    work.write("dir/a", "other 2\n");
    work.commit("other two");
    const std::string patch = work.git("format-patch", "--stdout", "-1");
    work.git("checkout", "-q", "main");
    work.write("dir/a", "mine\n");
    work.commit("mine");

    EXPECT_NE(work.git_status("merge", "other"), 0);
    EXPECT_EQ(repository.operation(), Operation::merge);
    work.git("merge", "--abort");
    EXPECT_NE(work.git_status("rebase", "other"), 0);
    EXPECT_EQ(repository.operation(), Operation::rebase);
    work.git("rebase", "--abort");
    EXPECT_NE(work.git_status("rebase", "--apply", "other"), 0);
    EXPECT_EQ(repository.operation(), Operation::rebase);
    work.git("rebase", "--abort");
    EXPECT_NE(work.git_status("cherry-pick", "other~1", "other"), 0);
    EXPECT_EQ(repository.operation(), Operation::cherry_pick);
    work.git("cherry-pick", "--quit");
    work.git("reset", "-q", "--hard");
    EXPECT_NE(work.git_status("revert", "--no-edit", "main~1"), 0);
    EXPECT_EQ(repository.operation(), Operation::revert);
    work.git("revert", "--abort");
    EXPECT_NE(work.git_run({"am"}, patch).exit_code, 0);
    EXPECT_EQ(repository.operation(), Operation::am);
    work.git("am", "--abort");
    work.git("bisect", "start");
    EXPECT_EQ(repository.operation(), Operation::bisect);
    work.git("bisect", "reset");
    EXPECT_EQ(repository.operation(), Operation::none);
}

TEST(Repository, FindsTheUpstream) {
    const auto both = two();
    const TempRepo& work = both.work;
    work.git("remote", "rename", "origin", "up.stream/x");
    const auto found = Repository::open(work.path()).upstream();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->remote, "up.stream/x");
    EXPECT_EQ(found->merge_ref, "refs/heads/main");
    EXPECT_EQ(found->tracking_ref, "refs/remotes/up.stream/x/main");
    EXPECT_EQ(found->display(), "up.stream/x/main");

    work.git("config", "branch.main.merge", "refs/heads/not-fetched-yet");
    const Repository repository = Repository::open(work.path());
    EXPECT_EQ(repository.upstream()->tracking_ref, "refs/remotes/up.stream/x/not-fetched-yet");
    EXPECT_EQ(repository.read_ref("refs/remotes/up.stream/x/not-fetched-yet"), std::nullopt);

    work.git("checkout", "-q", "-b", "on-local", "--track", "main");
    EXPECT_EQ(repository.upstream()->remote, ".");
    EXPECT_EQ(repository.upstream()->tracking_ref, "refs/heads/main");
    EXPECT_EQ(repository.upstream()->merge_ref, "refs/heads/main");
    EXPECT_EQ(repository.upstream()->display(), "main");

    work.git("checkout", "-q", "-b", "alone", "--no-track");
    EXPECT_EQ(repository.upstream(), std::nullopt);
    EXPECT_TRUE(repository.upstream_of("refs/heads/main"));
    work.git("checkout", "-q", "--detach");
    EXPECT_EQ(repository.upstream(), std::nullopt);
}

TEST(Repository, NamesRemotesAndTheirHead) {
    const auto both = two();
    const TempRepo& work = both.work;
    work.git("remote", "add", "second.one", "/nowhere");
    work.git("config", "remote.pushDefault", "origin");
    const Repository repository = Repository::open(work.path());
    EXPECT_THAT(repository.remotes(), ElementsAre("origin", "second.one"));
    EXPECT_EQ(repository.remote_head("origin"), "refs/remotes/origin/main");
    EXPECT_EQ(repository.remote_head("second.one"), std::nullopt);
}

TEST(Repository, ResolvesRevisionsAndRefs) {
    const auto both = two();
    const TempRepo& work = both.work;
    work.git("tag", "-a", "-m", "tag", "v1");
    const Repository repository = Repository::open(work.path());
    EXPECT_EQ(repository.resolve_commit("v1")->hex(), work.head());
    EXPECT_EQ(repository.resolve_commit("origin/main")->hex(), work.head());
    EXPECT_EQ(repository.resolve_commit("HEAD:dir"), std::nullopt);
    EXPECT_EQ(repository.resolve_commit("nothing"), std::nullopt);
    EXPECT_EQ(repository.resolve_commit("--all"), std::nullopt);
    EXPECT_EQ(repository.resolve_commit(""), std::nullopt);
    EXPECT_EQ(repository.full_ref_name("origin/main"), "refs/remotes/origin/main");
    EXPECT_EQ(repository.full_ref_name("main"), "refs/heads/main");
    EXPECT_EQ(repository.full_ref_name("v1"), "refs/tags/v1");
    EXPECT_EQ(repository.full_ref_name(work.head()), std::nullopt);
    EXPECT_EQ(repository.full_ref_name("nothing"), std::nullopt);
    EXPECT_EQ(repository.read_ref("refs/heads/main")->hex(), work.head());
    EXPECT_EQ(repository.read_ref("refs/heads/nothing"), std::nullopt);
    EXPECT_EQ(repository.read_ref("main"), std::nullopt);
    EXPECT_NE(repository.read_ref("refs/tags/v1")->hex(), work.head());
}

TEST(Repository, OpensTheStoreThatCanReadIt) {
    const auto both = two();
    const TempRepo& work = both.work;
    Repository repository = Repository::open(work.path());
    EXPECT_EQ(repository.objects().name(), "libgit2");
    EXPECT_TRUE(repository.trees().find(repository.trees().tree_of_commit(repository.head().commit), "dir/a"));
    Repository forced = Repository::open(work.path());
    forced.use_program_store(true);
    EXPECT_EQ(forced.objects().name(), "git");
    work.git("replace", "HEAD^{tree}", "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    EXPECT_EQ(Repository::open(work.path()).objects().name(), "git");
}

} // namespace
} // namespace carry::git
