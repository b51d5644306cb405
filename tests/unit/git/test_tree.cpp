#include "base/text.hpp"
#include "git/tree.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace carry::git {
namespace {

using test::TempRepo;
using ::testing::ElementsAre;

RepositoryPaths paths_of(const TempRepo& repo) {
    return {repo.path(), repo.git_directory(), repo.git_directory()};
}

class Trees : public ::testing::Test {
protected:
    Trees() : m_store(open_libgit2_store(paths_of(m_repo))), m_reader(*m_store) {}

    ObjectId blob(std::string_view bytes) { return m_store->write(ObjectType::blob, bytes); }
    TreeEntry file(std::string_view bytes) { return {mode::file, blob(bytes)}; }
    /// A tree with these paths, each a file that holds its own name.
    ObjectId tree_of(const std::vector<std::string>& paths) {
        TreeEdits edits;
        for (const auto& path : paths)
            edits[path] = file(path);
        return m_reader.edit({}, edits);
    }
    std::vector<std::string> leaf_paths(const ObjectId& tree, std::string_view prefix = {}) {
        std::vector<std::string> paths;
        for (const auto& [path, entry] : m_reader.leaves(tree, prefix))
            paths.push_back(path);
        return paths;
    }
    std::string private_git(std::vector<std::string> args, std::string input = {}) const {
        args.insert(args.begin(), "git");
        const auto result = test::run_program(std::move(args), m_repo.path(),
                                              {{"GIT_OBJECT_DIRECTORY", paths_of(m_repo).carry_objects().native()},
                                               {"GIT_INDEX_FILE", (m_repo.git_directory() / "scratch").native()}},
                                              std::move(input));
        EXPECT_EQ(result.exit_code, 0) << result.error_output;
        return result.output;
    }

    TempRepo m_repo;
    std::unique_ptr<ObjectStore> m_store;
    TreeReader m_reader;
};

TEST_F(Trees, APathThatNoFileSystemHoldsIsRefused) {
    std::string path;
    for (int i = 0; i < 40; ++i)
        path += std::string(250, 'd') + "/";
    const auto deep = tree_of({path + "file"});
    EXPECT_THROW(static_cast<void>(m_reader.diff(tree_of({"a"}), deep)), Error);
    EXPECT_EQ(m_reader.diff(tree_of({"a"}), tree_of({path.substr(251 * 20) + "file"})).size(), 2U);
}

TEST_F(Trees, parse_refuses_malformed_data) {
    const std::string id(20, 'x');
    const std::string good = "100644 a" + std::string(1, '\0') + id;
    EXPECT_EQ(parse_tree(good, ObjectFormat::sha1).size(), 1U);
    EXPECT_TRUE(parse_tree("", ObjectFormat::sha1).empty());
    for (const std::string& bad :
         {good.substr(0, 20), std::string("100644 a"), std::string("100644"), "1z0644 a" + std::string(1, '\0') + id,
          " a" + std::string(1, '\0') + id, "100644 " + std::string(1, '\0') + id, good + "1"})
        EXPECT_THROW(parse_tree(bad, ObjectFormat::sha1), Error) << bad;
    EXPECT_THROW(parse_tree(good, ObjectFormat::sha256), Error);
}

TEST_F(Trees, modes_are_canonical) {
    const auto mode_of = [](const std::string& mode) {
        return parse_tree(mode + " a" + std::string(1, '\0') + std::string(20, 'x'), ObjectFormat::sha1)
            .at(0)
            .entry.mode;
    };
    EXPECT_EQ(mode_of("100664"), mode::file);
    EXPECT_EQ(mode_of("100600"), mode::file);
    EXPECT_EQ(mode_of("100775"), mode::executable);
    EXPECT_EQ(mode_of("040000"), mode::tree);
    EXPECT_EQ(mode_of("40000"), mode::tree);
    EXPECT_EQ(mode_of("120000"), mode::link);
    EXPECT_EQ(mode_of("160000"), mode::gitlink);
}

TEST_F(Trees, serialize_sorts_as_git_does) {
    const TreeEntry leaf = file("x");
    const TreeEntry directory{mode::tree, tree_of({"y"})};
    const std::string data =
        serialize_tree({{"a", directory}, {"a0", leaf}, {"a-b", leaf}, {"a.b", leaf}, {"A", leaf}});
    std::vector<std::string> names;
    for (const auto& entry : parse_tree(data, ObjectFormat::sha1))
        names.push_back(entry.name);
    EXPECT_THAT(names, ElementsAre("A", "a-b", "a.b", "a", "a0"));
    EXPECT_NO_THROW(private_git({"hash-object", "-w", "--stdin", "-t", "tree"}, data));
}

TEST_F(Trees, find_reaches_files_and_directories) {
    const ObjectId tree = tree_of({"a", "d/e/f", "d-e", "d.e"});
    EXPECT_EQ(m_reader.find(tree, "d/e/f"), file("d/e/f"));
    EXPECT_EQ(m_reader.find(tree, "d-e"), file("d-e"));
    EXPECT_TRUE(m_reader.find(tree, "d/e")->is_tree());
    EXPECT_EQ(m_reader.find(tree, "")->id, tree);
    for (const std::string_view absent : {"b", "d/e/g", "a/b", "d/e/f/g", "D", "d/"})
        EXPECT_FALSE(m_reader.find(tree, absent)) << absent;
    EXPECT_FALSE(m_reader.find({}, "a"));
}

TEST_F(Trees, leaves_below_a_directory) {
    const ObjectId tree = tree_of({"a", "d/e/f", "d/g", "d-e", "h"});
    EXPECT_THAT(leaf_paths(tree), ElementsAre("a", "d-e", "d/e/f", "d/g", "h"));
    EXPECT_THAT(leaf_paths(tree, "d"), ElementsAre("d/e/f", "d/g"));
    EXPECT_THAT(leaf_paths(tree, "a"), ElementsAre());
    EXPECT_THAT(leaf_paths(tree, "none"), ElementsAre());
    EXPECT_THAT(leaf_paths({}), ElementsAre());
}

TEST_F(Trees, edit_replaces_files_by_directories_and_back) {
    const ObjectId tree = tree_of({"a", "d/e/f", "d/g"});
    EXPECT_THAT(leaf_paths(m_reader.edit(tree, {{"a/b", file("x")}})), ElementsAre("a/b", "d/e/f", "d/g"));
    EXPECT_THAT(leaf_paths(m_reader.edit(tree, {{"d", file("x")}})), ElementsAre("a", "d"));
    EXPECT_THAT(leaf_paths(m_reader.edit(tree, {{"a", std::nullopt}, {"a/b", file("x")}})),
                ElementsAre("a/b", "d/e/f", "d/g"));
    EXPECT_THAT(leaf_paths(m_reader.edit(tree, {{"d", file("x")}, {"d/e/f", std::nullopt}, {"d/g", std::nullopt}})),
                ElementsAre("a", "d"));
    EXPECT_THROW(m_reader.edit(tree, {{"a", file("x")}, {"a/b", file("x")}}), Error);
}

TEST_F(Trees, edit_removes_exactly_the_path) {
    const ObjectId tree = tree_of({"a", "d/e/f", "d/g"});
    EXPECT_THAT(leaf_paths(m_reader.edit(tree, {{"d/e/f", std::nullopt}})), ElementsAre("a", "d/g"));
    EXPECT_FALSE(m_reader.find(m_reader.edit(tree, {{"d/e/f", std::nullopt}}), "d/e"));
    EXPECT_EQ(m_reader.edit(tree, {{"d", std::nullopt}}), tree);
    EXPECT_EQ(m_reader.edit(tree, {{"a/b", std::nullopt}, {"none", std::nullopt}, {"no/ne", std::nullopt}}), tree);
    EXPECT_EQ(m_reader.edit(tree, {}), tree);
}

TEST_F(Trees, an_empty_result_is_the_empty_tree) {
    const auto empty = ObjectId::from_hex("4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    EXPECT_EQ(m_reader.edit(tree_of({"d/e"}), {{"d/e", std::nullopt}}), empty);
    EXPECT_EQ(m_reader.edit({}, {}), empty);
    EXPECT_TRUE(m_reader.entries(empty).empty());
    EXPECT_TRUE(m_reader.diff(empty, {}).empty());
}

TEST_F(Trees, edit_refuses_what_is_no_path) {
    for (const std::string path : {"", "/a", "a/", "a//b"})
        EXPECT_THROW(m_reader.edit({}, {{path, file("x")}}), Error) << path;
}

TEST_F(Trees, diff_of_a_file_and_a_directory) {
    const ObjectId before = tree_of({"a", "a-b", "z"});
    const ObjectId after = tree_of({"a/x", "a/y", "z"});
    const auto changes = m_reader.diff(before, after);
    ASSERT_EQ(changes.size(), 4U);
    EXPECT_EQ(changes[0].path, "a");
    EXPECT_FALSE(changes[0].after);
    EXPECT_EQ(changes[1].path, "a-b");
    EXPECT_EQ(changes[2].path, "a/x");
    EXPECT_FALSE(changes[2].before);
    EXPECT_EQ(changes[2].after, file("a/x"));
    EXPECT_EQ(changes[3].path, "a/y");
}

/// A store that counts what is read from it.
class CountingStore final : public ObjectStore {
public:
    explicit CountingStore(ObjectStore& store) : m_store(&store) {}
    std::optional<Object> read(const ObjectId& id) override {
        ++reads;
        return m_store->read(id);
    }
    std::optional<ObjectHeader> header(const ObjectId& id) override { return m_store->header(id); }
    ObjectId write(ObjectType type, std::string_view data) override { return m_store->write(type, data); }
    [[nodiscard]] ObjectFormat format() const override { return m_store->format(); }
    [[nodiscard]] std::string_view name() const override { return m_store->name(); }
    int reads = 0;

private:
    ObjectStore* m_store;
};

TEST_F(Trees, diff_does_not_read_equal_subtrees) {
    std::vector<std::string> paths;
    for (int i = 0; i < 100; ++i)
        paths.push_back(fmt::format("dir{}/sub/file", i));
    const ObjectId before = tree_of(paths);
    const ObjectId after = m_reader.edit(before, {{"dir7/sub/file", file("changed")}});
    CountingStore store(*m_store);
    TreeReader reader(store);
    EXPECT_EQ(reader.diff(before, after).size(), 1U);
    EXPECT_EQ(store.reads, 6);
    EXPECT_TRUE(reader.diff(after, after).empty());
    EXPECT_EQ(store.reads, 6);
}

TEST_F(Trees, tree_of_commit_is_its_tree) {
    m_repo.write("a", "x");
    const auto commit = ObjectId::from_hex(m_repo.commit("first"));
    EXPECT_EQ(m_reader.tree_of_commit(commit).hex(), m_repo.git_line("rev-parse", "HEAD^{tree}"));
    EXPECT_THROW(m_reader.tree_of_commit(m_reader.tree_of_commit(commit)), Error);
}

/// Random edits on trees of few names, so that files and directories of one name meet often.
class RandomTrees : public Trees {
protected:
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(m_random); }

    std::string random_path() {
        static const std::vector<std::string> names{"a", "a-b", "a.b", "a0", "b", "A", "\xff\xfe", "n\nl", "sp ace"};
        std::string path = names[below(names.size())];
        for (std::size_t depth = below(4); depth > 0; --depth)
            path += "/" + names[below(names.size())];
        return path;
    }
    TreeEntry random_entry() {
        const ObjectId id = blob(std::to_string(below(5)));
        switch (below(8)) {
        case 0:
            return {mode::executable, id};
        case 1:
            return {mode::link, id};
        case 2:
            return {mode::gitlink, ObjectId::from_hex(std::string(39, '1') + std::to_string(below(3)))};
        default:
            return {mode::file, id};
        }
    }
    /// Edits that do not ask for a file and a directory of one name at once.
    TreeEdits random_edits(const ObjectId& tree) {
        const auto leaves = m_reader.leaves(tree);
        TreeEdits edits;
        for (std::size_t n = below(12) + 1; n > 0; --n) {
            const std::string path =
                below(2) == 0 && !leaves.empty() ? leaves[below(leaves.size())].first : random_path();
            if (below(3) == 0)
                edits[path] = std::nullopt;
            else
                edits[path] = random_entry();
        }
        std::erase_if(edits, [&edits](const auto& edit) {
            return edit.second && std::ranges::any_of(edits, [&edit](const auto& other) {
                       return other.second && other.first.starts_with(edit.first + "/");
                   });
        });
        return edits;
    }
    /// What git makes of the same edits, in the same order, in an index that holds the tree already.
    std::string edit_by_git(const TreeEdits& edits) {
        std::string records;
        for (const auto& [path, entry] : edits) {
            records += entry ? fmt::format("{:06o} {}\t{}", entry->mode, entry->id.hex(), path)
                             : fmt::format("0 {}\t{}", std::string(40, '0'), path);
            records += '\0';
        }
        private_git({"update-index", "-z", "--index-info"}, records);
        return private_git({"write-tree", "--missing-ok"}).substr(0, 40);
    }
    static std::string raw_line(const TreeChange& change) {
        const auto mode_of = [](const auto& entry) { return entry ? entry->mode : 0U; };
        const auto id_of = [](const auto& entry) { return entry ? entry->id.hex() : std::string(40, '0'); };
        char status = 'M';
        if (!change.before)
            status = 'A';
        else if (!change.after)
            status = 'D';
        else if ((change.before->mode & 0170000U) != (change.after->mode & 0170000U))
            status = 'T';
        std::string line = fmt::format(":{:06o} {:06o} {} {} {}", mode_of(change.before), mode_of(change.after),
                                       id_of(change.before), id_of(change.after), status);
        line += '\0';
        return line + change.path + '\0';
    }

    std::uint32_t m_seed = 20260308;
    std::mt19937 m_random{m_seed};
};

TEST_F(RandomTrees, edits_and_differences_are_git_s) {
    SCOPED_TRACE(fmt::format("seed {}", m_seed));
    ObjectId tree = m_reader.edit({}, {});
    std::vector<ObjectId> trees{tree};
    std::vector<std::string> differences;
    std::string pairs;
    for (int round = 0; round < 200; ++round) {
        SCOPED_TRACE(fmt::format("round {}", round));
        const TreeEdits edits = random_edits(tree);
        const ObjectId next = m_reader.edit(tree, edits);
        ASSERT_EQ(next.hex(), edit_by_git(edits));
        const ObjectId& other = below(3) == 0 ? trees[below(trees.size())] : tree;
        const std::string pair = fmt::format("{} {}\n", other.hex(), next.hex());
        std::string text;
        for (const auto& change : m_reader.diff(other, next))
            text += raw_line(change);
        if (!text.empty()) {
            pairs += pair;
            differences.push_back(pair + text);
        }
        tree = next;
        trees.push_back(tree);
    }
    EXPECT_GT(differences.size(), 150U);
    EXPECT_EQ(private_git({"diff-tree", "--stdin", "-r", "--raw", "-z", "--no-renames", "--no-abbrev"}, pairs),
              join(differences, ""));
}

} // namespace
} // namespace carry::git
