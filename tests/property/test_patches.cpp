/// The series written for a generated change, applied by `git apply` and read back. Each directory at the top is a case
/// of its own, so that one series holds them all.
#include "base/file.hpp"
#include "base/text.hpp"
#include "patch/patch.hpp"
#include "seeds.hpp"
#include "support/generate.hpp"
#include "unit/merge/scratch_trees.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace carry::patch {
namespace {

using test::ScratchFiles;
using test::ScratchRepository;
using test::TreeGenerator;

const auto changes = TreeGenerator::usual(
    {&TreeGenerator::file_to_directory, &TreeGenerator::replace_by_link, &TreeGenerator::switch_line_endings});

TEST(GeneratedPatches, AreWhatGitAppliesAndReadsBack) {
    ScratchRepository scratch;
    ScratchFiles before_files, after_files;
    for (const auto seed : test::seeds(1, 100)) {
        TreeGenerator generator(seed);
        const auto files = generator.rich_base();
        auto changed = files;
        generator.change(changed, 1 + generator.below(3), changes);
        for (const auto& [path, file] : files)
            before_files.emplace(fmt::format("{}/{}", seed, path), file);
        for (const auto& [path, file] : changed)
            after_files.emplace(fmt::format("{}/{}", seed, path), file);
    }
    const auto before = scratch.tree(before_files);
    const auto after = scratch.tree(after_files);
    const TemporaryDirectory place("/tmp");
    const auto series = write_series(scratch.repository(), {{Layer::unstaged, before, after, {}}}, {}, "origin/main", 0,
                                     place.path() / "series");
    ASSERT_GT(series.size(), test::seeds(1, 100).size());

    std::vector<std::string> apply = {"apply", "--cached", "--binary", "--whitespace=nowarn"};
    std::set<std::string> written;
    for (const auto& file : series) {
        apply.push_back((place.path() / "series" / file.name).native());
        for (const auto& path : file.changes)
            written.insert({path.old_path, path.new_path});
    }
    ASSERT_TRUE(scratch.git({"read-tree", before.hex()}).ok());
    const auto applied = scratch.git(apply);
    ASSERT_TRUE(applied.ok()) << applied.error_output;
    EXPECT_EQ(scratch.git({"write-tree"}).output, after.hex() + "\n");

    std::set<std::string> read;
    for (const auto& patch : read_patches({place.path() / "series"}))
        for (const auto& path : patch.file.changes)
            read.insert({path.old_path, path.new_path});
    written.erase("");
    read.erase("");
    EXPECT_EQ(read, written);
    for (const auto& path : scratch.repository().trees().diff(before, after))
        EXPECT_TRUE(written.contains(path.path)) << quote_path(path.path);
}

} // namespace
} // namespace carry::patch
