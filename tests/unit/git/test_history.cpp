#include "checkout.hpp"
#include "git/history.hpp"
#include "support/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace carry::git {
namespace {

using test::TempRepo;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string lines(int count, std::string_view prefix = "line") {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += std::string(prefix) + " " + std::to_string(i) + "\n";
    return text;
}

TEST(History, FindsBasesAndAncestors) {
    const TempRepo repo;
    const Program program = program_of(repo);
    repo.write("a", "1\n");
    const auto base = ObjectId::from_hex(repo.commit("base"));
    repo.write("a", "2\n");
    const auto left = ObjectId::from_hex(repo.commit("left"));
    repo.git("checkout", "-q", "-b", "right", base.hex());
    repo.write("b", "1\n");
    const auto right = ObjectId::from_hex(repo.commit("right"));
    repo.git("checkout", "-q", "--orphan", "stranger");
    repo.write("c", "1\n");
    const auto stranger = ObjectId::from_hex(repo.commit("stranger"));

    EXPECT_EQ(merge_base(program, left, right), base);
    EXPECT_EQ(merge_base(program, left, stranger), std::nullopt);
    EXPECT_TRUE(is_ancestor(program, base, left));
    EXPECT_TRUE(is_ancestor(program, base, base));
    EXPECT_FALSE(is_ancestor(program, left, right));
    EXPECT_FALSE(is_ancestor(program, left, base));
    const auto nothing = ObjectId::from_hex(std::string(40, '1'));
    EXPECT_THROW(merge_base(program, left, nothing), Error);
    EXPECT_THROW(is_ancestor(program, left, nothing), Error);
}

TEST(History, FindsTheForkPointOfARewrittenUpstream) {
    const TempRepo upstream;
    upstream.write("a", "1\n");
    const auto first = ObjectId::from_hex(upstream.commit("first"));
    upstream.write("a", "2\n");
    const auto dropped = ObjectId::from_hex(upstream.commit("to be rewritten"));
    const TempRepo work = TempRepo::clone_of(upstream);
    work.write("b", "local\n");
    work.commit("local");
    upstream.git("reset", "-q", "--hard", first.hex());
    upstream.write("a", "3\n");
    upstream.commit("instead");
    work.git("fetch", "-q");

    const Program program = program_of(work);
    const auto head = id_of(work, "HEAD");
    EXPECT_EQ(merge_base(program, id_of(work, "origin/main"), head), first);
    EXPECT_EQ(fork_point(program, "refs/remotes/origin/main", head), dropped);
    EXPECT_EQ(fork_point(program, "refs/remotes/origin/gone", head), std::nullopt);
    work.git("reflog", "expire", "--expire=all", "--all");
    work.remove(".git/logs");
    EXPECT_EQ(fork_point(program, "refs/remotes/origin/main", head), std::nullopt);
}

TEST(History, ListsARangeOldestFirstWithMerges) {
    const TempRepo repo;
    const Program program = program_of(repo);
    repo.write("a", "1\n");
    const auto base = ObjectId::from_hex(repo.commit("base"));
    repo.write("a", "2\n");
    const auto left = ObjectId::from_hex(repo.commit("left"));
    repo.git("checkout", "-q", "-b", "right", base.hex());
    repo.write("b", "1\n");
    const auto right = ObjectId::from_hex(repo.commit("right"));
    repo.git("checkout", "-q", "main");
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "right");
    const auto tip = id_of(repo, "HEAD");

    const auto commits = commits_between(program, base, tip);
    ASSERT_EQ(commits.size(), 3U);
    EXPECT_EQ(commits[2].id, tip);
    EXPECT_THAT(commits[2].parents, ElementsAre(left, right));
    EXPECT_THAT(commits[0].parents, ElementsAre(base));
    EXPECT_EQ(count_between(program, base, tip), 3U);
    EXPECT_THAT(commits_between(program, tip, tip), IsEmpty());
    const auto all = commits_between(program, {}, tip);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0].id, base);
    EXPECT_THAT(all[0].parents, IsEmpty());
    EXPECT_EQ(count_between(program, {}, tip), 4U);
}

TEST(History, WorksInAShallowClone) {
    const TempRepo upstream;
    for (const char* content : {"1\n", "2\n", "3\n"}) {
        upstream.write("a", content);
        upstream.commit(content);
    }
    const TempRepo work = TempRepo::clone_of(upstream, {"--depth=2"});
    const Program program = program_of(work);
    const auto tip = id_of(work, "HEAD");
    EXPECT_EQ(count_between(program, {}, tip), 2U);
    EXPECT_THAT(commits_between(program, {}, tip).front().parents, IsEmpty());
    EXPECT_EQ(merge_base(program, tip, id_of(work, "HEAD~1")), id_of(work, "HEAD~1"));
}

TEST(History, DescribesCommitsInUtf8) {
    const TempRepo repo;
    repo.git("config", "log.showSignature", "true");
    repo.git("config", "log.follow", "true");
    repo.git("config", "color.ui", "always");
    repo.git("config", "log.decorate", "full");
    repo.write("a", "1\n");
    repo.git("add", "a");
    repo.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "--author=J\xf6rg <j@example.com>", "--date",
             "1700000000 +0200", "-m",
             "Gr\xfc\xdf"
             "e\nnoch eine Zeile\n\nText");
    const Program program = program_of(repo);
    const auto info = describe_commit(program, id_of(repo, "HEAD"));
    EXPECT_EQ(info.id, id_of(repo, "HEAD"));
    EXPECT_EQ(info.subject, "Grüße noch eine Zeile");
    EXPECT_EQ(info.author, "Jörg");
    EXPECT_EQ(info.date, 1700000000);

    repo.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "");
    EXPECT_EQ(describe_commit(program, id_of(repo, "HEAD")).subject, "");
    const auto recent = recent_commits(program, id_of(repo, "HEAD"), 5);
    ASSERT_EQ(recent.size(), 2U);
    EXPECT_EQ(recent[1].subject, info.subject);
    EXPECT_EQ(recent_commits(program, id_of(repo, "HEAD"), 1).size(), 1U);
}

TEST(History, DescribesACommitThatIsPrivate) {
    const TempRepo repo;
    repo.write("a", "1\n");
    repo.commit("one");
    const Program program = program_of(repo);
    const auto id = ObjectId::from_hex(
        program.line({"commit-tree", "-p", "HEAD", "-m", "planned", "HEAD^{tree}"}, {.private_objects = true}));
    ASSERT_NE(repo.git_status("cat-file", "-e", id.hex()), 0);
    EXPECT_EQ(describe_commit(program, id).subject, "planned");
    EXPECT_EQ(count_between(program, id_of(repo, "HEAD"), id), 1U);
}

TEST(History, TellsWhoTouchedAPath) {
    const TempRepo repo;
    const Program program = program_of(repo);
    const std::string odd = "odd \"*\"\t\xff\nname\r";
    repo.write("a", "1\n");
    repo.write(odd, "1\n");
    repo.write("other", "1\n");
    const auto base = ObjectId::from_hex(repo.commit("base"));
    repo.write("a", "2\n");
    repo.write("other", "2\n");
    const auto changed = ObjectId::from_hex(repo.commit("change :100644 a"));
    repo.write("other", "3\n");
    repo.commit("elsewhere");
    repo.make_executable("a");
    repo.remove(odd);
    const auto mode = ObjectId::from_hex(repo.commit("mode"));
    const auto tip = id_of(repo, "HEAD");

    const auto history = path_history(program, base, tip, {"a", odd});
    ASSERT_EQ(history.size(), 3U);
    EXPECT_EQ(history[0].commit.id, changed);
    EXPECT_EQ(history[0].commit.subject, "change :100644 a");
    EXPECT_EQ(history[0].commit.author, "A U Thor");
    EXPECT_EQ(history[0].path, "a");
    EXPECT_FALSE(history[0].merge);
    EXPECT_EQ(history[0].before->id, id_of(repo, base.hex() + ":a"));
    EXPECT_EQ(history[0].after->id, id_of(repo, changed.hex() + ":a"));
    EXPECT_EQ(history[1].commit.id, mode);
    EXPECT_EQ(history[2].commit.id, mode);
    const auto& gone = history[1].path == odd ? history[1] : history[2];
    const auto& moded = history[1].path == odd ? history[2] : history[1];
    EXPECT_EQ(gone.path, odd);
    EXPECT_EQ(gone.after, std::nullopt);
    EXPECT_EQ(moded.before->mode, mode::file);
    EXPECT_EQ(moded.after->mode, mode::executable);

    EXPECT_THAT(path_history(program, base, tip, {"o*"}), IsEmpty()); // a name, no pattern
    EXPECT_THAT(path_history(program, tip, tip, {"a"}), IsEmpty());
    EXPECT_THAT(path_history(program, base, tip, {}), IsEmpty());
    EXPECT_EQ(path_history(program, {}, tip, {"a"}).size(), 3U); // the root commit adds it
}

TEST(History, TellsWhatAMergeDidForEachParent) {
    const TempRepo repo;
    const Program program = program_of(repo);
    repo.write("a", lines(20));
    const auto base = ObjectId::from_hex(repo.commit("base"));
    repo.write("a", "left\n" + lines(20));
    repo.commit("left");
    repo.git("checkout", "-q", "-b", "right", base.hex());
    repo.write("a", lines(20) + "right\n");
    repo.commit("right");
    repo.git("checkout", "-q", "main");
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "right");
    const auto history = path_history(program, base, id_of(repo, "HEAD"), {"a"});
    ASSERT_EQ(history.size(), 4U);
    EXPECT_TRUE(history[2].merge);
    EXPECT_TRUE(history[3].merge);
    EXPECT_EQ(history[2].commit.id, id_of(repo, "HEAD"));
    EXPECT_EQ(history[3].commit.id, id_of(repo, "HEAD"));
    EXPECT_NE(history[2].before, history[3].before);
    EXPECT_EQ(history[2].after, history[3].after);
}

TEST(History, PairsRenames) {
    const TempRepo repo;
    const Program program = program_of(repo);
    repo.git("config", "diff.renames", "false");
    repo.write("exact", lines(30, "exact"));
    repo.write("similar", lines(30, "similar"));
    repo.write("gone", lines(30, "gone"));
    const auto before = ObjectId::from_hex(repo.commit("before"));
    repo.git("mv", "exact", "moved \"exact\"\n");
    repo.git("mv", "similar", "moved-similar");
    repo.append("moved-similar", "one more\n");
    repo.remove("gone");
    repo.write("unrelated", lines(30, "nothing of the kind"));
    const auto after = ObjectId::from_hex(repo.commit("after"));

    const auto renames = find_renames(program, before, after, false);
    ASSERT_EQ(renames.size(), 2U);
    const auto named = [&](std::string_view from) {
        return *std::find_if(renames.begin(), renames.end(), [&](const Rename& rename) { return rename.from == from; });
    };
    EXPECT_EQ(named("exact").to, "moved \"exact\"\n");
    EXPECT_EQ(named("exact").similarity, 100);
    EXPECT_EQ(named("similar").to, "moved-similar");
    EXPECT_LT(named("similar").similarity, 100);
    EXPECT_GE(named("similar").similarity, 50);
    EXPECT_EQ(
        find_renames(program, id_of(repo, before.hex() + "^{tree}"), id_of(repo, after.hex() + "^{tree}"), true).size(),
        2U);
    EXPECT_THAT(find_renames(program, before, before, false), IsEmpty());
}

} // namespace
} // namespace carry::git
