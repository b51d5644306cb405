// Somebody writes to the checkout while it is moved.
#include "lab.hpp"

#include <carry/error.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

namespace carry::transaction {
namespace {

using lab::old_and_new;
using lab::OldAndNew;
using ::testing::IsEmpty;

/// Applies with `act` at a step; the error.
Error apply_with(OldAndNew& both, std::string_view step, const std::function<void()>& act) {
    ApplyOptions options;
    options.at_step = [&](std::string_view now) {
        if (now == step)
            act();
    };
    try {
        both.lab.apply(both.there, options);
    } catch (const Error& error) {
        return error;
    }
    return {ErrorKind::usage, "nothing was thrown"};
}

/// The old state, but for what `act` has done.
test::Fingerprint old_with(const OldAndNew& both, const std::string& path) {
    auto expected = both.before.fingerprint;
    const auto now = test::fingerprint(both.lab.repo.path());
    const auto found = now.find("file " + path);
    if (found != now.end())
        expected["file " + path] = found->second;
    else
        expected.erase("file " + path);
    return expected;
}

TEST(Interference, AWriteBeforeTheMoveIsKept) {
    for (const std::string path : {"replaced.txt", "deleted.txt", "gone/deep/two", "file-to-directory",
                                   "directory-to-file/b/c", "link-to-file"}) {
        const auto both = old_and_new();
        const auto error = apply_with(*both, "committed", [&] { both->lab.repo.write(path, "somebody's"); });
        EXPECT_EQ(error.kind(), ErrorKind::failed) << error.message();
        EXPECT_EQ(error.message(), "'" + path + "' was changed while the checkout was being moved");
        EXPECT_EQ(both->lab.repo.read(path), "somebody's") << path;
        EXPECT_TRUE(test::same(old_with(*both, path), test::fingerprint(both->lab.repo.path())));
        EXPECT_THAT(both->lab.leftovers(), IsEmpty()) << path;
        EXPECT_TRUE(both->lab.is_sound());
    }
}

TEST(Interference, ARemovalBeforeTheMoveIsKept) {
    for (const std::string path : {"replaced.txt", "deleted.txt"}) {
        const auto both = old_and_new();
        const auto error = apply_with(*both, "committed", [&] { both->lab.repo.remove(path); });
        EXPECT_EQ(error.kind(), ErrorKind::failed) << error.message();
        EXPECT_TRUE(test::same(old_with(*both, path), test::fingerprint(both->lab.repo.path())));
        EXPECT_THAT(both->lab.leftovers(), IsEmpty()) << path;
    }
}

TEST(Interference, ANewFileInTheWayIsKept) {
    for (const std::string path : {"new/very/deep/directory/file", "new", "directory-to-file/mine"}) {
        const auto both = old_and_new();
        const auto error = apply_with(*both, "committed", [&] { both->lab.repo.write(path, "somebody's"); });
        EXPECT_EQ(error.kind(), ErrorKind::failed) << error.message();
        EXPECT_EQ(both->lab.repo.read(path), "somebody's") << path;
        EXPECT_TRUE(test::same(old_with(*both, path), test::fingerprint(both->lab.repo.path()))) << path;
        EXPECT_THAT(both->lab.leftovers(), IsEmpty()) << path;
    }
}

TEST(Interference, AWriteThroughAnOpenDescriptorIsKept) {
    for (const std::string path : {"replaced.txt", "deleted.txt"}) {
        const auto both = old_and_new();
        std::ofstream open(both->lab.repo.file(path), std::ios::app);
        bool written = false;
        ApplyOptions options;
        options.at_step = [&](std::string_view step) {
            const auto& repo = both->lab.repo;
            const bool displaced = !repo.exists(path) || repo.read(path).starts_with("new");
            if (written || !step.starts_with("moved:") || !displaced)
                return;
            open << "one more line\n" << std::flush;
            written = true;
        };
        EXPECT_THROW(both->lab.apply(both->there, options), Error);
        ASSERT_TRUE(written);
        EXPECT_THAT(both->lab.repo.read(path), ::testing::EndsWith("one more line\n"));
        EXPECT_TRUE(test::same(old_with(*both, path), test::fingerprint(both->lab.repo.path())));
        EXPECT_THAT(both->lab.leftovers(), IsEmpty());
    }
}

TEST(Interference, AWriteToANewFileNeedsAPersonWhereItCannotBeReversed) {
    const auto both = old_and_new();
    const auto error = apply_with(*both, "index-moved", [&] {
        both->lab.repo.write("new/very/deep/directory/file", "somebody's");
        throw Error(ErrorKind::failed, "something else fails");
    });
    EXPECT_EQ(error.kind(), ErrorKind::needs_person) << error.message();
    EXPECT_EQ(both->lab.repo.read("new/very/deep/directory/file"), "somebody's");
    EXPECT_TRUE(needs_recovery(both->lab.journal_dir()));
    EXPECT_THROW(both->lab.recover(), Error);
    EXPECT_EQ(both->lab.repo.read("new/very/deep/directory/file"), "somebody's");

    // out of the way, as the hint says
    ASSERT_EQ(both->lab.repo.git_status("-c", "alias.mv-away=!mv new/very/deep/directory/file mine", "mv-away"), 0);
    const auto recovery = both->lab.recover();
    ASSERT_TRUE(recovery);
    EXPECT_EQ(recovery->result, RecoveryResult::rolled_back);
    both->lab.repo.remove("mine");
    EXPECT_TRUE(test::same(both->before.fingerprint, test::fingerprint(both->lab.repo.path())));
    EXPECT_THAT(both->lab.leftovers(), IsEmpty());
}

TEST(Interference, AFailureAtAnyStepBringsEverythingBack) {
    const auto both = old_and_new();
    bool finished = false;
    for (int n = 0; !finished; ++n) {
        int step = 0;
        bool thrown = false;
        ApplyOptions options;
        std::string name;
        options.at_step = [&](std::string_view now) {
            if (step++ != n || thrown)
                return;
            thrown = true;
            name = now;
            throw std::runtime_error("as wanted");
        };
        options.plain_renames = n % 2 == 1;
        try {
            both->lab.apply(both->there, options);
        } catch (const std::runtime_error&) {
            EXPECT_TRUE(test::same(both->before.fingerprint, test::fingerprint(both->lab.repo.path()))) << name;
            EXPECT_THAT(both->lab.leftovers(), IsEmpty()) << name;
            EXPECT_FALSE(both->lab.repo.exists("new")) << name;
            continue;
        }
        // the moving was over: what is left is for the next command
        finished = !thrown;
        both->lab.recover();
        EXPECT_TRUE(test::same(both->after.fingerprint, test::fingerprint(both->lab.repo.path()))) << name;
        EXPECT_THAT(both->lab.leftovers(), IsEmpty()) << name;
        EXPECT_GT(n, 60);
        both->lab.apply(both->back);
    }
}

} // namespace
} // namespace carry::transaction
