#include "lab.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

namespace carry::transaction {
namespace {

using lab::Lab;
using lab::State;
using ::testing::IsEmpty;

class Apply : public ::testing::TestWithParam<bool> {
protected:
    static ApplyOptions options() {
        ApplyOptions options;
        options.plain_renames = GetParam();
        return options;
    }
};

INSTANTIATE_TEST_SUITE_P(Renames, Apply, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "plain" : "exchange"; });

TEST_P(Apply, EveryKindOfTransitionThereAndBack) {
    Lab lab;
    lab::make_old(lab.repo);
    const State before = lab.capture();
    lab::make_new(lab.repo);
    const State after = lab.capture();
    const CheckoutMove there = lab.between(before, after);
    const CheckoutMove back = reversed(there, "carry: back");
    for (int round = 0; round < 2; ++round) {
        lab.apply(back, options());
        EXPECT_TRUE(test::same(before.fingerprint, test::fingerprint(lab.repo.path())));
        EXPECT_FALSE(lab.repo.exists("new"));
        EXPECT_TRUE(lab.is_sound());
        EXPECT_THAT(lab.leftovers(), IsEmpty());
        lab.apply(there, options());
        EXPECT_TRUE(test::same(after.fingerprint, test::fingerprint(lab.repo.path())));
        EXPECT_FALSE(lab.repo.exists("gone"));
        EXPECT_TRUE(lab.repo.exists("gone.with/other.log"));
        EXPECT_TRUE(lab.is_sound());
        EXPECT_THAT(lab.leftovers(), IsEmpty());
    }
    EXPECT_EQ(lab.repo.git_line("log", "-g", "-1", "--format=%gs", "HEAD"), "carry: test");
    EXPECT_EQ(lab.repo.git_line("log", "-g", "-1", "--format=%gs", "main"), "carry: test");
    EXPECT_FALSE(needs_recovery(lab.journal_dir()));
}

TEST_P(Apply, EqualStatesAreNotRewritten) {
    Lab lab;
    lab.repo.write("same", "x");
    lab.repo.write("other", "old");
    lab.repo.commit("One");
    const State before = lab.capture();
    lab.repo.write("other", "new");
    lab.repo.commit("Two");
    const State after = lab.capture();
    struct stat old_status {};
    stat(lab.repo.file("same").c_str(), &old_status);
    lab.apply(lab.between(after, before), options());
    struct stat new_status {};
    stat(lab.repo.file("same").c_str(), &new_status);
    EXPECT_EQ(old_status.st_ino, new_status.st_ino);
    EXPECT_EQ(old_status.st_ctim.tv_nsec, new_status.st_ctim.tv_nsec);
    EXPECT_EQ(lab.repo.read("other"), "old");
}

TEST_P(Apply, NothingToDoLeavesNoTrace) {
    Lab lab;
    lab.repo.write("same", "x");
    lab.repo.commit("One");
    const State state = lab.capture();
    bool stepped = false;
    auto nothing = options();
    nothing.at_step = [&](std::string_view) { stepped = true; };
    lab.apply(lab.between(state, state), nothing);
    EXPECT_FALSE(stepped);
}

TEST(ApplyRefs, ADetachedHead) {
    Lab lab;
    lab.repo.write("a", "1");
    lab.repo.commit("One");
    lab.repo.git("checkout", "-q", "--detach");
    const State before = lab.capture();
    lab.repo.write("a", "2");
    lab.repo.commit("Two");
    const State after = lab.capture();
    lab.apply(lab.between(after, before));
    EXPECT_TRUE(test::same(before.fingerprint, test::fingerprint(lab.repo.path())));
    // somebody has gone to a branch on the same commit
    lab.repo.git("checkout", "-q", "main");
    EXPECT_THROW(lab.apply(lab.between(before, after)), Error);
    EXPECT_EQ(lab.repo.git_line("symbolic-ref", "HEAD"), "refs/heads/main");
    EXPECT_THAT(lab.leftovers(), IsEmpty());
}

TEST(ApplyRefs, HeadNamesAnotherBranch) {
    Lab lab;
    lab.repo.write("a", "1");
    lab.repo.commit("One");
    const State before = lab.capture();
    lab.repo.git("checkout", "-q", "-b", "other");
    const State branch = lab.capture();
    lab.repo.git("checkout", "-q", "--detach");
    const State detached = lab.capture();
    lab.apply(lab.between(detached, before));
    EXPECT_EQ(lab.repo.git_line("symbolic-ref", "HEAD"), "refs/heads/main");
    lab.apply(lab.between(before, branch));
    EXPECT_EQ(lab.repo.git_line("symbolic-ref", "HEAD"), "refs/heads/other");
    lab.apply(lab.between(branch, detached));
    EXPECT_NE(lab.repo.git_status("symbolic-ref", "-q", "HEAD"), 0);
    EXPECT_EQ(lab.repo.head(), before.head.hex());
    EXPECT_THROW(lab.apply(lab.between(before, branch)), Error); // it is detached now
}

TEST(ApplyRefs, ALinkedWorktree) {
    Lab main;
    main.repo.write("a", "1");
    main.repo.commit("One");
    const TemporaryDirectory directory(std::filesystem::temp_directory_path(), "carry-linked-");
    const auto path = directory.path() / "tree";
    main.repo.git("worktree", "add", "-q", "-b", "linked", path.string());
    git::Repository linked = git::Repository::open(path);
    git::prepare_object_directory(linked.paths());
    const auto fingerprint = test::fingerprint(path);

    CheckoutMove move;
    move.paths = linked.paths();
    const FileState old = read_state(linked.paths(), "a", linked.objects());
    FileState fresh = old;
    fresh.content = linked.objects().write(git::ObjectType::blob, "2");
    move.transitions = {{"a", old, fresh}};
    const std::string index = read_file(linked.paths().git_dir / "index");
    const auto index_id = linked.objects().write(git::ObjectType::blob, index);
    const std::string commit = main.repo.git_line("commit-tree", "-p", "HEAD", "-m", "Two", "HEAD^{tree}");
    move.index = IndexMove{index_id, index_id};
    move.refs = {{"refs/heads/linked", git::ObjectId::from_hex(main.repo.head()), git::ObjectId::from_hex(commit)}};
    apply({{move, &linked.objects(), git::ObjectFormat::sha1}}, linked.paths().carry_dir(), {});
    EXPECT_EQ(read_file(path / "a"), "2");
    EXPECT_EQ(main.repo.git_line("rev-parse", "linked"), commit);
    apply({{reversed(move, ""), &linked.objects(), git::ObjectFormat::sha1}}, linked.paths().carry_dir(), {});
    EXPECT_TRUE(test::same(fingerprint, test::fingerprint(path)));
}

TEST(ApplySeveral, AllOrNone) {
    Lab first;
    Lab second;
    std::vector<State> before;
    std::vector<CheckoutMove> there;
    for (Lab* lab : {&first, &second}) {
        lab->repo.write("a", "1");
        lab->repo.commit("One");
        before.push_back(lab->capture());
        lab->repo.write("a", "2");
        lab->repo.commit("Two");
        there.push_back(lab->between(before.back(), lab->capture()));
    }
    const auto apply_both = [&](bool reverse, ApplyOptions options = {}) {
        std::vector<Participant> participants;
        participants.push_back(
            {reverse ? reversed(there[0], "") : there[0], &first.repository.objects(), git::ObjectFormat::sha1});
        participants.push_back(
            {reverse ? reversed(there[1], "") : there[1], &second.repository.objects(), git::ObjectFormat::sha1});
        apply(participants, first.journal_dir(), options);
    };
    apply_both(true);
    EXPECT_TRUE(test::same(before[0].fingerprint, test::fingerprint(first.repo.path())));
    EXPECT_TRUE(test::same(before[1].fingerprint, test::fingerprint(second.repo.path())));

    // the second checkout's branch is locked: the first must not move either
    second.repo.write(".git/refs/heads/main.lock", "");
    EXPECT_THROW(apply_both(false), Error);
    second.repo.remove(".git/refs/heads/main.lock");
    EXPECT_TRUE(test::same(before[0].fingerprint, test::fingerprint(first.repo.path())));

    // a crash between the two is recovered from by way of the first
    ApplyOptions crash;
    crash.at_step = [](std::string_view step) {
        if (step == "moved:0")
            _exit(9);
    };
    ASSERT_EQ(lab::in_child([&] { apply_both(false, crash); }), 9);
    const auto recovery = first.recover();
    ASSERT_TRUE(recovery);
    EXPECT_EQ(recovery->result, RecoveryResult::completed);
    EXPECT_EQ(first.repo.read("a") + second.repo.read("a"), "22");
    EXPECT_EQ(second.repo.git_run({"--no-optional-locks", "status", "--porcelain"}).output, "");
    EXPECT_THAT(second.leftovers(), IsEmpty());
}

class ApplyRefuses : public ::testing::Test {
protected:
    void SetUp() override {
        lab.repo.write("a", "1");
        lab.repo.write("d/a", "1");
        lab.repo.commit("One");
        before = lab.capture();
        lab.repo.write("a", "2");
        lab.repo.write("d/a", "2");
        lab.repo.commit("Two");
        move = lab.between(before, lab.capture());
        lab.apply(reversed(move, ""));
    }
    /// The error, after making sure that nothing has changed.
    Error refused(const CheckoutMove& wanted, ErrorKind kind = ErrorKind::failed) {
        const auto fingerprint = test::fingerprint(lab.repo.path());
        Error error(ErrorKind::usage, "nothing was thrown");
        try {
            lab.apply(wanted);
        } catch (const Error& thrown) {
            error = thrown;
        }
        EXPECT_EQ(error.kind(), kind) << error.message();
        EXPECT_TRUE(test::same(fingerprint, test::fingerprint(lab.repo.path())));
        return error;
    }
    FileState file(std::string_view bytes) {
        return {FileKind::regular, lab.repository.objects().write(git::ObjectType::blob, bytes), false, std::nullopt};
    }
    CheckoutMove only(std::vector<Transition> transitions) {
        CheckoutMove some;
        some.paths = lab.repository.paths();
        some.transitions = std::move(transitions);
        return some;
    }

    Lab lab;
    State before;
    CheckoutMove move;
};

TEST_F(ApplyRefuses, SomebodysIndexLock) {
    lab.repo.write(".git/index.lock", "theirs");
    EXPECT_THAT(refused(move).message(), ::testing::HasSubstr("another process holds"));
    EXPECT_THAT(lab.leftovers(), ::testing::ElementsAre(".git/index.lock"));
    EXPECT_EQ(lab.repo.read(".git/index.lock"), "theirs");
}

TEST_F(ApplyRefuses, AChangedFile) {
    lab.repo.write("d/a", "mine");
    EXPECT_EQ(refused(move).message(), "'d/a' was changed while the run was being planned");
    EXPECT_THAT(lab.leftovers(), IsEmpty());
    EXPECT_EQ(lab.repo.read("d/a"), "mine");
}

TEST_F(ApplyRefuses, AFileThatAppeared) {
    refused(only({{"b", file("x"), file("y")}}));
    lab.repo.write("b", "mine");
    refused(only({{"b", {}, file("y")}}));
    EXPECT_THAT(lab.leftovers(), IsEmpty());
}

TEST_F(ApplyRefuses, AChangedMode) {
    lab.repo.make_executable("a");
    refused(move);
}

TEST_F(ApplyRefuses, AChangedIndex) {
    lab.repo.write("c", "x");
    lab.repo.stage("c");
    EXPECT_EQ(refused(move).message(), "'index' was changed while the run was being planned");
    EXPECT_THAT(lab.leftovers(), IsEmpty());
}

TEST_F(ApplyRefuses, ARefThatMoved) {
    lab.repo.git("update-ref", "refs/heads/main", move.refs[0].after.hex());
    refused(move);
    EXPECT_THAT(lab.leftovers(), IsEmpty());
}

TEST_F(ApplyRefuses, ALockedRef) {
    lab.repo.write(".git/refs/heads/main.lock", "");
    refused(move);
    EXPECT_THAT(lab.leftovers(), ::testing::ElementsAre(".git/refs/heads/main.lock"));
}

TEST_F(ApplyRefuses, AMissingObject) {
    FileState unknown = file("x");
    unknown.content = git::ObjectId::from_hex(std::string(40, 'e'));
    refused(only({{"a", file("1"), unknown}}));
    EXPECT_THAT(lab.leftovers(), IsEmpty());
}

TEST_F(ApplyRefuses, PathsThatLeaveTheTree) {
    for (const std::string path : {"../a", "/a", "a/../b", ".git/config", "d/.GIT/hooks/x", "git~1/x", "", "a//b"})
        refused(only({{path, {}, file("x")}}));
}

TEST_F(ApplyRefuses, PathsBehindALink) {
    const TemporaryDirectory outside(std::filesystem::temp_directory_path(), "carry-outside-");
    lab.repo.symlink(outside.path().native(), "link");
    EXPECT_EQ(refused(only({{"link/new", {}, file("x")}}), ErrorKind::refused).message(),
              "'link' is in the way of 'link/new'");
    EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
    lab.repo.remove("d");
    lab.repo.symlink("link", "d");
    refused(move, ErrorKind::refused);
    EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
}

TEST_F(ApplyRefuses, ADirectoryThatHoldsMore) {
    lab.repo.write("d/mine", "x");
    const auto error = refused(only({{"d/a", file("1"), {}}, {"d", {}, file("x")}}), ErrorKind::refused);
    EXPECT_EQ(error.message(), "'d/mine' is in the way of 'd'");
    EXPECT_THAT(error.hints(), ::testing::ElementsAre("mv d/mine ELSEWHERE"));
}

TEST_F(ApplyRefuses, ContradictoryMoves) {
    refused(only({{"x", {}, file("x")}, {"x", {}, file("y")}}));
    refused(only({{"x", {}, file("x")}, {"x/y", {}, file("y")}}));
    refused(only({{"x/y/z", {}, file("x")}, {"x", {}, file("y")}}));
}

TEST_F(ApplyRefuses, AnUnwritableDirectory) {
    if (geteuid() == 0)
        GTEST_SKIP() << "root may write everywhere";
    chmod(lab.repo.file("d").c_str(), 0555);
    refused(move);
    chmod(lab.repo.file("d").c_str(), 0755);
    EXPECT_THAT(lab.leftovers(), IsEmpty());
}

TEST_F(ApplyRefuses, AnUnfinishedRun) {
    lab.repo.write(".git/carry/journal", "");
    EXPECT_EQ(refused(move).message(), "an unfinished run has to be recovered first");
}

} // namespace
} // namespace carry::transaction
