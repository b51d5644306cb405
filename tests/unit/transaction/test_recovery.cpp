// The process dies at every step, and the next command finds the checkout old or new.
#include "lab.hpp"
#include "transaction/journal.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

namespace carry::transaction {
namespace {

using lab::in_child;
using lab::old_and_new;
using lab::OldAndNew;
using ::testing::IsEmpty;

constexpr int crash_code = 9;

enum class Death { exit, kill };

void die(Death death) {
    if (death == Death::kill)
        std::raise(SIGKILL);
    _exit(crash_code);
}

/// Dies at the n-th call of a hook.
std::function<void(std::string_view)> dies_at(int n, Death death) {
    return [n, death, seen = 0](std::string_view) mutable {
        if (seen++ == n)
            die(death);
    };
}

std::function<void(std::string_view)> dies_at(std::string name) {
    return [name = std::move(name)](std::string_view step) {
        if (step == name)
            _exit(crash_code);
    };
}

bool is_clean(OldAndNew& both) {
    EXPECT_THAT(both.lab.leftovers(), IsEmpty());
    return !needs_recovery(both.lab.journal_dir());
}

/// Recovers, checks, and says whether the checkout is new.
bool recovered_to_new(OldAndNew& both, RecoverOptions options = {}) {
    const auto recovery = both.lab.recover(options);
    const auto now = test::fingerprint(both.lab.repo.path());
    const bool is_new = test::differences(both.after.fingerprint, now).empty();
    if (!is_new) {
        EXPECT_TRUE(test::same(both.before.fingerprint, now));
    }
    if (recovery) {
        EXPECT_EQ(recovery->run, "20260101T000000Z-test");
        EXPECT_EQ(recovery->result, is_new ? RecoveryResult::completed : RecoveryResult::rolled_back);
    }
    EXPECT_EQ(both.lab.repo.exists("new"), is_new);
    EXPECT_TRUE(is_clean(both));
    return is_new;
}

class Crash : public ::testing::TestWithParam<std::tuple<Death, bool>> {};

INSTANTIATE_TEST_SUITE_P(Ways, Crash,
                         ::testing::Values(std::tuple(Death::exit, false), std::tuple(Death::kill, false),
                                           std::tuple(Death::exit, true)));

TEST_P(Crash, AtEveryStepOfApply) {
    const auto [death, plain] = GetParam();
    const auto both = old_and_new();
    bool was_new = false;
    int n = 0;
    for (;; ++n) {
        ApplyOptions options;
        options.at_step = dies_at(n, death);
        options.plain_renames = plain;
        const int code = in_child([&] { both->lab.apply(both->there, options); });
        if (code == 0)
            break;
        ASSERT_EQ(code, death == Death::kill ? 128 + SIGKILL : crash_code);
        const bool is_new = recovered_to_new(*both);
        ASSERT_FALSE(HasFailure()) << "step " << n;
        EXPECT_TRUE(is_new || !was_new) << "after the commit record it goes forward, step " << n;
        if (n % 16 == 0) {
            EXPECT_TRUE(both->lab.is_sound()) << n;
        }
        was_new = was_new || is_new;
        if (is_new)
            both->lab.apply(both->back);
    }
    EXPECT_GT(n, 60);
    EXPECT_TRUE(was_new);
    EXPECT_TRUE(test::same(both->after.fingerprint, test::fingerprint(both->lab.repo.path())));
}

TEST(CrashWhileReversing, AtEveryStep) {
    const auto both = old_and_new();
    for (int n = 0;; ++n) {
        ApplyOptions options;
        options.at_step = [n, seen = -1](std::string_view step) mutable {
            if (seen >= 0 && seen++ == n)
                die(Death::exit);
            if (seen < 0 && step == "refs-moved") {
                seen = 0;
                throw Error(ErrorKind::failed, "as wanted");
            }
        };
        const int code = in_child([&] { both->lab.apply(both->there, options); });
        EXPECT_FALSE(recovered_to_new(*both)) << n;
        ASSERT_FALSE(HasFailure()) << n;
        if (code != crash_code)
            break;
    }
}

TEST(CrashWhileRecovering, AtEveryStep) {
    const auto both = old_and_new();
    // one of them in full, the others at some steps
    const std::pair<const char*, int> ways[] = {
        {"temporaries-written", 3}, {"committed", 9}, {"moved:20", 1}, {"index-moved", 9}};
    for (const auto& [name, stride] : ways) {
        const std::string first = name;
        for (int n = 0;; n += stride) {
            ApplyOptions options;
            options.at_step = dies_at(first);
            ASSERT_EQ(in_child([&] { both->lab.apply(both->there, options); }), crash_code);
            RecoverOptions again;
            again.at_step = dies_at(n, Death::exit);
            const int code = in_child([&] { both->lab.recover(again); });
            const bool is_new = recovered_to_new(*both);
            EXPECT_EQ(is_new, first != "temporaries-written") << first << " " << n;
            ASSERT_FALSE(HasFailure()) << first << " " << n;
            if (is_new)
                both->lab.apply(both->back);
            if (code == 0)
                break;
        }
    }
}

/// Crashes at a step of the way there.
void crash(OldAndNew& both, const std::string& step) {
    ApplyOptions options;
    options.at_step = dies_at(step);
    ASSERT_EQ(in_child([&] { both.lab.apply(both.there, options); }), crash_code);
}

TEST(Recovery, WithoutAJournalThereIsNothingToDo) {
    const auto both = old_and_new();
    EXPECT_FALSE(needs_recovery(both->lab.journal_dir()));
    EXPECT_FALSE(both->lab.recover());
    both->lab.repo.write(".git/carry/journal.new", "half a jour");
    EXPECT_TRUE(needs_recovery(both->lab.journal_dir()));
    EXPECT_FALSE(both->lab.recover());
    EXPECT_TRUE(is_clean(*both));
}

TEST(Recovery, FailsForwardThenGoesBack) {
    const auto both = old_and_new();
    crash(*both, "moved:20");
    RecoverOptions options;
    bool thrown = false;
    options.at_step = [&](std::string_view step) {
        if (step == "refs-resumed" && !thrown) {
            thrown = true;
            throw Error(ErrorKind::failed, "the disk is full, say");
        }
    };
    EXPECT_FALSE(recovered_to_new(*both, options));
    EXPECT_TRUE(thrown);
}

TEST(Recovery, LostTemporariesAreWrittenAgain) {
    for (const std::string step : {"committed", "moved:20", "index-moved"}) {
        const auto both = old_and_new();
        crash(*both, step);
        for (const auto& path : both->lab.leftovers()) {
            if (path.find(".git-carry-") != std::string::npos || path.find("index-new-") != std::string::npos)
                both->lab.repo.remove(path);
        }
        EXPECT_TRUE(recovered_to_new(*both)) << step;
    }
}

TEST(Recovery, ForeignBytesNeedAPerson) {
    for (const std::string path :
         {"replaced.txt", "deleted.txt", "new/very/deep/directory/file", "link-to-link", "directory-to-file"}) {
        for (const std::string step : {"committed", "refs-moved"}) {
            const auto both = old_and_new();
            crash(*both, step);
            // a directory that has not made way yet can get no file in its place
            if (path == "directory-to-file" && step == "committed")
                continue;
            both->lab.repo.write(path, "somebody's");
            const auto journal = read_file(journal_path(both->lab.journal_dir()));
            const auto fingerprint = test::fingerprint(both->lab.repo.path());
            for (int times = 0; times < 2; ++times) {
                try {
                    both->lab.recover();
                    ADD_FAILURE() << "nothing was thrown for " << path;
                } catch (const Error& error) {
                    EXPECT_EQ(error.kind(), ErrorKind::needs_person);
                    EXPECT_THAT(error.message(), ::testing::HasSubstr(path));
                    const std::string id = both->lab.repo.git_line("hash-object", path);
                    EXPECT_THAT(error.causes().front(), ::testing::HasSubstr(id));
                    EXPECT_TRUE(both->lab.repository.objects().contains(git::ObjectId::from_hex(id)));
                }
                EXPECT_TRUE(test::same(fingerprint, test::fingerprint(both->lab.repo.path())));
                EXPECT_EQ(read_file(journal_path(both->lab.journal_dir())), journal);
            }
            both->lab.repo.remove(path); // moved away, as the hint says
            EXPECT_TRUE(recovered_to_new(*both)) << path << " " << step;
        }
    }
}

TEST(Recovery, AFileThatWasDisplacedByMistakeComesBack) {
    const auto both = old_and_new();
    std::string path;
    ApplyOptions options;
    // what a crash between the exchange and the look at the displaced file leaves
    options.at_step = [&](std::string_view step) {
        if (step != "index-moved")
            return;
        for (const auto& left : both->lab.leftovers()) {
            if (!left.starts_with(".git-carry-") ||
                both->lab.repo.git_run({"hash-object", left}).output !=
                    both->lab.repo.git_run({"rev-parse", "HEAD:replaced.txt"}).output)
                continue;
            both->lab.repo.write(left, "somebody's");
            _exit(crash_code);
        }
    };
    ASSERT_EQ(in_child([&] { both->lab.apply(both->there, options); }), crash_code);
    const auto recovery = both->lab.recover();
    ASSERT_TRUE(recovery);
    EXPECT_EQ(recovery->result, RecoveryResult::rolled_back);
    EXPECT_EQ(both->lab.repo.read("replaced.txt"), "somebody's");
    both->lab.repo.write("replaced.txt", "old\n");
    EXPECT_TRUE(test::same(both->before.fingerprint, test::fingerprint(both->lab.repo.path())));
    EXPECT_TRUE(is_clean(*both));
}

TEST(Recovery, AForeignRefOrIndexNeedsAPerson) {
    const auto both = old_and_new();
    crash(*both, "index-moved");
    const std::string other = both->lab.repo.git_line("commit-tree", "-m", "x", "HEAD^{tree}");
    both->lab.repo.git("update-ref", "refs/heads/main", other);
    EXPECT_THROW(both->lab.recover(), Error);
    EXPECT_EQ(both->lab.repo.head(), other);
    both->lab.repo.git("update-ref", "refs/heads/main", both->after.head.hex());
    const std::string index = both->lab.repo.read(".git/index");
    both->lab.repo.write(".git/index", "somebody's");
    EXPECT_THROW(both->lab.recover(), Error);
    EXPECT_EQ(both->lab.repo.read(".git/index"), "somebody's");
    both->lab.repo.remove(".git/index");
    EXPECT_TRUE(recovered_to_new(*both));
}

TEST(Recovery, SomebodysIndexLockIsNotTaken) {
    const auto both = old_and_new();
    crash(*both, "committed");
    both->lab.repo.remove(".git/index.lock"); // git's own advice
    both->lab.repo.write(".git/index.lock", "theirs");
    const auto recovery = both->lab.recover();
    // it can go back without the index, which had not moved
    ASSERT_TRUE(recovery);
    EXPECT_EQ(recovery->result, RecoveryResult::rolled_back);
    EXPECT_EQ(both->lab.repo.read(".git/index.lock"), "theirs");
    both->lab.repo.remove(".git/index.lock");
    EXPECT_TRUE(test::same(both->before.fingerprint, test::fingerprint(both->lab.repo.path())));
    EXPECT_TRUE(is_clean(*both));
}

TEST(Recovery, LocksOfAGitThatDiedWithUsAreRemoved) {
    const auto both = old_and_new();
    const std::string lock = ".git/refs/heads/main.lock";
    crash(*both, "checked");
    both->lab.repo.write(lock, both->after.head.hex() + "\n");
    both->lab.repo.write(".git/HEAD.lock", "");
    EXPECT_FALSE(recovered_to_new(*both));

    // somebody else's, by what it holds
    crash(*both, "checked");
    both->lab.repo.write(lock, both->before.head.hex() + "\n");
    both->lab.recover();
    EXPECT_THAT(both->lab.leftovers(), ::testing::ElementsAre(lock));
    both->lab.repo.remove(lock);

    // by the inode that the commit record has
    ApplyOptions options;
    options.at_step = [&](std::string_view step) {
        if (step == "committed")
            _exit(crash_code);
        if (step != "refs-prepared")
            return;
        // the lock outlives its git, under the same inode
        std::filesystem::create_hard_link(both->lab.repo.file(lock), both->lab.repo.file(".git/kept"));
    };
    ASSERT_EQ(in_child([&] { both->lab.apply(both->there, options); }), crash_code);
    while (both->lab.repo.exists(lock))
        usleep(1000);
    std::filesystem::rename(both->lab.repo.file(".git/kept"), both->lab.repo.file(lock));
    EXPECT_TRUE(recovered_to_new(*both));
}

TEST(Recovery, ADamagedJournalNeedsAPerson) {
    const auto both = old_and_new();
    crash(*both, "committed");
    const std::string journal = both->lab.repo.read(".git/carry/journal");
    both->lab.repo.write(".git/carry/journal", journal.substr(0, journal.size() / 2));
    try {
        both->lab.recover();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::needs_person);
    }
    both->lab.repo.write(".git/carry/journal", journal);
    EXPECT_TRUE(recovered_to_new(*both));
}

} // namespace
} // namespace carry::transaction
