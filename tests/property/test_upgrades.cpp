/// What must hold of every upgrade, over generated checkouts: check predicts it, a second one changes nothing, undo is
/// the identity.
#include "report/render.hpp"
#include "trial.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace carry::test {
namespace {

/// What a check and the upgrade after it must agree on.
std::string prediction(Report report) {
    report.command.clear();
    report.run.clear();
    report.outcome = {};
    report.next.clear();
    report.parked.clear();
    report.waiting.clear();
    report.notes.clear();
    report.new_head.clear();
    report.time = 0;
    for (auto& patch : report.patches) {
        patch.patch_file.clear();
        patch.parked_as.clear();
    }
    return report::render_json(report);
}

void expect_predicted(Trial& trial, const Report& foretold, Report done) {
    trial.expect(foretold.exit_code == done.exit_code,
                 fmt::format("check exits {}, upgrade {}", foretold.exit_code, done.exit_code));
    if (done.outcome == Outcome::marked) // one commit's conflicts at a time
        done.conflicts = foretold.conflicts;
    trial.expect_same(prediction(foretold), prediction(done), "what check foretold");
}

void expect_nothing_left_to_do(Trial& trial) {
    const auto after = fingerprint(trial.repo().path());
    const auto runs_before = runs(trial.request()).size();
    const auto again = upgrade(trial.request());
    trial.expect(again.outcome == Outcome::up_to_date || again.outcome == Outcome::parked,
                 fmt::format("a second upgrade is {}", to_string(again.outcome)));
    trial.expect(again.run.empty() && runs(trial.request()).size() == runs_before, "a second upgrade leaves a record");
    trial.expect_state(after, "a second upgrade");
}

void expect_proven(Trial& trial, const Report& report) {
    trial.expect(report.exit_code == 0 && report.proof && report.proof->differs.empty(),
                 fmt::format("{} exits {}, unproven", report.command, report.exit_code));
}

/// Back, forth, and back again.
void expect_undone(Trial& trial) {
    const auto after = fingerprint(trial.repo().path());
    expect_proven(trial, undo(trial.request(), std::nullopt));
    trial.expect_state(trial.before(), "undo");
    expect_proven(trial, undo(trial.request(), std::nullopt));
    trial.expect_state(after, "undo of undo");
}

/// Every conflict gets the same answer, whatever it is.
void resolve_all(const TempRepo& repo) {
    const auto unmerged = repo.git("diff", "--name-only", "--diff-filter=U", "-z");
    std::string paths;
    for (std::size_t at = 0, end = 0; (end = unmerged.find('\0', at)) != std::string::npos; at = end + 1) {
        const auto path = unmerged.substr(at, end - at);
        if (std::filesystem::is_regular_file(std::filesystem::symlink_status(repo.file(path))))
            repo.write(path, "resolved\n");
        paths += path + '\0';
    }
    if (paths.empty())
        return;
    const auto added = repo.git_run(
        {"--literal-pathspecs", "add", "-A", "-f", "--pathspec-from-file=-", "--pathspec-file-nul"}, paths);
    if (!added.ok())
        throw std::logic_error("git add of the resolution: " + added.error_output);
}

void expect_marked_and_back(Trial& trial, const Report& marked, unsigned seed) {
    if (seed % 2 == 0) {
        expect_proven(trial, abort_run(trial.request()));
        return trial.expect_state(trial.before(), "abort");
    }
    constexpr int most_conflicts = 40;
    Report report = marked;
    for (int times = 0; report.outcome == Outcome::marked && times < most_conflicts; ++times) {
        resolve_all(trial.repo());
        report = continue_run(trial.request());
    }
    trial.expect(report.outcome == Outcome::continued, fmt::format("continue is {}", to_string(report.outcome)));
    expect_proven(trial, undo(trial.request(), marked.run));
    trial.expect_state(trial.before(), "undo of a continued upgrade");
}

/// The directory at the top that a script has to itself; empty where it has none.
std::string place_of(std::string path) {
    path.erase(0, path.starts_with('"') ? 1 : 0);
    const auto top = path.substr(0, path.find('/') + 1);
    return top.find_first_not_of("0123456789/") == std::string::npos ? top : std::string();
}

/// Those that no conflict of the report is about.
Scripts without_conflicts(Scripts scripts, const Report& report) {
    std::erase_if(scripts, [&](const Script& script) {
        return std::any_of(report.conflicts.begin(), report.conflicts.end(), [&](const ConflictReport& conflict) {
            return place_of(conflict.path) == script.place || place_of(conflict.new_path) == script.place;
        });
    });
    return scripts;
}

/// Where an upgrade stops, what did not conflict is tried without the rest.
Scripts goes_back(Trial& trial, const Scripts& scripts, Tally& tally) {
    const auto foretold = check(trial.request());
    trial.expect_state(trial.before(), "check");
    const auto report = upgrade(trial.request());
    ++tally[std::string(to_string(report.outcome))];
    tally["patches"] += report.patches.size();
    expect_predicted(trial, foretold, report);
    if (report.outcome == Outcome::stopped) {
        trial.expect_state(trial.before(), "a stopped upgrade");
        return without_conflicts(scripts, report);
    }
    if (report.outcome == Outcome::marked)
        expect_marked_and_back(trial, report, scripts.front().seed / 40);
    else {
        expect_nothing_left_to_do(trial);
        if (report.outcome != Outcome::up_to_date)
            expect_undone(trial);
    }
    return {};
}

struct Policy {
    const char* name;
    OnConflict policy;
    unsigned first_seed;
};

class GeneratedUpgrade : public ::testing::TestWithParam<Policy> {};

TEST_P(GeneratedUpgrade, IsPredictedHappensOnceAndGoesBack) {
    const auto tally = hold(GetParam().first_seed, 40, Kind::any, GetParam().policy, goes_back);
    EXPECT_GT(tally.count("upgraded") + tally.count("marked") + tally.count("parked"), 0U);
}

INSTANTIATE_TEST_SUITE_P(EachPolicy, GeneratedUpgrade,
                         ::testing::Values(Policy{"Stop", OnConflict::stop, 100'000},
                                           Policy{"Mark", OnConflict::mark, 200'000},
                                           Policy{"Park", OnConflict::park, 300'000}),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace carry::test
