#include "git/object_store.hpp"
#include "git/tree.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

namespace carry::git {
namespace {

using test::TempRepo;
namespace fs = std::filesystem;

RepositoryPaths paths_of(const TempRepo& repo) {
    return {repo.path(), repo.git_directory(), repo.git_directory()};
}

const std::string people = "author A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n";
constexpr std::string_view empty_tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

enum class Kind { libgit2, program };

std::unique_ptr<ObjectStore> open_store(Kind kind, const RepositoryPaths& paths) {
    if (kind == Kind::libgit2)
        return open_libgit2_store(paths);
    return open_program_store(Program(paths), ObjectFormat::sha1);
}

/// git with the private object directory as its own.
ProcessResult private_git(const TempRepo& repo, std::vector<std::string> args, std::string input = {}) {
    args.insert(args.begin(), "git");
    return test::run_program(std::move(args), repo.path(),
                             {{"GIT_OBJECT_DIRECTORY", paths_of(repo).carry_objects().native()}}, std::move(input));
}

/// Loose objects and packs in a directory of objects, "ab/cdef...".
std::vector<std::string> object_files(const fs::path& objects) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(objects)) {
        const std::string name = entry.path().lexically_relative(objects).native();
        if (entry.is_regular_file() && !name.starts_with("info/"))
            names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

class EachStore : public ::testing::TestWithParam<Kind> {
protected:
    ObjectStore& store() {
        if (!m_store)
            m_store = open_store(GetParam(), paths_of(m_repo));
        return *m_store;
    }
    [[nodiscard]] std::vector<std::string> private_files() const {
        return object_files(paths_of(m_repo).carry_objects());
    }
    [[nodiscard]] std::vector<std::string> repository_files() const {
        return object_files(m_repo.git_directory() / "objects");
    }

    TempRepo m_repo;

private:
    std::unique_ptr<ObjectStore> m_store;
};

INSTANTIATE_TEST_SUITE_P(Both, EachStore, ::testing::Values(Kind::libgit2, Kind::program),
                         [](const auto& instance) { return instance.param == Kind::libgit2 ? "libgit2" : "git"; });

TEST_P(EachStore, reads_what_git_has_written) {
    m_repo.write("file", "content\n");
    const std::string commit = m_repo.commit("first");
    m_repo.git("tag", "-a", "-m", "words", "v1");
    for (const std::string revision : {"HEAD", "HEAD^{tree}", "HEAD:file", "v1"}) {
        const auto id = ObjectId::from_hex(m_repo.git_line("rev-parse", revision));
        const std::string type = m_repo.git_line("cat-file", "-t", revision);
        const std::string data = m_repo.git("cat-file", type, revision);
        const auto object = store().read(id);
        ASSERT_TRUE(object) << revision;
        EXPECT_EQ(to_string(object->type), type);
        EXPECT_EQ(object->data, data);
        const auto header = store().header(id);
        ASSERT_TRUE(header) << revision;
        EXPECT_EQ(header->type, object->type);
        EXPECT_EQ(header->size, data.size());
    }
    EXPECT_EQ(store().require(ObjectId::from_hex(commit), ObjectType::commit),
              m_repo.git("cat-file", "commit", "HEAD"));
}

TEST_P(EachStore, reads_packed_objects_through_alternates_of_alternates) {
    m_repo.write("file", "content\n");
    m_repo.commit("first");
    m_repo.git("gc", "-q");
    const TempRepo middle = TempRepo::clone_of(m_repo);
    const TempRepo last = TempRepo::clone_of(m_repo);
    for (const auto* clone : {&middle, &last})
        for (const auto& file : object_files(clone->git_directory() / "objects"))
            fs::remove(clone->git_directory() / "objects" / file);
    // Relative to the directory that holds the file, on the second level.
    middle.write(".git/objects/info/alternates",
                 fs::relative(m_repo.git_directory() / "objects", middle.git_directory() / "objects").native() + "\n");
    last.write(".git/objects/info/alternates", (middle.git_directory() / "objects").native() + "\n");
    const auto opened = open_store(GetParam(), paths_of(last));
    EXPECT_TRUE(opened->contains(ObjectId::from_hex(m_repo.head())));
}

TEST_P(EachStore, a_missing_object_is_an_answer) {
    const auto id = ObjectId::from_hex("1234567890123456789012345678901234567890");
    const auto sha256 = ObjectId::from_hex(std::string(64, 'a'));
    for (const auto& absent : {id, sha256, ObjectId()}) {
        EXPECT_FALSE(store().read(absent));
        EXPECT_FALSE(store().header(absent));
        EXPECT_FALSE(store().contains(absent));
    }
    try {
        store().require(id, ObjectType::tree, "tree of 'origin/main'");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.message(),
                  "cannot find tree '1234567890123456789012345678901234567890' (tree of 'origin/main')");
    }
}

TEST_P(EachStore, require_refuses_another_type) {
    const ObjectId blob = store().write(ObjectType::blob, "x");
    EXPECT_THROW(store().require(blob, ObjectType::tree), Error);
}

TEST_P(EachStore, writes_into_the_private_directory_only) {
    const auto before = repository_files();
    const ObjectId blob = store().write(ObjectType::blob, "private\n");
    EXPECT_EQ(
        blob.hex(),
        test::run_program({"git", "hash-object", "--stdin"}, m_repo.path(), {}, "private\n").output.substr(0, 40));
    EXPECT_EQ(repository_files(), before);
    EXPECT_THAT(private_files(), ::testing::ElementsAre(blob.hex().substr(0, 2) + "/" + blob.hex().substr(2)));
    EXPECT_NE(m_repo.git_status("cat-file", "-e", blob.hex()), 0);
    EXPECT_EQ(private_git(m_repo, {"cat-file", "blob", blob.hex()}).output, "private\n");
    EXPECT_EQ(store().read(blob)->data, "private\n");
    EXPECT_EQ(store().header(blob)->size, 8U);
}

TEST_P(EachStore, keeps_the_directory_to_its_owner) {
    const ObjectId blob = store().write(ObjectType::blob, "private\n");
    const fs::path objects = paths_of(m_repo).carry_objects();
    for (const auto& directory : {objects.parent_path(), objects})
        EXPECT_EQ(lstat_if_exists(directory)->st_mode & 07777U, 0700U) << directory;
    const auto loose = objects / blob.hex().substr(0, 2) / blob.hex().substr(2);
    EXPECT_EQ(lstat_if_exists(loose)->st_mode & 07777U, 0444U);
}

TEST_P(EachStore, does_not_write_again_what_the_repository_has) {
    m_repo.write("file", "content\n");
    m_repo.commit("first");
    const auto blob = m_repo.git_line("rev-parse", "HEAD:file");
    EXPECT_EQ(store().write(ObjectType::blob, "content\n").hex(), blob);
    m_repo.git("gc", "-q");
    EXPECT_EQ(store().write(ObjectType::blob, "content\n").hex(), blob);
    EXPECT_THAT(private_files(), ::testing::IsEmpty());
}

TEST_P(EachStore, writes_every_type_as_git_does) {
    const ObjectId blob = store().write(ObjectType::blob, "");
    EXPECT_EQ(blob.hex(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    EXPECT_EQ(store().read(blob)->data, "");
    const ObjectId tree = store().write(ObjectType::tree, "100644 a" + std::string(1, '\0') + std::string(blob.raw()));
    EXPECT_EQ(store().write(ObjectType::tree, "").hex(), empty_tree);
    const ObjectId commit = store().write(
        ObjectType::commit, "tree " + tree.hex() + "\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n");
    const ObjectId tag =
        store().write(ObjectType::tag, "object " + commit.hex() + "\ntype commit\ntag v\ntagger A <a> 1 +0000\n\nx\n");
    EXPECT_EQ(store().header(tag)->type, ObjectType::tag);
    EXPECT_EQ(private_git(m_repo, {"rev-parse", commit.hex() + ":a"}).output, blob.hex() + "\n");
    EXPECT_EQ(private_git(m_repo, {"fsck", "--strict", "--no-dangling"}).exit_code, 0);
}

TEST_P(EachStore, knows_the_empty_tree_without_having_it) {
    const auto id = ObjectId::from_hex(empty_tree);
    EXPECT_EQ(store().read(id)->data, "");
    EXPECT_EQ(store().header(id)->type, ObjectType::tree);
    EXPECT_EQ(store().header(id)->size, 0U);
}

TEST_P(EachStore, keeps_every_byte) {
    std::string bytes;
    for (unsigned i = 0; i < 300000; ++i)
        bytes += static_cast<char>(i * i % 251);
    for (const std::string& data : {std::string("\0\n\0", 3), std::string("no newline"), std::string("\n"), bytes}) {
        const ObjectId id = store().write(ObjectType::blob, data);
        EXPECT_EQ(store().read(id)->data, data);
        EXPECT_EQ(private_git(m_repo, {"cat-file", "blob", id.hex()}).output, data);
    }
}

TEST_P(EachStore, finds_objects_that_arrive_while_it_is_open) {
    m_repo.write("file", "content\n");
    m_repo.commit("first");
    const auto first = ObjectId::from_hex(m_repo.head());
    ASSERT_TRUE(store().read(first));
    ASSERT_TRUE(store().header(first));

    // Loose in the private directory, written by another program.
    const auto blob =
        ObjectId::from_hex(private_git(m_repo, {"hash-object", "-w", "--stdin"}, "late\n").output.substr(0, 40));
    EXPECT_TRUE(store().read(blob));
    EXPECT_TRUE(store().header(blob));

    // In a new pack of the repository, as a fetch leaves it.
    const TempRepo other = TempRepo::clone_of(m_repo);
    other.write("file", "newer\n");
    other.commit("second");
    m_repo.git("-c", "fetch.unpackLimit=1", "fetch", "-q", other.url(), "main");
    const auto second = ObjectId::from_hex(other.head());
    EXPECT_TRUE(store().read(second));
    EXPECT_TRUE(store().header(second));
    EXPECT_FALSE(store().read(ObjectId::from_hex("1234567890123456789012345678901234567890")));
}

TEST_P(EachStore, survives_a_repack_under_it) {
    std::vector<ObjectId> commits;
    for (const auto* text : {"1\n", "2\n", "3\n"}) {
        m_repo.write("file", text);
        commits.push_back(ObjectId::from_hex(m_repo.commit(text)));
        m_repo.git("repack", "-dq"); // a pack each
    }
    ASSERT_TRUE(store().read(commits[0]));
    m_repo.git("repack", "-adq");
    for (const auto& commit : commits)
        EXPECT_TRUE(store().read(commit)) << commit.hex();
}

TEST_P(EachStore, a_corrupt_object_is_an_error_not_an_absence) {
    const ObjectId blob = store().write(ObjectType::blob, "private\n");
    const ObjectId other = store().write(ObjectType::blob, "other\n");
    const auto loose = paths_of(m_repo).carry_objects() / blob.hex().substr(0, 2) / blob.hex().substr(2);
    fs::permissions(loose, fs::perms::owner_write, fs::perm_options::add);
    write_file_atomic(loose, "rubbish");
    try {
        const auto object = open_store(GetParam(), paths_of(m_repo))->read(blob);
        FAIL() << "no error: " << (object ? "read" : "missing");
    } catch (const Error& error) {
        EXPECT_THAT(error.message(), ::testing::HasSubstr(blob.hex()));
        EXPECT_THAT(error.causes(), ::testing::Not(::testing::IsEmpty()));
    }
    EXPECT_THROW(store().read(blob), Error);
    EXPECT_EQ(store().read(other)->data, "other\n"); // it goes on after an error
}

TEST_P(EachStore, works_in_a_directory_with_a_strange_name) {
    const fs::path strange = m_repo.path() / "a \"b\"\n\xff";
    fs::create_directory(strange);
    ASSERT_EQ(test::run_program({"git", "init", "-q"}, strange).exit_code, 0);
    const std::string id =
        test::run_program({"git", "hash-object", "-w", "--stdin"}, strange, {}, "there\n").output.substr(0, 40);
    const auto opened = open_store(GetParam(), {strange, strange / ".git", strange / ".git"});
    EXPECT_TRUE(opened->read(ObjectId::from_hex(id)));
    const ObjectId blob = opened->write(ObjectType::blob, "new\n");
    EXPECT_TRUE(opened->read(blob));
}

TEST(ProgramStore, works_in_a_sha256_repository) {
    const TemporaryDirectory directory(fs::temp_directory_path());
    ASSERT_EQ(test::run_program({"git", "init", "-q", "--object-format=sha256"}, directory.path()).exit_code, 0);
    const RepositoryPaths paths{directory.path(), directory.path() / ".git", directory.path() / ".git"};
    const auto store = open_program_store(Program(paths), ObjectFormat::sha256);
    const ObjectId blob = store->write(ObjectType::blob, "content\n");
    EXPECT_EQ(blob.hex().size(), 64U);
    EXPECT_EQ(store->read(blob)->data, "content\n");
    EXPECT_FALSE(store->read(ObjectId::from_hex("1234567890123456789012345678901234567890")));
}

TEST(PrepareObjectDirectory, can_be_called_again_and_follows_a_moved_repository) {
    const TempRepo repo;
    prepare_object_directory(paths_of(repo));
    const auto file = paths_of(repo).carry_objects() / "info" / "alternates";
    const auto first = lstat_if_exists(file);
    prepare_object_directory(paths_of(repo));
    EXPECT_EQ(lstat_if_exists(file)->st_ino, first->st_ino);
    write_file_atomic(file, "/somewhere/else\n");
    prepare_object_directory(paths_of(repo));
    EXPECT_EQ(read_file(file), (repo.git_directory() / "objects").native() + "\n");
}

TEST(SyncPrivateObjects, remembers_what_it_has_done) {
    const TempRepo repo;
    const auto paths = paths_of(repo);
    sync_private_objects(paths); // nothing there yet
    const auto store = open_libgit2_store(paths);
    store->write(ObjectType::blob, "x");
    sync_private_objects(paths);
    EXPECT_TRUE(lstat_if_exists(paths.carry_objects() / "info" / "synced"));
    sync_private_objects(paths);
    EXPECT_EQ(private_git(repo, {"fsck", "--strict"}).exit_code, 0);
}

/// A checkout with one commit, and a private commit on it that changes a file in a directory.
class Publish : public ::testing::Test {
protected:
    Publish() {
        m_repo.write("dir/file", "one\n");
        m_repo.write("other/file", "other\n");
        m_base = ObjectId::from_hex(m_repo.commit("base"));
        m_store = open_libgit2_store(paths_of(m_repo));
    }
    /// Commits on `parent`, in private, its tree with one blob more.
    ObjectId private_commit(const ObjectId& parent, const std::string& name, const std::string& bytes) {
        TreeReader reader(*m_store);
        const TreeEntry entry{mode::file, m_store->write(ObjectType::blob, bytes)};
        const ObjectId tree = reader.edit(reader.tree_of_commit(parent), {{name, entry}});
        return m_store->write(ObjectType::commit, "tree " + tree.hex() + "\nparent " + parent.hex() + "\n" + people);
    }
    [[nodiscard]] std::vector<std::string> repository_files() const {
        return object_files(m_repo.git_directory() / "objects");
    }
    void publish(const std::vector<ObjectId>& wanted) { publish_objects(Program(paths_of(m_repo)), wanted, {m_base}); }
    void expect_connected() const {
        const auto fsck = m_repo.git_run({"fsck", "--connectivity-only", "--strict"});
        EXPECT_EQ(fsck.exit_code, 0) << fsck.error_output;
    }

    TempRepo m_repo;
    ObjectId m_base;
    std::unique_ptr<ObjectStore> m_store;
};

TEST_F(Publish, copies_a_commit_with_what_it_needs_and_nothing_else) {
    const ObjectId commit = private_commit(private_commit(m_base, "dir/new", "new\n"), "dir/newer", "newer\n");
    m_store->write(ObjectType::blob, "a secret\n");
    const auto before = repository_files();
    publish({commit});
    EXPECT_EQ(repository_files().size(), before.size() + 2 * 4); // commit, root, dir, blob
    m_repo.git("update-ref", "refs/heads/result", commit.hex());
    expect_connected();
    EXPECT_EQ(m_repo.git("show", "result:dir/newer"), "newer\n");
    const auto after = repository_files();
    publish({commit});
    EXPECT_EQ(repository_files(), after);
}

TEST_F(Publish, writes_nothing_where_the_repository_has_everything) {
    m_repo.git("gc", "-q");
    const auto before = repository_files();
    publish({m_base, ObjectId::from_hex(m_repo.git_line("rev-parse", "HEAD^{tree}")), ObjectId()});
    publish_objects(Program(paths_of(m_repo)), {m_base}, {});
    publish_objects(Program(paths_of(m_repo)), {}, {});
    EXPECT_EQ(repository_files(), before);
}

TEST_F(Publish, takes_trees_and_blobs_that_no_commit_holds) {
    const ObjectId blob = m_store->write(ObjectType::blob, "staged\n");
    const ObjectId commit = private_commit(m_base, "dir/new", "new\n");
    const auto tree = private_git(m_repo, {"rev-parse", commit.hex() + "^{tree}"}).output.substr(0, 40);
    publish({blob, ObjectId::from_hex(tree)});
    EXPECT_EQ(m_repo.git("cat-file", "blob", blob.hex()), "staged\n");
    EXPECT_EQ(m_repo.git("show", tree + ":dir/new"), "new\n");
    EXPECT_NE(m_repo.git_status("cat-file", "-e", commit.hex()), 0);
}

TEST_F(Publish, brings_back_what_a_prune_has_removed) {
    const ObjectId commit = private_commit(m_base, "dir/new", "new\n");
    publish({commit});
    m_repo.git("gc", "-q", "--prune=now");
    ASSERT_NE(m_repo.git_status("cat-file", "-e", commit.hex()), 0);
    publish({commit});
    m_repo.git("update-ref", "refs/heads/result", commit.hex());
    expect_connected();
}

TEST_F(Publish, many_objects_become_one_pack) {
    ObjectId commit = m_base;
    for (int i = 0; i < 40; ++i)
        commit = private_commit(commit, "dir/" + std::to_string(i), std::to_string(i));
    publish({commit});
    const auto files = repository_files();
    EXPECT_EQ(std::ranges::count_if(files, [](const std::string& name) { return name.ends_with(".pack"); }), 1);
    m_repo.git("update-ref", "refs/heads/result", commit.hex());
    expect_connected();
}

TEST_F(Publish, keep_objects_outlives_a_prune_of_the_repository) {
    const std::string staged = m_repo.git_run({"hash-object", "-w", "--stdin"}, "staged\n").output.substr(0, 40);
    m_repo.write("dir/file", "two\n");
    const auto second = ObjectId::from_hex(m_repo.commit("second"));
    m_store->write(ObjectType::blob, "a secret\n");
    const std::vector<ObjectId> wanted{second, ObjectId::from_hex(staged), ObjectId()};
    keep_objects(Program(paths_of(m_repo)), wanted, {m_base});
    keep_objects(Program(paths_of(m_repo)), wanted, {m_base}); // the same pack again
    keep_objects(Program(paths_of(m_repo)), {m_base}, {m_base});
    const auto files = object_files(paths_of(m_repo).carry_objects());
    EXPECT_EQ(std::ranges::count_if(files, [](const std::string& name) { return name.ends_with(".pack"); }), 1);
    m_repo.git("reset", "-q", "--hard", m_base.hex());
    m_repo.git("reflog", "expire", "--expire=all", "--all");
    m_repo.git("gc", "-q", "--prune=now");
    ASSERT_NE(m_repo.git_status("cat-file", "-e", second.hex()), 0);
    for (const Kind kind : {Kind::libgit2, Kind::program}) {
        const auto store = open_store(kind, paths_of(m_repo));
        EXPECT_EQ(store->require(ObjectId::from_hex(staged), ObjectType::blob), "staged\n");
        EXPECT_TRUE(store->contains(second));
    }
    EXPECT_EQ(private_git(m_repo, {"show", second.hex() + ":dir/file"}).output, "two\n");
    publish({second});
    m_repo.git("update-ref", "refs/heads/result", second.hex());
    expect_connected();
}

TEST_F(Publish, works_in_a_shallow_clone_and_in_a_partial_one) {
    m_repo.write("dir/file", "two\n");
    m_repo.commit("second");
    m_repo.git("config", "uploadpack.allowFilter", "true");
    m_repo.git("config", "uploadpack.allowAnySHA1InWant", "true");
    for (const std::string option : {"--depth=1", "--filter=blob:none", "--filter=tree:0"}) {
        const TempRepo clone = TempRepo::clone_of(m_repo, {option});
        const auto head = ObjectId::from_hex(clone.head());
        const auto store = open_program_store(Program(paths_of(clone)), ObjectFormat::sha1);
        const ObjectId blob = store->write(ObjectType::blob, "new\n");
        const ObjectId tree =
            store->write(ObjectType::tree, "100644 new" + std::string(1, '\0') + std::string(blob.raw()));
        const ObjectId commit =
            store->write(ObjectType::commit, "tree " + tree.hex() + "\nparent " + head.hex() +
                                                 "\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n");
        publish_objects(Program(paths_of(clone)), {commit}, {head});
        clone.git("update-ref", "refs/heads/result", commit.hex());
        const auto fsck = clone.git_run({"fsck", "--connectivity-only"});
        EXPECT_EQ(fsck.exit_code, 0) << option << fsck.error_output;
        EXPECT_EQ(clone.git("show", "result:new"), "new\n") << option;
    }
}

TEST_F(Publish, works_from_a_linked_worktree) {
    const fs::path linked = m_repo.path() / "linked";
    m_repo.git("worktree", "add", "-q", "--detach", linked.native());
    const RepositoryPaths paths{linked, m_repo.git_directory() / "worktrees" / "linked", m_repo.git_directory()};
    const auto store = open_libgit2_store(paths);
    EXPECT_TRUE(store->contains(m_base));
    const ObjectId blob = store->write(ObjectType::blob, "linked\n");
    EXPECT_TRUE(lstat_if_exists(paths.carry_objects() / blob.hex().substr(0, 2)));
    publish_objects(Program(paths), {blob}, {m_base});
    EXPECT_EQ(m_repo.git("cat-file", "blob", blob.hex()), "linked\n");
}

} // namespace
} // namespace carry::git
