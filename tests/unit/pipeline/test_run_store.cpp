#include "pipeline/run_store.hpp"
#include "support/temp_repo.hpp"

#include <carry/error.hpp>

#include <gtest/gtest.h>

namespace carry::pipeline {
namespace {

RunStore store_of(const test::TempRepo& repository) {
    return RunStore({repository.path(), repository.git_directory(), repository.git_directory()});
}

TEST(RunStore, IdsSortByAgeWithinASecondToo) {
    const test::TempRepo repository;
    auto runs = store_of(repository);
    std::string last;
    for (int n = 0; n < 20; ++n) {
        const auto record = runs.create("upgrade", 1'700'000'000);
        EXPECT_LT(last, record.id);
        last = record.id;
    }
    EXPECT_EQ(runs.all().size(), 20U);
    EXPECT_EQ(runs.all().back().id, last);
}

TEST(RunStore, ARecordComesBackWhole) {
    const test::TempRepo repository;
    auto runs = store_of(repository);
    auto record = runs.create("continue", 1'700'000'000);
    record.state = RunState::waiting;
    record.lands_as = RunState::verifying;
    record.exit_code = 4;
    record.old_head = git::ObjectId::from_hex(std::string(40, 'a'));
    record.target_name = "origin/\xff main";
    record.settles = {"x", "y"};
    record.changed = record.parked = true;
    Pending pending;
    pending.origin = "20260308T021502Z-k3f9";
    pending.base = git::ObjectId::from_hex(std::string(40, 'b'));
    pending.paths = {{"na\tme\xfe", Layer::staged}, {"\"quoted\"", Layer::ignored}};
    pending.intent_to_add = {"new\n"};
    merge::ChainLink link;
    link.layer = Layer::commit;
    link.commit = git::ObjectId::from_hex(std::string(40, 'c'));
    link.label = "c\xe4 subject";
    link.merge_parents = {record.old_head, pending.base};
    pending.links = {link};
    record.pending = pending;
    runs.save(record);

    const auto read = runs.load(record.id);
    EXPECT_EQ(read.state, RunState::waiting);
    EXPECT_EQ(read.lands_as, RunState::verifying);
    EXPECT_EQ(read.old_head, record.old_head);
    EXPECT_TRUE(read.new_head.is_null());
    EXPECT_EQ(read.target_name, record.target_name);
    EXPECT_EQ(read.settles, record.settles);
    ASSERT_TRUE(read.pending);
    EXPECT_EQ(read.pending->paths.at(0).path, "na\tme\xfe");
    EXPECT_EQ(read.pending->paths.at(1).path, "\"quoted\"");
    EXPECT_EQ(read.pending->paths.at(1).layer, Layer::ignored);
    EXPECT_EQ(read.pending->intent_to_add, pending.intent_to_add);
    EXPECT_EQ(read.pending->links.at(0).label, link.label);
    EXPECT_EQ(read.pending->links.at(0).merge_parents, link.merge_parents);
}

TEST(RunStore, FindsByAPrefixThatOnlyOneHas) {
    const test::TempRepo repository;
    auto runs = store_of(repository);
    const auto first = runs.create("upgrade", 1'700'000'000);
    const auto second = runs.create("upgrade", 1'800'000'000);
    EXPECT_EQ(runs.find(second.id.substr(0, 12)), second.id);
    EXPECT_EQ(runs.find(first.id), first.id);
    EXPECT_THROW(static_cast<void>(runs.find("20")), Error);
    EXPECT_THROW(static_cast<void>(runs.find("")), Error);
    EXPECT_THROW(static_cast<void>(runs.find("1999")), Error);
}

TEST(RunStore, ADamagedRecordIsPassedOver) {
    const test::TempRepo repository;
    auto runs = store_of(repository);
    const auto good = runs.create("upgrade", 1'700'000'000);
    repository.write(".git/carry/runs/20300101T000000Z-aaaa/run.json", "{ \"schema\": 1");
    repository.write(".git/carry/runs/20300101T000000Z-bbbb/other", "");
    // its id would name another directory
    repository.write(".git/carry/runs/20300101T000000Z-cccc/run.json",
                     repository.read(".git/carry/runs/" + good.id + "/run.json"));
    ASSERT_EQ(runs.all().size(), 1U);
    EXPECT_EQ(runs.all().front().id, good.id);
}

TEST(RunStore, RemembersTheBaseOfABranch) {
    const test::TempRepo repository;
    auto runs = store_of(repository);
    runs.create("upgrade", 1'700'000'000);
    EXPECT_FALSE(runs.last_base("main"));
    const auto id = git::ObjectId::from_hex(std::string(40, 'd'));
    runs.set_last_base("main", id);
    EXPECT_EQ(runs.last_base("main"), id);
    EXPECT_FALSE(runs.last_base("other"));
}

} // namespace
} // namespace carry::pipeline
