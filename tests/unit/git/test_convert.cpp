#include "checkout.hpp"
#include "git/convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace carry::git {
namespace {

using test::TempRepo;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Convert : public ::testing::Test {
protected:
    /// Bytes on disk for blobs of HEAD, under HEAD's attributes or another tree's.
    std::map<std::string, std::string> smudge(const std::vector<std::string>& paths,
                                              const std::string& attributes_from = "HEAD") {
        const auto store = open_program_store(m_program, ObjectFormat::sha1);
        TreeReader trees(*store);
        std::vector<SmudgeItem> items;
        items.reserve(paths.size());
        for (const auto& path : paths)
            items.push_back({path, id_of(m_repo, "HEAD:" + path)});
        std::map<std::string, std::string> bytes;
        smudge_blobs(m_program, trees, id_of(m_repo, attributes_from + "^{tree}"), items,
                     [&](const SmudgeItem& item, std::string&& converted) {
                         EXPECT_TRUE(bytes.emplace(item.path, std::move(converted)).second);
                     });
        return bytes;
    }
    /// What `git checkout` writes for HEAD.
    std::string checked_out(const std::string& path) const {
        m_repo.remove(path);
        m_repo.git("--literal-pathspecs", "checkout", "-q", "HEAD", "--", path);
        return m_repo.read(path);
    }
    void expect_as_git_does(const std::vector<std::string>& paths) {
        const auto converted = smudge(paths);
        for (const auto& path : paths) {
            const auto found = converted.find(path);
            const std::string blob = m_program.output({"cat-file", "blob", id_of(m_repo, "HEAD:" + path).hex()});
            EXPECT_EQ(found == converted.end() ? blob : found->second, checked_out(path)) << path;
        }
    }
    void define_filter(const std::string& name, const std::string& clean, const std::string& smudge) const {
        m_repo.git("config", "filter." + name + ".clean", clean);
        m_repo.git("config", "filter." + name + ".smudge", smudge);
        m_repo.git("config", "filter." + name + ".required", "true");
    }
    [[nodiscard]] std::string stored(const ObjectId& id) const {
        return m_program.output({"cat-file", "blob", id.hex()}, {.private_objects = true});
    }

    TempRepo m_repo;
    Program m_program = program_of(m_repo);
};

const std::string odd_name = " odd \"*\"\t\xff\nname\r";

TEST_F(Convert, NothingToConvertReturnsNothing) {
    m_repo.write("a", "1\n");
    m_repo.write(".gitattributes", "* text=auto\n*.bin binary\n");
    m_repo.write("b.bin", "1\n");
    m_repo.commit("one");
    EXPECT_THAT(smudge({"a", "b.bin"}), IsEmpty());
    EXPECT_THAT(smudge({}), IsEmpty());
}

TEST_F(Convert, SmudgesLineEndingsAsCheckoutDoes) {
    m_repo.write(".gitattributes", "*.win text eol=crlf\n*.unix text eol=lf\n*.raw -text\n*.old crlf\n*.keep -crlf\n");
    for (const char* name : {"a.win", "a.unix", "a.raw", "a.old", "a.keep", "plain", "no-newline.win"})
        m_repo.write(name, "one\ntwo\n");
    m_repo.write("no-newline.win", "one\ntwo");
    m_repo.write("empty.win", "");
    m_repo.write("binary", std::string("one\n\0two\n", 9));
    m_repo.write(odd_name + ".win", "one\n\ntwo\n");
    m_repo.commit("one");
    const std::vector<std::string> paths = {"a.win", "a.unix", "a.raw",     "a.old",           "a.keep",
                                            "plain", "binary", "empty.win", odd_name + ".win", "no-newline.win"};
    expect_as_git_does(paths);
    EXPECT_EQ(smudge(paths).at("a.win"), "one\r\ntwo\r\n");
    EXPECT_EQ(smudge(paths).at(odd_name + ".win"), "one\r\n\r\ntwo\r\n");
    m_repo.git("config", "core.autocrlf", "true");
    expect_as_git_does(paths);
    EXPECT_EQ(smudge(paths).at("plain"), "one\r\ntwo\r\n");
    m_repo.git("config", "core.autocrlf", "input");
    expect_as_git_does(paths);
    m_repo.git("config", "core.autocrlf", "false");
    m_repo.git("config", "core.eol", "crlf");
    expect_as_git_does(paths);
    EXPECT_EQ(smudge(paths).at("a.old"), "one\r\ntwo\r\n");
    EXPECT_FALSE(smudge(paths).contains("plain"));
}

TEST_F(Convert, SmudgesIdentFiltersAndEncodings) {
    define_filter("shout", "tr A-Z a-z", "tr a-z A-Z");
    m_repo.write(".gitattributes", "*.id ident\n*.loud filter=shout\n*.utf16 text working-tree-encoding=UTF-16LE\n"
                                   "*.none filter=undefined\n");
    m_repo.write("a.id", "$Id$\n");
    m_repo.write("a.loud", "QUIET\nno end");
    m_repo.write("a.utf16", std::string("a\0\n\0", 4));
    m_repo.write("a.none", "none\n");
    m_repo.commit("one");
    const std::vector<std::string> paths = {"a.id", "a.loud", "a.utf16", "a.none"};
    expect_as_git_does(paths);
    const auto converted = smudge(paths);
    EXPECT_EQ(converted.at("a.id"), "$Id: " + id_of(m_repo, "HEAD:a.id").hex() + " $\n");
    EXPECT_EQ(converted.at("a.loud"), "QUIET\nNO END");
    EXPECT_EQ(converted.at("a.utf16"), std::string("a\0\n\0", 4));
}

TEST_F(Convert, SmudgesUnderTheAttributesOfTheTree) {
    m_repo.write("dir/sub/a.txt", "one\n");
    m_repo.write("a.txt", "one\n");
    m_repo.commit("without");
    m_repo.git("tag", "without");
    m_repo.write(".gitattributes", "*.txt text eol=crlf\n");
    m_repo.write("dir/sub/.gitattributes", "a.txt -text ident\n");
    m_repo.commit("with");
    m_repo.git("tag", "with");
    EXPECT_THAT(smudge({"a.txt", "dir/sub/a.txt"}, "without"), IsEmpty());
    EXPECT_EQ(smudge({"a.txt", "dir/sub/a.txt"}, "with").at("a.txt"), "one\r\n");
    EXPECT_EQ(smudge({"a.txt", "dir/sub/a.txt"}, "with").at("dir/sub/a.txt"), "one\n"); // ident alone
    // whatever the checkout has
    m_repo.remove(".gitattributes");
    m_repo.remove("dir/sub/.gitattributes");
    EXPECT_EQ(smudge({"a.txt"}, "with").at("a.txt"), "one\r\n");
    EXPECT_THAT(smudge({"a.txt"}, "without"), IsEmpty());
    // info/attributes goes before all
    m_repo.write(".git/info/attributes", "*.txt -text\n");
    EXPECT_THAT(smudge({"a.txt"}, "with"), IsEmpty());
}

TEST_F(Convert, RunsFiltersOfTheCheckoutWhereItsAttributesHold) {
    m_repo.write("tools/shout.sh", "tr a-z A-Z\n");
    define_filter("shout", "cat", "sh ./tools/shout.sh");
    m_repo.write(".gitattributes", "*.loud filter=shout\n");
    m_repo.write("a.loud", "one\n");
    m_repo.commit("one");
    EXPECT_EQ(smudge({"a.loud"}).at("a.loud"), "ONE\n");
}

TEST_F(Convert, NamesAFilterThatFailsOnTheWayOut) {
    define_filter("shout", "cat", "cat");
    m_repo.write(".gitattributes", "*.loud filter=shout\n");
    m_repo.write("a.loud", "one\n");
    m_repo.write(odd_name + ".loud", "one\n");
    m_repo.commit("one");
    define_filter("shout", "cat", "false");
    for (const std::string& path : {std::string("a.loud"), odd_name + ".loud"}) {
        const auto error = error_of([&] { smudge({path}); });
        ASSERT_TRUE(error);
        EXPECT_EQ(error->kind(), ErrorKind::refused);
        EXPECT_THAT(error->message(), HasSubstr("smudge filter 'shout' fails on '"));
        EXPECT_THAT(causes_of(*error), HasSubstr("external filter 'false' failed"));
    }
}

TEST_F(Convert, ReadsBlobsThatArePrivate) {
    m_repo.write(".gitattributes", "*.win eol=crlf\n");
    m_repo.commit("one");
    const RunOptions options{.input = "secret\n", .private_objects = true};
    const auto id = ObjectId::from_hex(m_program.line({"hash-object", "-w", "--stdin"}, options));
    const auto store = open_program_store(m_program, ObjectFormat::sha1);
    TreeReader trees(*store);
    std::string bytes;
    const auto keep = [&](const SmudgeItem&, std::string&& converted) { bytes = std::move(converted); };
    smudge_blobs(m_program, trees, id_of(m_repo, "HEAD^{tree}"), {{"new/a.win", id}}, keep);
    EXPECT_EQ(bytes, "secret\r\n");
    const auto missing = ObjectId::from_hex(std::string(40, '1'));
    const auto error = error_of([&] {
        smudge_blobs(m_program, trees, id_of(m_repo, "HEAD^{tree}"), {{"a.win", missing}}, keep);
    });
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message(), HasSubstr(missing.hex()));
    for (const auto& entry : std::filesystem::directory_iterator(m_program.paths().carry_dir()))
        EXPECT_EQ(entry.path().filename(), "objects");
}

TEST_F(Convert, HashesAsAddWouldStore) {
    define_filter("shout", "tr A-Z a-z", "tr a-z A-Z");
    m_repo.git("config", "core.safecrlf", "true");
    m_repo.write(".gitattributes", "*.win text eol=crlf\n*.loud filter=shout\n*.id ident\n");
    const std::map<std::string, std::string> files = {
        {"a.win", "one\r\ntwo\n"}, {"a.loud", "LOUD\n"},  {"a.id", "$Id: 123 $\n"}, {"plain", "one\r\n"},
        {odd_name, "odd\n"},       {"\"quoted\"", "q\n"}, {"dir/deep", "deep\n"}};
    std::vector<std::string> paths;
    for (const auto& [path, bytes] : files) {
        m_repo.write(path, bytes);
        paths.push_back(path);
    }
    const auto ids = hash_worktree_files(m_program, paths);
    ASSERT_EQ(ids.size(), files.size());
    EXPECT_EQ(stored(ids.at("a.win")), "one\ntwo\n");
    EXPECT_EQ(stored(ids.at("a.loud")), "loud\n");
    EXPECT_EQ(stored(ids.at("a.id")), "$Id$\n");
    EXPECT_EQ(stored(ids.at("plain")), "one\r\n");
    EXPECT_EQ(stored(ids.at(odd_name)), "odd\n");
    EXPECT_NE(m_repo.git_status("cat-file", "-e", ids.at("a.loud").hex()), 0);
    m_repo.git("-c", "core.safecrlf=false", "add", ".");
    for (const auto& [path, id] : ids)
        EXPECT_EQ(id, id_of(m_repo, ":" + path)) << path;
    EXPECT_THAT(hash_worktree_files(m_program, {}), IsEmpty());
}

/// `git hash-object` would turn this file's line endings, `git add` does not.
TEST_F(Convert, HashesAFileThatIsCrlfInTheIndexAsItIs) {
    m_repo.write("crlf", "one\r\ntwo\r\n");
    m_repo.write("lf", "one\ntwo\n");
    m_repo.commit("one");
    m_repo.git("config", "core.autocrlf", "true");
    m_repo.write("crlf", "one\r\ntwo\r\nthree\r\n");
    m_repo.write("lf", "one\r\ntwo\r\nthree\r\n");
    const auto ids = hash_worktree_files(m_program, {"crlf", "lf"});
    EXPECT_EQ(stored(ids.at("crlf")), "one\r\ntwo\r\nthree\r\n");
    EXPECT_EQ(stored(ids.at("lf")), "one\ntwo\nthree\n");
}

TEST_F(Convert, HashesWhatFlagsHideAndAttributesThatAreOnlyInTheIndex) {
    m_repo.write(".gitattributes", "*.win text eol=crlf\n");
    m_repo.write("a.win", "one\n");
    m_repo.write("b", "one\n");
    m_repo.commit("one");
    m_repo.git("update-index", "--skip-worktree", ".gitattributes", "a.win");
    m_repo.git("update-index", "--assume-unchanged", "b");
    m_repo.remove(".gitattributes");
    m_repo.write("a.win", "two\r\n");
    m_repo.write("b", "two\n");
    const auto ids = hash_worktree_files(m_program, {"a.win", "b"});
    EXPECT_EQ(stored(ids.at("a.win")), "two\n");
    EXPECT_EQ(stored(ids.at("b")), "two\n");
}

TEST_F(Convert, NamesAFilterThatFailsOnTheWayIn) {
    define_filter("shout", "false", "cat");
    m_repo.write(".gitattributes", "*.loud filter=shout\n");
    m_repo.write("a.loud", "one\n");
    const auto error = error_of([&] { hash_worktree_files(m_program, {"a.loud"}); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::refused);
    EXPECT_EQ(error->message(), "the clean filter 'shout' fails on 'a.loud'");
    EXPECT_THAT(hints_of(*error), HasSubstr("filter\\.shout"));
    const auto missing = error_of([&] { hash_worktree_files(m_program, {"not-there"}); });
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->kind(), ErrorKind::failed);
}

} // namespace
} // namespace carry::git
