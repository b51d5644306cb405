#include "unit/snapshot/reference.hpp"

#include "support/program.hpp"

namespace carry::snapshot {

ReferenceTrees reference_trees(const test::TempRepo& repo, const std::filesystem::path& objects) {
    const TemporaryDirectory scratch("/tmp");
    const auto index = scratch.path() / "index";
    if (repo.exists(".git/index")) {
        std::filesystem::copy_file(repo.git_directory() / "index", index);
        // git takes an entry as old as the index for doubtful; the copy has to be as old, or edits of one second go
        // unseen.
        std::filesystem::last_write_time(index, std::filesystem::last_write_time(repo.git_directory() / "index"));
    }
    const auto own_objects = scratch.path() / "objects";
    std::filesystem::create_directory(own_objects);
    const test::EnvironmentChanges extra = {
        {"GIT_INDEX_FILE", index.native()},
        {"GIT_OBJECT_DIRECTORY", (objects.empty() ? own_objects : objects).native()},
        {"GIT_ALTERNATE_OBJECT_DIRECTORIES", (repo.git_directory() / "objects").native()}};
    const auto git = [&](std::vector<std::string> args) {
        args.insert(args.begin(), "git");
        const auto result = test::run_program(args, repo.path(), extra);
        EXPECT_EQ(result.exit_code, 0) << result.error_output;
        return result.output.substr(0, result.output.find('\n'));
    };
    ReferenceTrees trees;
    trees.staged = git({"write-tree"});
    git({"add", "-u"});
    trees.unstaged = git({"write-tree"});
    git({"add", "-A"});
    trees.untracked = git({"write-tree"});
    return trees;
}

namespace {

std::set<std::string> object_files(const test::TempRepo& repo) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(repo.git_directory() / "objects"))
        names.insert(entry.path().native());
    return names;
}

} // namespace

Untouched::Untouched(const test::TempRepo& repo)
    : fingerprint(test::fingerprint(repo.path())), objects(object_files(repo)),
      index(read_file_if_exists(repo.git_directory() / "index").value_or("")) {}

testing::AssertionResult Untouched::still(const test::TempRepo& repo) const {
    if (read_file_if_exists(repo.git_directory() / "index").value_or("") != index)
        return testing::AssertionFailure() << "the index file has changed";
    if (object_files(repo) != objects)
        return testing::AssertionFailure() << "the repository's own objects have changed";
    return test::same(fingerprint, test::fingerprint(repo.path()));
}

git::Repository open(const test::TempRepo& repo, bool program_store) {
    auto repository = git::Repository::open(repo.path());
    repository.use_program_store(program_store);
    return repository;
}

std::string blob(git::Repository& repository, const git::ObjectId& id) {
    return repository.objects().require(id, git::ObjectType::blob);
}

} // namespace carry::snapshot
