// Merging three files by themselves, and what rules do to an upgrade.
#include "base/file.hpp"
#include "run_cli.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"
#include "support/temp_repo.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::HasSubstr;

const std::string lines = numbered("line", 30);
const std::string above = set_line(lines, 10, "line 1O");
const std::string below = set_line(lines, 11, "line l1");

/// Three versions in a directory that is no repository.
class MergeFile : public ::testing::Test {
protected:
    void write(const std::string& base, const std::string& ours, const std::string& theirs) const {
        write_file_atomic(m_directory.path() / "base.txt", base);
        write_file_atomic(m_directory.path() / "ours.txt", ours);
        write_file_atomic(m_directory.path() / "theirs.txt", theirs);
    }
    [[nodiscard]] JsonRun merge(const std::vector<std::string>& options = {}) const {
        std::vector<std::string> words = {"merge-file"};
        words.insert(words.end(), options.begin(), options.end());
        for (const char* file : {"base.txt", "ours.txt", "theirs.txt", "out.txt"})
            words.emplace_back(file);
        return run_cli_json(m_directory.path(), words);
    }
    [[nodiscard]] std::string result() const { return read_file(m_directory.path() / "out.txt"); }

    const TemporaryDirectory m_directory{std::filesystem::temp_directory_path()};
};

TEST_F(MergeFile, MergesAsAnUpgradeWould) {
    write(lines, set_line(lines, 2, "UP"), set_line(lines, 20, "MINE"));
    EXPECT_EQ(merge().exit_code, 0);
    EXPECT_EQ(result(), set_line(set_line(lines, 2, "UP"), 20, "MINE"));

    write(lines, above, below);
    const auto ruled = merge();
    EXPECT_EQ(ruled.exit_code, 0);
    EXPECT_EQ(result(), set_line(above, 11, "line l1"));
    EXPECT_EQ(ruled.report["patches"][0]["fate"], "resolved");
    EXPECT_EQ(ruled.report["patches"][0]["hunks"][0]["reason"], "rule adjacent-lines");
}

TEST_F(MergeFile, LeavesMarkersAndTellsProposals) {
    write(lines, above, below);
    const auto plain = merge({"--rules=none"});
    EXPECT_EQ(plain.exit_code, 1);
    EXPECT_THAT(result(), HasSubstr("<<<<<<< ours.txt\nline 1O\n"));
    const auto& proposal = plain.report["conflicts"][0]["proposals"][0];
    EXPECT_EQ(proposal["rule"], "adjacent-lines");
    EXPECT_EQ(proposal["lines"], (std::vector<std::string>{"line 1O", "line l1"}));
    EXPECT_GT(proposal["precision"], 0.5);

    EXPECT_EQ(merge({"--rules=includes"}).exit_code, 1);
    EXPECT_EQ(merge({"--rules=none", "--rules=default"}).exit_code, 0);
}

TEST_F(MergeFile, NamesWhatIsWrongWithARule) {
    write(lines, above, below);
    const auto wrong = merge({"--rules=adjacent-line"});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.error_output, HasSubstr("'rules' names no rule 'adjacent-line'"));
    EXPECT_THAT(wrong.error_output, HasSubstr("did you mean 'adjacent-lines'?"));
}

TEST_F(MergeFile, TakesTheOneSideThatChangedAndNeverMergesBinaries) {
    const std::string binary("a\0b\n", 4);
    write(binary, binary, binary + "mine\n");
    EXPECT_EQ(merge().exit_code, 0);
    EXPECT_EQ(result(), binary + "mine\n");
    write(binary, binary + "theirs\n", binary + "mine\n");
    const auto both = merge();
    EXPECT_EQ(both.exit_code, 1);
    EXPECT_EQ(both.report["conflicts"][0]["kind"], "binary");
    EXPECT_EQ(result(), binary + "theirs\n");
}

TEST_F(MergeFile, AMissingFileIsNoConflict) {
    const auto missing = merge();
    EXPECT_EQ(missing.exit_code, 2);
    EXPECT_THAT(missing.error_output, HasSubstr("base.txt"));
    EXPECT_FALSE(lstat_if_exists(m_directory.path() / "out.txt").has_value());
}

TEST(Rules, ResolveInAnUpgradeSaySoAndCanBeSwitchedOff) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", lines}});
    both.work.write("a.txt", below);
    both.upstream.write("a.txt", above);
    both.upstream.commit("Rework line ten");

    both.work.git("config", "carry.rules", "none");
    const auto off = run_cli(both.work.path(), {"check", "-v"});
    EXPECT_EQ(off.exit_code, 3);
    EXPECT_THAT(off.output, HasSubstr("rule adjacent-lines (right in "));
    EXPECT_THAT(off.output, HasSubstr("  line l1\n"));
    EXPECT_EQ(run_cli(both.work.path(), {"check", "--rules=default"}).exit_code, 0);
    both.work.git("config", "--unset", "carry.rules");

    const auto on = run_cli(both.work.path(), {"upgrade"});
    EXPECT_EQ(on.exit_code, 0);
    EXPECT_THAT(on.output, HasSubstr("resolved  unstaged   a.txt  1 hunk, rule adjacent-lines"));
    EXPECT_EQ(both.work.read("a.txt"), set_line(above, 11, "line l1"));
    EXPECT_THAT(run_cli(both.work.path(), {"undo"}).output, HasSubstr("undone"));
    EXPECT_EQ(both.work.read("a.txt"), below);
}

} // namespace
} // namespace carry::test
