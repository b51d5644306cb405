#include "git/commit.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carry::git {
namespace {

using test::TempRepo;
using ::testing::ElementsAre;
using ::testing::Pair;

const std::string tree_line = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n";
const std::string people = "author A U <a@x> 1700000000 +0100\ncommitter C O <c@x> 1700000001 -0230\n";
const std::string parent_a = "parent 1111111111111111111111111111111111111111\n";
const std::string parent_b = "parent 2222222222222222222222222222222222222222\n";
const std::string signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEz\n =abc\n -----END PGP SIGNATURE-----\n";

TEST(Commit, comes_back_byte_for_byte) {
    const std::vector<std::string> commits{
        tree_line + people + "\nmessage\n",
        tree_line + people + "\n",
        tree_line + people,
        tree_line + people + "\nno newline at the end",
        tree_line + people + "\n\n\n  leading blank lines\n\n\n",
        tree_line + parent_a + parent_b + parent_a + people + "\nmerge\n",
        tree_line + parent_a + people + signature + "\nsigned\n",
        tree_line + people + "encoding ISO-8859-1\n" + signature + "\ncaf\xe9\n",
        tree_line + people + signature + "encoding ISO-8859-1\n" + "\ncaf\xe9\n",
        tree_line + people +
            "mergetag object 1111111111111111111111111111111111111111\n type commit\n tag v1\n \n words\n" + signature +
            "\nmerge of a tag\n",
        tree_line + people + "HG:extra \n\nfrom elsewhere\n",
        tree_line + people + "\nsubject\r\n\r\nbody\r\n",
        tree_line + people + "\nodd \x01\x1b\xff\xfe bytes\n",
        tree_line + people + "\nwith a NUL" + std::string(1, '\0') + "inside\n",
        tree_line + "author  <a@x> 1 +0000\ncommitter <> 1 +0000\n\nno names\n",
        tree_line + "author nobody\ncommitter C <c> 99999999999999999999 +9999\n\nno dates\n",
        tree_line + "author A <a> 1 +0000\n\nno committer\n",
        tree_line + "\nnobody at all\n",
        "tree " + std::string(64, 'a') + "\nparent " + std::string(64, 'b') + "\n" + people + "\nsha256\n",
        tree_line + people + "\ntree looks like a header\nparent too\n",
    };
    for (const auto& data : commits)
        EXPECT_EQ(Commit::parse(data).serialize(), data);
}

TEST(Commit, is_taken_apart) {
    const Commit commit = Commit::parse(tree_line + parent_a + parent_b + people + "encoding latin1\n" + signature +
                                        "x-y z\n\nsubject\n\nbody\n");
    EXPECT_EQ(commit.tree.hex(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    ASSERT_EQ(commit.parents.size(), 2U);
    EXPECT_EQ(commit.parents[1].hex(), std::string(40, '2'));
    EXPECT_EQ(commit.author, "A U <a@x> 1700000000 +0100");
    EXPECT_EQ(commit.committer, "C O <c@x> 1700000001 -0230");
    EXPECT_EQ(commit.encoding, "latin1");
    EXPECT_THAT(commit.extra,
                ElementsAre(Pair("gpgsig", "-----BEGIN PGP SIGNATURE-----\n\niQEz\n=abc\n-----END PGP SIGNATURE-----"),
                            Pair("x-y", "z")));
    EXPECT_EQ(commit.message, "subject\n\nbody\n");
}

TEST(Commit, a_changed_one_keeps_the_rest) {
    Commit commit = Commit::parse(tree_line + parent_a + people + signature + "\nmessage\n");
    commit.parents = {ObjectId::from_hex(std::string(40, '2'))};
    std::erase_if(commit.extra, [](const auto& header) { return header.first == "gpgsig"; });
    EXPECT_EQ(commit.serialize(), tree_line + parent_b + people + "\nmessage\n");
}

TEST(Commit, without_a_tree_is_refused) {
    EXPECT_THROW(Commit::parse(""), Error);
    EXPECT_THROW(Commit::parse(people + "\nx\n"), Error);
    EXPECT_THROW(Commit::parse("tree nonsense\n" + people + "\nx\n"), Error);
}

TEST(Commit, subject_is_git_s) {
    const TempRepo repo;
    const std::vector<std::string> tails{
        "\nsubject\n\nbody\n",
        "\n",
        "",
        "\n\n \n\t\n  indented subject  \nsecond line\t\n\nbody",
        "\nsubject\r\nsecond\r\n\r\nbody\r\n",
        "\nsubject\n \t \nbody\n",
        "encoding ISO-8859-1\n\ncaf\xe9 \xdcml\xe4ut\n\nbody\n",
        "encoding UTF-8\n\ncaf\xc3\xa9\n",
        "encoding no-such-encoding\n\ncaf\xe9\n",
        "encoding EUC-JP\n\n\xc6\xfc\xcb\xdc\n",
        "\nraw caf\xe9\n",
    };
    for (const auto& tail : tails) {
        const std::string data = tree_line + people + tail;
        const auto id = repo.git_run({"hash-object", "-w", "--stdin", "-t", "commit"}, data).output.substr(0, 40);
        ASSERT_EQ(id.size(), 40U) << tail;
        const std::string expected = repo.git_line("log", "-1", "--format=%s", "--encoding=UTF-8", id);
        EXPECT_EQ(Commit::parse(data).subject(), expected) << tail;
    }
}

TEST(Commit, read_commit_reads_one) {
    const TempRepo repo;
    repo.write("a", "x");
    const auto id = ObjectId::from_hex(repo.commit("subject"));
    const auto store = open_libgit2_store({repo.path(), repo.git_directory(), repo.git_directory()});
    const Commit commit = read_commit(*store, id);
    EXPECT_EQ(commit.subject(), "subject");
    EXPECT_EQ(store->write(ObjectType::commit, commit.serialize()), id);
    EXPECT_THROW(read_commit(*store, commit.tree), Error);
}

TEST(Signature, is_split_as_git_splits_it) {
    const auto parsed = Signature::parse("A U Thor <a@x> 1700000000 +0130");
    EXPECT_EQ(parsed.name, "A U Thor");
    EXPECT_EQ(parsed.email, "a@x");
    EXPECT_EQ(parsed.seconds, 1700000000);
    EXPECT_EQ(parsed.zone, "+0130");
    EXPECT_EQ(parsed.line(), "A U Thor <a@x> 1700000000 +0130");
}

TEST(Signature, reads_broken_lines_as_git_does) {
    const TempRepo repo;
    for (const std::string line :
         {"A <a@x> 1700000000 +0000", " <a@x> 1700000000 -0700", "<a@x> 5 +0000", "A <> 5 +0000", "A <a@x>", "A <a@x> ",
          "A <a@x> x +0000", "A <a@x> 5", "A <a> b> 5 +0100", "A<a@x>5 +0100", "A  B  < a@x > 5 +0100"}) {
        const std::string data = tree_line + "author " + line + "\ncommitter C <c> 1 +0000\n\nx\n";
        const auto id = repo.git_run({"hash-object", "-w", "--stdin", "-t", "commit"}, data).output.substr(0, 40);
        const Signature parsed = Signature::parse(line);
        EXPECT_EQ(parsed.name, repo.git_line("log", "-1", "--format=%an", id)) << line;
        EXPECT_EQ(parsed.email, repo.git_line("log", "-1", "--format=%ae", id)) << line;
        const std::string date = repo.git_line("log", "-1", "--format=%at", id);
        EXPECT_EQ(parsed.seconds, date.empty() ? 0 : std::stoll(date)) << line;
    }
    EXPECT_EQ(Signature::parse("").name, "");
    EXPECT_EQ(Signature::parse("nobody").name, "nobody");
}

} // namespace
} // namespace carry::git
