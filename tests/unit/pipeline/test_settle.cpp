// What the next command makes of a run that was cut short.
#include "base/file.hpp"
#include "commands.hpp"
#include "pipeline/run_store.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

pipeline::RunStore store_of(const TempRepo& work) {
    return pipeline::RunStore({work.path(), work.git_directory(), work.git_directory()});
}

UpstreamAndCheckout behind() {
    auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}});
    both.work.write("a.txt", set_line(numbered("a", 30), 3, "mine"));
    both.upstream.write("a.txt", set_line(numbered("a", 30), 25, "theirs"));
    both.upstream.commit("Upstream");
    return both;
}

TEST(Settle, ARunThatChangedNothingIsForgotten) {
    const auto both = behind();
    store_of(both.work).create("upgrade", 1'700'000'000);
    std::vector<std::string> notes;
    auto request = request_for(both.work);
    request.note = [&](const std::string& text) { notes.push_back(text); };
    EXPECT_EQ(status(request).exit_code, 0);
    EXPECT_THAT(notes, SizeIs(1));
    EXPECT_THAT(store_of(both.work).all(), IsEmpty());
}

TEST(Settle, ARunWhoseTransactionWasDoneIsRecordedAsDone) {
    const auto both = behind();
    const auto report = upgrade_with(both.work);
    auto runs = store_of(both.work);
    auto record = runs.load(report.run);
    record.state = pipeline::RunState::applying;
    record.changed = false;
    runs.save(record);
    EXPECT_EQ(status(request_for(both.work)).exit_code, 0);
    EXPECT_EQ(runs.load(report.run).state, pipeline::RunState::done);
    EXPECT_TRUE(runs.load(report.run).changed);
}

TEST(Settle, ACrashWhileVerifyingEndsInRollback) {
    const auto both = behind();
    const auto before = fingerprint(both.work.path());
    const auto report = upgrade_with(both.work);
    auto runs = store_of(both.work);
    auto record = runs.load(report.run);
    record.state = pipeline::RunState::verifying;
    runs.save(record);
    EXPECT_EQ(status(request_for(both.work)).exit_code, 0);
    EXPECT_EQ(runs.load(report.run).state, pipeline::RunState::rolled_back);
    EXPECT_EQ(fingerprint(both.work.path()), before);
    EXPECT_EQ(undo(request_for(both.work), std::nullopt).outcome, Outcome::up_to_date) << "nothing is left to undo";
}

} // namespace
} // namespace carry::test
