#include "checkout.hpp"
#include "git/refs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace carry::git {
namespace {

using test::TempRepo;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class Refs : public ::testing::Test {
protected:
    Refs() {
        m_repo.write("a", "1\n");
        m_first = ObjectId::from_hex(m_repo.commit("one"));
        m_repo.write("a", "2\n");
        m_second = ObjectId::from_hex(m_repo.commit("two"));
    }
    RefTransaction transaction(std::vector<RefUpdate> updates) {
        return {m_program, std::move(updates), "carry: test", ObjectFormat::sha1};
    }
    [[nodiscard]] std::vector<std::filesystem::path> lock_files() const {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(m_repo.git_directory()))
            if (entry.path().extension() == ".lock")
                found.push_back(entry.path());
        return found;
    }

    TempRepo m_repo;
    ObjectId m_first;
    ObjectId m_second;
    Program m_program = program_of(m_repo);
};

TEST_F(Refs, MovesACheckedOutBranchWithBothReflogs) {
    auto moving = transaction({{"refs/heads/main", m_second, m_first}});
    moving.prepare();
    EXPECT_EQ(id_of(m_repo, "refs/heads/main"), m_second);
    EXPECT_THAT(moving.lock_paths(), UnorderedElementsAre(m_repo.git_directory() / "refs/heads/main.lock",
                                                          m_repo.git_directory() / "HEAD.lock"));
    EXPECT_THAT(moving.lock_paths(), ::testing::UnorderedElementsAreArray(lock_files()));
    moving.commit();
    EXPECT_EQ(id_of(m_repo, "refs/heads/main"), m_first);
    EXPECT_THAT(moving.lock_paths(), IsEmpty());
    EXPECT_THAT(lock_files(), IsEmpty());
    EXPECT_EQ(m_repo.git_line("reflog", "-1", "--format=%gs", "main"), "carry: test");
    EXPECT_EQ(m_repo.git_line("reflog", "-1", "--format=%gs", "HEAD"), "carry: test");
    EXPECT_EQ(m_repo.git_line("symbolic-ref", "HEAD"), "refs/heads/main");
}

TEST_F(Refs, MovesADetachedHeadWithoutItsFormerBranch) {
    m_repo.git("checkout", "-q", "--detach");
    update_refs(m_program, {{"HEAD", m_second, m_first}}, "carry: detached", ObjectFormat::sha1);
    EXPECT_EQ(id_of(m_repo, "HEAD"), m_first);
    EXPECT_EQ(id_of(m_repo, "refs/heads/main"), m_second);
    EXPECT_EQ(m_repo.git_line("reflog", "-1", "--format=%gs", "HEAD"), "carry: detached");
}

TEST_F(Refs, CreatesAndDeletes) {
    update_refs(m_program, {{"refs/carry/x/head", {}, m_first}, {"refs/carry/x/base", {}, m_second}}, "",
                ObjectFormat::sha1);
    EXPECT_EQ(id_of(m_repo, "refs/carry/x/head"), m_first);
    EXPECT_EQ(id_of(m_repo, "refs/carry/x/base"), m_second);
    m_repo.git("pack-refs", "--all");
    auto deleting = transaction({{"refs/carry/x/head", m_first, {}}, {"refs/carry/x/none", {}, {}}});
    deleting.prepare();
    EXPECT_THAT(deleting.lock_paths(), ::testing::UnorderedElementsAreArray(lock_files()));
    deleting.commit();
    EXPECT_NE(m_repo.git_status("show-ref", "--verify", "-q", "refs/carry/x/head"), 0);
    EXPECT_EQ(id_of(m_repo, "refs/carry/x/base"), m_second);
    update_refs(m_program, {}, "", ObjectFormat::sha1);
}

TEST_F(Refs, RefusesAnotherOldValueAndMovesNothing) {
    for (const RefUpdate& wrong : std::vector<RefUpdate>{{"refs/heads/main", m_first, m_second},
                                                         {"refs/heads/main", {}, m_second},
                                                         {"refs/heads/main", m_first, {}},
                                                         {"refs/heads/main", {}, {}},
                                                         {"refs/heads/none", m_first, m_second}}) {
        auto moving = transaction({{"refs/carry/first", {}, m_first}, wrong});
        const auto error = error_of([&] { moving.prepare(); });
        ASSERT_TRUE(error);
        EXPECT_EQ(error->kind(), ErrorKind::failed);
        EXPECT_EQ(error->message(), "cannot lock '" + wrong.name + "'");
        EXPECT_THAT(causes_of(*error), HasSubstr(wrong.name));
        EXPECT_THAT(lock_files(), IsEmpty());
    }
    EXPECT_EQ(id_of(m_repo, "refs/heads/main"), m_second);
    EXPECT_NE(m_repo.git_status("show-ref", "--verify", "-q", "refs/carry/first"), 0);
}

TEST_F(Refs, RefusesWhatSomebodyElseHasLocked) {
    m_repo.write(".git/refs/heads/main.lock", "");
    auto moving = transaction({{"refs/heads/main", m_second, m_first}});
    const auto error = error_of([&] { moving.prepare(); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->message(), "cannot lock 'refs/heads/main'");
    EXPECT_THAT(causes_of(*error), HasSubstr("File exists"));
    EXPECT_THAT(lock_files(), ElementsAre(m_repo.git_directory() / "refs/heads/main.lock"));
}

TEST_F(Refs, DestructorAbortsWhatIsPrepared) {
    {
        auto moving = transaction({{"refs/heads/main", m_second, m_first}});
        moving.prepare();
        EXPECT_FALSE(lock_files().empty());
        const RefTransaction moved = std::move(moving);
    }
    EXPECT_THAT(lock_files(), IsEmpty());
    EXPECT_EQ(id_of(m_repo, "refs/heads/main"), m_second);
}

TEST_F(Refs, WorksInALinkedWorktree) {
    const TemporaryDirectory place(std::filesystem::temp_directory_path());
    const auto linked = place.path() / "linked";
    m_repo.git("worktree", "add", "-q", "--detach", linked.native());
    const Program program({linked, m_repo.git_directory() / "worktrees/linked", m_repo.git_directory()});
    RefTransaction moving(program, {{"HEAD", m_second, m_first}}, "carry: linked", ObjectFormat::sha1);
    moving.prepare();
    EXPECT_THAT(moving.lock_paths(), ElementsAre(m_repo.git_directory() / "worktrees/linked/HEAD.lock"));
    moving.commit();
    EXPECT_EQ(program.line({"rev-parse", "HEAD"}), m_first.hex());
    EXPECT_EQ(id_of(m_repo, "HEAD"), m_second);
}

TEST_F(Refs, NeedsNoIdentity) {
    m_repo.git("config", "user.useConfigOnly", "true");
    unsetenv("GIT_COMMITTER_NAME");
    unsetenv("GIT_COMMITTER_EMAIL");
    update_refs(m_program, {{"refs/heads/main", m_second, m_first}}, "carry: anonymous", ObjectFormat::sha1);
    test::apply_environment();
    EXPECT_EQ(id_of(m_repo, "refs/heads/main"), m_first);
}

} // namespace
} // namespace carry::git
