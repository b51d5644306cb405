/// The .gitattributes or .gitignore files of a tree, where git can read them: it looks for them in a working tree.
#pragma once

#include "base/file.hpp"
#include "git/program.hpp"
#include "git/tree.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::git {

/// Path -> bytes; nothing where the tree has no such file.
using RuleFiles = std::map<std::string, std::optional<std::string>>;

/// The files called `name` of every directory on the way to `paths`, as the tree has them.
RuleFiles rule_files(TreeReader& trees, const ObjectId& tree, const std::vector<std::string>& paths,
                     const std::string& name);

/// Where git has to run to see the rules of a tree. The checkout itself serves where its files are the same: filter
/// commands that name scripts of the checkout work only there.
class RulesTree {
public:
    RulesTree(const Program& program, const RuleFiles& files);
    [[nodiscard]] const RunOptions& options() const { return m_options; }

private:
    TemporaryDirectory m_directory;
    RunOptions m_options;
};

/// Those of `paths` that the ignore rules of `tree` cover (`git check-ignore --no-index`), with info/exclude and
/// core.excludesFile as they are.
std::vector<std::string> ignored_in_tree(const Program& program, TreeReader& trees, const ObjectId& tree,
                                         const std::vector<std::string>& paths);

} // namespace carry::git
