// Every system call of a transaction fails, or is where the process dies, one after the other.
#include "lab.hpp"
#include "support/faults.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace carry::transaction {
namespace {

using lab::in_child;
using lab::old_and_new;
using lab::OldAndNew;
using test::Fault;
using ::testing::IsEmpty;

enum Ending { moved = 0, failed = 20, needs_person = 21, other = 22, not_reached = 30 };

/// In a child: arms, applies, and ends with what became of it.
int apply_with(OldAndNew& both, const Fault& fault, bool plain) {
    return in_child([&] {
        ApplyOptions options;
        options.plain_renames = plain;
        int ending = moved;
        test::arm(fault);
        try {
            both.lab.apply(both.there, options);
        } catch (const Error& error) {
            ending = error.kind() == ErrorKind::failed         ? failed
                     : error.kind() == ErrorKind::needs_person ? needs_person
                                                               : other;
        }
        const int calls = test::disarm();
        _exit(fault.at >= calls ? not_reached : ending);
    });
}

bool is(const test::Fingerprint& expected, OldAndNew& both) {
    return test::differences(expected, test::fingerprint(both.lab.repo.path())).empty();
}

/// All of them with CARRY_ALL_FAULTS=1 in the environment, otherwise every so many.
int stride() {
    const char* all = std::getenv("CARRY_ALL_FAULTS");
    return all != nullptr && *all == '1' ? 1 : 17;
}

class Faults : public ::testing::TestWithParam<std::tuple<int, bool, bool>> {};

INSTANTIATE_TEST_SUITE_P(Ways, Faults,
                         ::testing::Values(std::tuple(0, false, false), std::tuple(EIO, false, false),
                                           std::tuple(ENOSPC, true, false), std::tuple(0, false, true),
                                           std::tuple(EACCES, false, true)));

TEST_P(Faults, LeaveTheCheckoutOldOrNew) {
    const auto [error, forever, plain] = GetParam();
    const auto both = old_and_new();
    std::map<int, int> endings;
    for (int n = 0;; n += stride()) {
        const int ending = apply_with(*both, {n, error, forever}, plain);
        if (ending == not_reached)
            break;
        ++endings[ending];
        SCOPED_TRACE("call " + std::to_string(n) + ", ending " + std::to_string(ending));
        if (ending == failed) {
            // as the error says, nothing has changed; what could not be removed is removed by the next command
            both->lab.recover();
            ASSERT_TRUE(test::same(both->before.fingerprint, test::fingerprint(both->lab.repo.path())));
        }
        RecoverOptions options;
        options.plain_renames = plain;
        both->lab.recover(options);
        const bool is_new = is(both->after.fingerprint, *both);
        if (!is_new) {
            ASSERT_TRUE(test::same(both->before.fingerprint, test::fingerprint(both->lab.repo.path())));
        }
        if (ending == moved) {
            ASSERT_TRUE(is_new);
        }
        ASSERT_NE(ending, other);
        ASSERT_THAT(both->lab.leftovers(), IsEmpty());
        ASSERT_FALSE(needs_recovery(both->lab.journal_dir()));
        if (is_new)
            both->lab.apply(both->back);
    }
    // not a test that the faults pass by
    const int bad = error == 0 ? endings[128 + SIGKILL] : endings[failed];
    EXPECT_GT(bad * stride(), 200);
    EXPECT_GT(bad * 2, endings[moved]); // clearing up at the end may fail and nothing is lost
}

TEST_P(Faults, WhileRecoveringAsWell) {
    const auto [error, forever, plain] = GetParam();
    const auto both = old_and_new();
    for (const std::string step : {"temporaries-written", "moved:15"}) {
        for (int n = 0;; n += 2 * stride()) {
            SCOPED_TRACE(step + ", call " + std::to_string(n));
            ASSERT_EQ(in_child([&] {
                          ApplyOptions options;
                          options.plain_renames = plain;
                          options.at_step = [&](std::string_view now) {
                              if (now == step)
                                  _exit(9);
                          };
                          both->lab.apply(both->there, options);
                      }),
                      9);
            const Fault fault{n, error, forever};
            const int ending = in_child([&] {
                RecoverOptions options;
                options.plain_renames = plain;
                test::arm(fault);
                try {
                    both->lab.recover(options);
                } catch (const Error&) {
                    test::disarm();
                    _exit(failed);
                }
                _exit(test::disarm() <= fault.at ? not_reached : moved);
            });
            both->lab.recover();
            const bool is_new = is(both->after.fingerprint, *both);
            if (!is_new) {
                ASSERT_TRUE(test::same(both->before.fingerprint, test::fingerprint(both->lab.repo.path())));
            }
            ASSERT_THAT(both->lab.leftovers(), IsEmpty());
            if (is_new)
                both->lab.apply(both->back);
            if (ending == not_reached)
                break;
        }
    }
}

} // namespace
} // namespace carry::transaction
