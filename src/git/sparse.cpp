#include "git/sparse.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

namespace carry::git {

std::set<std::string> outside_sparse_checkout(const Program& program, ObjectStore& objects,
                                              const std::vector<std::string>& paths) {
    std::set<std::string> outside;
    if (paths.empty())
        return outside;
    prepare_object_directory(program.paths());
    const TemporaryDirectory directory(program.paths().carry_dir(), "sparse-");
    const auto root = directory.path() / "tree";
    make_directories(root);
    RunOptions options;
    options.private_objects = true; // the trees that an index remembers
    options.directory = root;
    options.environment = {{"GIT_DIR", program.paths().git_dir.native()},
                           {"GIT_WORK_TREE", root.native()},
                           {"GIT_INDEX_FILE", (directory.path() / "index").native()}};
    const auto in_own_index = [&](std::vector<std::string> args) {
        args.insert(args.begin(), {"-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "-c",
                                   "core.hooksPath=/dev/null", "-c", "index.sparse=false"});
        return program.output(args, options);
    };
    const auto entry = "100644 " + objects.write(ObjectType::blob, {}).hex() + " 0\t";
    for (const auto& path : paths)
        options.input += entry + path + '\0';
    in_own_index({"update-index", "-z", "--index-info"});
    options.input.clear();
    in_own_index({"sparse-checkout", "reapply"});
    const auto listed = in_own_index({"ls-files", "-t", "-z"});
    for (const auto record : split_terminated(listed, '\0'))
        if (record.starts_with("S "))
            outside.emplace(record.substr(2));
    return outside;
}

} // namespace carry::git
