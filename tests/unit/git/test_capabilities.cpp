#include "checkout.hpp"
#include "git/capabilities.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carry::git {
namespace {

using test::TempRepo;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Capabilities probe(const TempRepo& repo) {
    const Program program = program_of(repo);
    return probe_capabilities(program, Config::read(program));
}

TempRepo with_a_file() {
    TempRepo repo;
    repo.write("dir/a", "1\n");
    repo.write("other/b", "1\n");
    repo.commit("one");
    return repo;
}

TEST(Capabilities, PlainRepositoryHasNothingOdd) {
    const TempRepo repo = with_a_file();
    const Capabilities found = probe(repo);
    EXPECT_EQ(found.object_format, ObjectFormat::sha1);
    EXPECT_TRUE(found.libgit2_objects);
    EXPECT_THAT(found.reasons, IsEmpty());
    EXPECT_FALSE(found.shallow || found.partial_clone || found.replace_refs_or_grafts || found.unknown_extension ||
                 found.worktree_config || found.split_index || found.sparse_checkout || found.sparse_index ||
                 found.reftable || found.submodules);
}

TEST(Capabilities, ShallowIsFineForReadingObjects) {
    const TempRepo upstream = with_a_file();
    upstream.write("dir/a", "2\n");
    upstream.commit("two");
    const TempRepo work = TempRepo::clone_of(upstream, {"--depth=1"});
    const Capabilities found = probe(work);
    EXPECT_TRUE(found.shallow);
    EXPECT_TRUE(found.libgit2_objects);
}

TEST(Capabilities, PartialCloneIsGits) {
    const TempRepo upstream = with_a_file();
    upstream.git("config", "uploadpack.allowFilter", "true");
    const TempRepo work = TempRepo::clone_of(upstream, {"--filter=blob:none"});
    const Capabilities found = probe(work);
    EXPECT_TRUE(found.partial_clone);
    EXPECT_FALSE(found.libgit2_objects);
    EXPECT_THAT(found.reasons, ElementsAre("partial clone"));
}

TEST(Capabilities, ReplaceRefsAndGraftsAreGits) {
    const TempRepo repo = with_a_file();
    const std::string first = repo.head();
    repo.write("dir/a", "2\n");
    repo.commit("two");
    repo.git("replace", "HEAD", first);
    EXPECT_FALSE(probe(repo).libgit2_objects);
    EXPECT_TRUE(probe(repo).replace_refs_or_grafts);
    repo.git("pack-refs", "--all");
    EXPECT_TRUE(probe(repo).replace_refs_or_grafts);
    repo.git("config", "core.useReplaceRefs", "false");
    EXPECT_FALSE(probe(repo).replace_refs_or_grafts);
    repo.write(".git/info/grafts", first + "\n");
    EXPECT_THAT(probe(repo).reasons, ElementsAre("info/grafts"));
}

TEST(Capabilities, Sha256IsGits) {
    const TempRepo repo;
    repo.remove(".git");
    repo.git("init", "-q", "--object-format=sha256");
    const Capabilities found = probe(repo);
    EXPECT_EQ(found.object_format, ObjectFormat::sha256);
    EXPECT_FALSE(found.libgit2_objects);
    EXPECT_THAT(found.reasons, ElementsAre("extensions.objectFormat=sha256"));
}

TEST(Capabilities, UnknownExtensionsAreGits) {
    const TempRepo repo = with_a_file();
    // version 0 repositories are read by git whatever extensions they name
    repo.git("config", "extensions.fromTheFuture", "true");
    const Capabilities found = probe(repo);
    EXPECT_TRUE(found.unknown_extension);
    EXPECT_FALSE(found.libgit2_objects);
    EXPECT_THAT(found.reasons, ElementsAre("extensions.fromthefuture"));
}

TEST(Capabilities, SeesTheIndexKinds) {
    const TempRepo repo = with_a_file();
    repo.git("update-index", "--split-index");
    EXPECT_TRUE(probe(repo).split_index);
    repo.git("update-index", "--no-split-index");
    EXPECT_FALSE(probe(repo).split_index);

    repo.git("sparse-checkout", "set", "--cone", "--no-sparse-index", "dir");
    EXPECT_TRUE(probe(repo).sparse_checkout);
    EXPECT_TRUE(probe(repo).worktree_config);
    EXPECT_FALSE(probe(repo).sparse_index);
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "dir");
    EXPECT_TRUE(probe(repo).sparse_index);
    EXPECT_TRUE(probe(repo).libgit2_objects);
}

TEST(Capabilities, SeesSubmodules) {
    const TempRepo repo = with_a_file();
    repo.git("update-index", "--add", "--cacheinfo", "160000," + repo.head() + ",sub");
    EXPECT_TRUE(probe(repo).submodules);
    repo.git("update-index", "--force-remove", "sub");
    EXPECT_FALSE(probe(repo).submodules);
    repo.write(".gitmodules", "");
    EXPECT_TRUE(probe(repo).submodules);
}

} // namespace
} // namespace carry::git
