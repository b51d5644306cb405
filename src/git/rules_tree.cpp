#include "git/rules_tree.hpp"

#include "base/directory.hpp"
#include "base/text.hpp"

#include <carry/error.hpp>

#include <algorithm>

namespace carry::git {

RuleFiles rule_files(TreeReader& trees, const ObjectId& tree, const std::vector<std::string>& paths,
                     const std::string& name) {
    RuleFiles files;
    for (const auto& item : paths) {
        std::string_view directory = item;
        do {
            directory = parent_of(directory);
            std::string path = directory.empty() ? name : std::string(directory) + "/" + name;
            if (files.contains(path))
                break;
            const auto entry = trees.find(tree, path);
            // git does not follow a link here
            files[std::move(path)] = entry && entry->is_regular()
                                         ? std::optional(trees.store().require(entry->id, ObjectType::blob))
                                         : std::nullopt;
        } while (!directory.empty());
    }
    return files;
}

RulesTree::RulesTree(const Program& program, const RuleFiles& files)
    : m_directory(program.paths().carry_dir(), "rules-") {
    m_options.private_objects = true;
    // an index that is not there, so that only the files count
    m_options.environment.emplace_back("GIT_INDEX_FILE", (m_directory.path() / "no-index").native());
    DirectoryTree checkout(program.paths().worktree);
    const bool same = std::all_of(files.begin(), files.end(), [&](const auto& file) {
        const auto status = checkout.status(file.first);
        if (status && !S_ISREG(status->st_mode))
            return false;
        return checkout.read(file.first) == file.second;
    });
    if (same)
        return;
    const auto root = m_directory.path() / "tree";
    make_directories(root);
    for (const auto& [path, bytes] : files) {
        if (!bytes)
            continue;
        make_directories((root / path).parent_path());
        write_file_atomic(root / path, *bytes);
    }
    m_options.directory = root;
    m_options.environment.emplace_back("GIT_DIR", program.paths().git_dir.native());
    m_options.environment.emplace_back("GIT_WORK_TREE", root.native());
}

std::vector<std::string> ignored_in_tree(const Program& program, TreeReader& trees, const ObjectId& tree,
                                         const std::vector<std::string>& paths) {
    if (paths.empty())
        return {};
    const RulesTree place(program, rule_files(trees, tree, paths, ".gitignore"));
    auto options = place.options();
    for (const auto& path : paths)
        options.input += path + '\0';
    const auto result = program.run({"check-ignore", "--no-index", "-z", "--stdin"}, options);
    // 1: none of them is ignored
    if (!result.ok() && result.exit_code != 1)
        throw Error(ErrorKind::failed, "cannot ask git which paths are ignored").because(result.error_output);
    std::vector<std::string> ignored;
    for (const auto path : split_terminated(result.output, '\0'))
        ignored.emplace_back(path);
    return ignored;
}

} // namespace carry::git
