// Resolutions on their way from one repository to another, and the list of them.
#include "commands.hpp"
#include "support/lines.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace carry::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string mine = set_line(numbered("a", 30), 10, "mine");
const std::string resolved = set_line(numbered("a", 30), 10, "mine and theirs");

struct Exchange {
    TempRepo upstream, here, there;
    std::unique_ptr<TemporaryDirectory> directory = std::make_unique<TemporaryDirectory>(fs::temp_directory_path());
    [[nodiscard]] fs::path exported() const { return directory->path() / "series"; }
    [[nodiscard]] fs::path image(const std::string& name) const {
        return fs::directory_iterator(exported() / "resolutions")->path() / name;
    }
};

/// Resolved and exported here; there the same conflict is ahead.
Exchange exchange() {
    auto both = UpstreamAndCheckout::with({{"a.txt", numbered("a", 30)}});
    auto there = TempRepo::clone_of(both.upstream);
    both.upstream.write("a.txt", set_line(numbered("a", 30), 10, "theirs"));
    both.upstream.commit("Collide");
    Exchange result{std::move(both.upstream), std::move(both.work), std::move(there)};
    result.here.write("a.txt", mine);
    result.there.write("a.txt", mine);
    EXPECT_EQ(upgrade_with(result.here, OnConflict::mark).outcome, Outcome::marked);
    result.here.write("a.txt", resolved);
    result.here.stage("a.txt");
    EXPECT_THAT(continue_run(request_for(result.here)).notes, ::testing::Contains("1 resolution is remembered"));
    export_patches(request_for(result.here), result.exported());
    return result;
}

TEST(Resolutions, ACheckoutThatImportsThemNeedNotDecideAgain) {
    const auto both = exchange();
    EXPECT_TRUE(fs::exists(both.exported() / "series"));
    EXPECT_EQ(upgrade_with(both.there).outcome, Outcome::stopped);
    const auto imported = import_resolutions(request_for(both.there), both.exported());
    EXPECT_EQ(imported.outcome, Outcome::imported);
    EXPECT_THAT(imported.notes, ElementsAre("1 resolution taken, 0 known already"));
    EXPECT_THAT(imported.warnings, IsEmpty());
    EXPECT_THAT(import_resolutions(request_for(both.there), both.exported() / "resolutions").notes,
                ElementsAre("0 resolutions taken, 1 known already"));
    EXPECT_EQ(upgrade_with(both.there).outcome, Outcome::upgraded);
    EXPECT_EQ(both.there.read("a.txt"), resolved);

    const auto listed = resolutions(request_for(both.there), {});
    ASSERT_THAT(listed.notes, SizeIs(1));
    EXPECT_THAT(listed.notes[0], HasSubstr("1 conflict, between 'mine' and 'theirs'"));
    EXPECT_THROW(static_cast<void>(resolutions(request_for(both.there), {"zz"})), Error);
    resolutions(request_for(both.there), {listed.notes[0].substr(0, 9)});
    EXPECT_THAT(resolutions(request_for(both.there), {}).notes, IsEmpty());
    const auto other = both.directory->path() / "other";
    export_patches(request_for(both.here, [](Settings& settings) { settings.resolutions = false; }), other);
    EXPECT_FALSE(fs::exists(other / "resolutions"));
}

TEST(Resolutions, AnotherDecisionIsNotOverwritten) {
    const auto both = exchange();
    EXPECT_EQ(upgrade_with(both.there, OnConflict::mark).outcome, Outcome::marked);
    const auto decided = set_line(numbered("a", 30), 10, "as decided there");
    both.there.write("a.txt", decided);
    both.there.stage("a.txt");
    continue_run(request_for(both.there));
    EXPECT_THAT(import_resolutions(request_for(both.there), both.exported()).notes,
                ElementsAre("1 resolution taken, 0 known already"));
    EXPECT_THAT(resolutions(request_for(both.there), {}).notes, SizeIs(2));
    undo(request_for(both.there), runs(request_for(both.there)).front().id);
    EXPECT_EQ(both.there.read("a.txt"), mine);
    EXPECT_EQ(upgrade_with(both.there).outcome, Outcome::upgraded);
    EXPECT_EQ(both.there.read("a.txt"), decided);
}

TEST(Resolutions, WhatIsNotWhatItsNameSaysIsNotTaken) {
    const auto both = exchange();
    const auto request = request_for(both.there);
    const auto preimage = both.image("preimage");
    const auto good = read_file(preimage);
    const auto import = [&] { return import_resolutions(request, both.exported()); };
    EXPECT_THROW(static_cast<void>(import_resolutions(request, both.directory->path())), Error);

    write_file_atomic(preimage, good + "<<<<<<<\na\n=======\nb\n>>>>>>>\n");
    EXPECT_THROW(static_cast<void>(import()), Error) << "another conflict's";
    write_file_atomic(preimage, "no conflict\n");
    EXPECT_THROW(static_cast<void>(import()), Error);
    fs::remove(preimage);
    fs::create_symlink("/etc/passwd", preimage);
    EXPECT_THROW(static_cast<void>(import()), Error);
    fs::remove(preimage);
    ASSERT_EQ(mkfifo(preimage.c_str(), 0600), 0);
    EXPECT_THROW(static_cast<void>(import()), Error);
    fs::remove(preimage);
    write_file_atomic(preimage, good);
    const auto postimage = both.image("postimage");
    write_file_atomic(postimage, good);
    EXPECT_THROW(static_cast<void>(import()), Error) << "it resolves nothing";
    write_file_atomic(postimage, resolved);
    fs::create_directories(both.exported() / "resolutions/not-an-id");
    fs::create_directories(both.exported() / "resolutions" / std::string(40, 'a'));
    write_file_atomic(both.exported() / "resolutions" / std::string(40, 'a') / "preimage", good);
    const auto report = import();
    EXPECT_THAT(report.notes, ElementsAre("1 resolution taken, 0 known already"));
    ASSERT_THAT(report.warnings, SizeIs(1));
    EXPECT_EQ(report.warnings[0].path, std::string(40, 'a') + "/preimage");
    EXPECT_FALSE(fs::exists(both.there.git_directory() / "carry/rr-cache" / std::string(40, 'a')));
}

} // namespace
} // namespace carry::test
