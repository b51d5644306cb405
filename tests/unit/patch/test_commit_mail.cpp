// Commits that git am cannot reproduce have a bundle beside their mail; those that it can have none.

#include "carried.hpp"
#include "support/program.hpp"

#include <gmock/gmock.h>

namespace carry::patch {

using test::TempRepo;

struct OneCommit {
    /// `message` as it is, without git's own cleaning.
    explicit OneCommit(const std::string& message, std::vector<std::string> options = {}) {
        repo.write("a", "1\n");
        base = repo.commit("base");
        repo.write("a", "2\n");
        repo.stage("a");
        options.insert(options.begin(), {"commit", "-q", "--cleanup=verbatim", "--allow-empty-message", "-F", "-"});
        EXPECT_EQ(repo.git_run(options, message).exit_code, 0);
        files = export_series(repo, base, out.path() / "patches");
        EXPECT_EQ(files.size(), 1U);
    }
    /// The ids are equal only where author, committer, dates, message and tree are.
    [[nodiscard]] std::string commit_of_am() const {
        const auto clone = clone_at(repo, base);
        const auto result = clone.git_run(
            {"am", "-q", "--committer-date-is-author-date", (out.path() / "patches" / files[0].name).native()});
        return result.ok() ? clone.git("cat-file", "commit", "HEAD") : "git am failed";
    }
    [[nodiscard]] std::string commit_of_bundle() const {
        const auto clone = clone_at(repo, base);
        // Not the clone's own objects: a repository that holds base alone.
        const TempRepo receiver;
        receiver.git("fetch", "-q", clone.url(), "main");
        receiver.git("fetch", "-q", (out.path() / "patches" / files[0].bundle).native(), "refs/heads/carried");
        receiver.git("fsck", "--connectivity-only");
        return receiver.git_line("rev-parse", "FETCH_HEAD");
    }
    TempRepo repo;
    std::string base;
    TemporaryDirectory out{"/tmp"};
    std::vector<PatchFile> files;
};

/// What git am has to give back: tree, parent, author and message.
std::string without_committer(std::string commit) {
    const auto at = commit.find("\ncommitter ");
    return at == std::string::npos ? commit : commit.erase(at, commit.find('\n', at + 1) - at);
}

class Faithful : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Messages, Faithful,
                         testing::Values("", "S\n\n\xff\xfe\n\x01\n", "Subject\n", "Subject\n\nBody\n",
                                         "\xc3\x9cml\xc3\xa4ut\n\nB\xc3\xb6xy\n",
                                         "S\n\nbody\n\nFrom here on\nFrom me Mon Sep 17 00:00:00 2001\n",
                                         "Scale = 2\n\n=3D stays\n", "A: b\n\nKey: value\n", "S\n\n  indented\n\ttab\n",
                                         "S\n\n>From quoted\n", std::string(300, 'x') + "\n"));

TEST_P(Faithful, GitAmGivesTheCommitBack) {
    const OneCommit one(GetParam());
    EXPECT_EQ(one.files[0].bundle, "");
    EXPECT_EQ(without_committer(one.commit_of_am()), without_committer(one.repo.git("cat-file", "commit", "HEAD")));
}

class Unfaithful : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Messages, Unfaithful,
                         testing::Values("S\n\n-- \nsignature\n", "\n\nSubject late\n", "Two lines\nof subject\n",
                                         "S\n\nno newline", "S  \n\ntrailing blanks  \n", "S\n\n\n\ntwo empty lines\n",
                                         "[tag] Subject\n", "Re: Subject\n",
                                         "S\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+3\n",
                                         "S\n\nabove\n---\nbelow\n", "S\n\nIndex: a\n", "S\n\n--- a/x\n",
                                         "S\n\nbefore\n-- >8 --\nafter\n", "S\n\nFrom: Other <o@x>\n\nbody\n",
                                         "S\n\nSubject: another\n\nbody\n", "S\r\n\r\nbody\r\n"));

TEST_P(Unfaithful, TheBundleHasTheCommit) {
    const OneCommit one(GetParam());
    ASSERT_NE(one.files[0].bundle, "");
    EXPECT_EQ(one.commit_of_bundle(), one.repo.head());
    // Whatever the message looks like, reading gives the commit's own diff back.
    const auto back = read_patches({one.out.path() / "patches"});
    ASSERT_EQ(back.size(), 1U);
    ASSERT_EQ(back[0].file.changes.size(), 1U);
    EXPECT_EQ(back[0].file.changes[0].after->id.hex(), one.repo.git_line("rev-parse", "HEAD:a"));
    EXPECT_THAT(back[0].text, testing::StartsWith("diff --git a/a b/a\n"));
}

TEST(CommitMail, AuthorsAndEncodings) {
    const OneCommit dotted("S\n", {"--author=\xc3\x84 J. L <a@b>"});
    EXPECT_EQ(dotted.files[0].bundle, "");
    EXPECT_EQ(without_committer(dotted.commit_of_am()),
              without_committer(dotted.repo.git("cat-file", "commit", "HEAD")));
    EXPECT_EQ(read_patches({dotted.out.path() / "patches"})[0].author, "\xc3\x84 J. L <a@b>");
    const OneCommit quotes("S\n", {"--author=\xc3\x84 \"Q\" L <a@b>"});
    EXPECT_NE(quotes.files[0].bundle, "") << "git am loses the quotes";
    EXPECT_EQ(quotes.commit_of_bundle(), quotes.repo.head());

    const TempRepo repo;
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1");
    repo.write("a", "1\n");
    const auto base = repo.commit("base");
    repo.write("a", "2\n");
    repo.stage("a");
    EXPECT_TRUE(repo.git_run({"commit", "-q", "-F", "-"}, "L\xe4tin\n").ok());
    const TemporaryDirectory out("/tmp");
    const auto files = export_series(repo, base, out.path());
    EXPECT_NE(files[0].bundle, "") << "git am would write it as UTF-8";
    EXPECT_EQ(files[0].title, "L\xc3\xa4tin");
}

TEST(CommitMail, MergesAndEmptyCommits) {
    const TempRepo repo;
    repo.write("a", "1\n");
    const auto base = repo.commit("base");
    repo.git("checkout", "-q", "-b", "side");
    repo.write("b", "1\n");
    repo.commit("side");
    repo.git("checkout", "-q", "main");
    repo.git("commit", "-q", "--allow-empty", "-m", "nothing");
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side");
    const TemporaryDirectory out("/tmp");
    const auto files = export_series(repo, base, out.path());
    ASSERT_EQ(files.size(), 2U);
    EXPECT_NE(files[0].bundle, "");
    EXPECT_FALSE(files[0].gnu_patch);
    EXPECT_NE(files[1].bundle, "");
    EXPECT_EQ(files[1].changes.size(), 1U);
    EXPECT_EQ(read_patches({out.path()}).size(), 2U);
}

TEST(CommitMail, Dep3HeadersStandInTheMail) {
    const OneCommit one("Subject\n\nBody\n");
    const auto text = read_file(one.out.path() / "patches" / one.files[0].name);
    EXPECT_THAT(text, testing::HasSubstr("\nOrigin: other, base " + one.base + " of origin/main\n"));
    EXPECT_THAT(text, testing::HasSubstr("\nForwarded: no\nLast-Update: 2026-03-08\n\nBody\n---\ndiff --git"));
}

} // namespace carry::patch
