/// What keeps every local change as it is: patches exported and applied on the base, and an upstream that is at work
/// elsewhere.
#include "base/file.hpp"
#include "generated_checkout.hpp"
#include "support/program.hpp"
#include "trial.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace carry::test {
namespace {

/// git in a checkout with an index of its own.
std::string with_index(const TempRepo& repo, std::vector<std::string> args) {
    args.insert(args.begin(), "git");
    const auto result =
        run_program(args, repo.path(), {{"GIT_INDEX_FILE", (repo.git_directory() / "index-of-test").string()}});
    if (!result.ok())
        throw std::logic_error("git: " + result.error_output);
    return result.output;
}

/// What is in a checkout, layer by layer: commits, the index, and all files that are not ignored. Flags of the index
/// and intent-to-add are no part of a patch.
std::string layers_of(const TempRepo& repo) {
    const auto commits = repo.git("log", "--format=%T %an <%ae> %at %s", "refs/heads/other..");
    const auto staged = repo.git_line("write-tree");
    with_index(repo, {"read-tree", staged});
    with_index(repo, {"add", "-A"});
    return fmt::format("{}staged {}\nall {}", commits, staged, with_index(repo, {"write-tree"}));
}

Scripts comes_back_as_patches(Trial& trial, const Scripts& scripts, Tally& tally) {
    const TemporaryDirectory place(std::filesystem::temp_directory_path(), "carry-series-");
    export_patches(trial.request(), place.path() / "series");
    trial.expect_state(trial.before(), "export");
    const auto base = make_base(scripts);
    if (std::filesystem::is_empty(place.path() / "series"))
        return {};
    const auto report = apply_patches(trial.request_in(base), {place.path() / "series" / "series"});
    ++tally[std::string(to_string(report.outcome))];
    tally["patches"] += report.patches.size();
    trial.expect_same(layers_of(trial.repo()), layers_of(base), "what is carried");
    return {};
}

TEST(GeneratedExport, AppliedOnTheBaseGivesTheSameLayers) {
    const auto tally = hold(400'000, 6, Kind::any, OnConflict::stop, comes_back_as_patches);
    EXPECT_GT(tally.at("applied"), 0U);
}

std::string all_differences(const TempRepo& repo) {
    return repo.git("diff", "--binary") + repo.git("diff", "--cached", "--binary") +
           repo.git("ls-files", "-o", "--exclude-standard");
}

Scripts leaves_differences_alone(Trial& trial, const Scripts& scripts, Tally& tally) {
    static_cast<void>(scripts);
    const auto before = all_differences(trial.repo());
    const auto report = upgrade(trial.request());
    ++tally[std::string(to_string(report.outcome))];
    tally["patches"] += report.patches.size();
    trial.expect(report.exit_code == 0, fmt::format("exits {}", report.exit_code));
    trial.expect_same(before, all_differences(trial.repo()), "git diff");
    return {};
}

TEST(GeneratedDisjointUpgrade, LeavesEveryDifferenceAsItWas) {
    const auto tally = hold(500'000, 6, Kind::disjoint, OnConflict::stop, leaves_differences_alone);
    EXPECT_GT(tally.at("upgraded"), 0U);
}

} // namespace
} // namespace carry::test
