/// Linear chains of generated commits, compared with `git rebase`.
#include "base/text.hpp"
#include "merge/rebase.hpp"
#include "scratch_trees.hpp"
#include "support/generate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace carry::merge {
namespace {

using test::ScratchFiles;
using test::ScratchRepository;
using test::TreeGenerator;

constexpr unsigned cases = 30;

void change_a_little(TreeGenerator& generator, ScratchFiles& files) {
    generator.change(files, 1 + generator.below(2),
                     {&TreeGenerator::add, &TreeGenerator::rename, &TreeGenerator::change_mode, &TreeGenerator::edit,
                      &TreeGenerator::edit, &TreeGenerator::edit, &TreeGenerator::edit, &TreeGenerator::edit});
}

/// A local change that makes no directory vanish: see test_tree_merge_generated.cpp.
ScratchFiles local_change(TreeGenerator& generator, const ScratchFiles& files) {
    for (;;) {
        auto changed = files;
        change_a_little(generator, changed);
        const auto before = test::directories_of(files);
        const auto after = test::directories_of(changed);
        if (std::includes(after.begin(), after.end(), before.begin(), before.end()))
            return changed;
    }
}

/// The rebased commits' trees, oldest first; nothing where git stops at a conflict.
std::optional<std::vector<std::string>> rebase_by_git(ScratchRepository& scratch, const git::ObjectId& onto,
                                                      const git::ObjectId& base, const git::ObjectId& tip) {
    const auto checkout = scratch.git({"checkout", "-q", "-f", "--detach", tip.hex()});
    EXPECT_TRUE(checkout.ok()) << checkout.error_output;
    const auto rebase = scratch.git({"-c", "merge.directoryRenames=true", "rebase", "-q", "--empty=drop", "--onto",
                                     onto.hex(), base.hex(), tip.hex()});
    if (!rebase.ok()) {
        EXPECT_TRUE(scratch.git({"rebase", "--abort"}).ok()) << rebase.error_output;
        return std::nullopt;
    }
    std::vector<std::string> trees;
    const auto log = scratch.git({"log", "--reverse", "--format=%T", onto.hex() + "..HEAD"});
    for (const auto tree : split_terminated(log.output, '\n'))
        trees.emplace_back(tree);
    return trees;
}

TEST(GeneratedRebase, AgreesWithGit) {
    ScratchRepository scratch;
    const unsigned first_seed = 42;
    unsigned clean = 0;
    for (unsigned seed = first_seed; seed < first_seed + cases; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        TreeGenerator generator(seed);
        const auto base_files = generator.base();
        const auto base = scratch.commit(scratch.tree(base_files), {});
        auto files = base_files;
        change_a_little(generator, files);
        change_a_little(generator, files);
        const auto upstream = scratch.commit(scratch.tree(files), {base});

        RebaseInput input{.base = base, .onto = upstream};
        auto tip = base;
        files = base_files;
        for (int i = 0; i < 4; ++i) {
            ChainLink link;
            link.label = fmt::format("commit {}", i);
            link.before = scratch.tree(files);
            files = local_change(generator, files);
            link.after = scratch.tree(files);
            link.commit = tip = scratch.commit(link.after, {tip}, link.label + "\n");
            input.links.push_back(link);
        }

        const auto expected = rebase_by_git(scratch, upstream, base, tip);
        const auto chain = rebase_chain(scratch.repository(), input);
        EXPECT_EQ(chain.clean(), expected.has_value());
        if (!expected)
            continue;
        ++clean;
        std::vector<std::string> trees;
        for (const auto& link : chain.links) {
            if (!link.new_commit.is_null())
                trees.push_back(scratch.repository().trees().tree_of_commit(link.new_commit).hex());
        }
        EXPECT_EQ(trees, *expected);
    }
    EXPECT_GT(clean, cases / 4);
}

} // namespace
} // namespace carry::merge
