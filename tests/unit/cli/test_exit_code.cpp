#include "cli/exit_code.hpp"

#include <gtest/gtest.h>

namespace carry::test {
namespace {

using cli::exit_code_of;
using cli::ExitCode;
using cli::to_int;

TEST(ExitCode, NumbersAreAPromise) {
    EXPECT_EQ(to_int(ExitCode::done), 0);
    EXPECT_EQ(to_int(ExitCode::failed), 1);
    EXPECT_EQ(to_int(ExitCode::usage), 2);
    EXPECT_EQ(to_int(ExitCode::conflicts), 3);
    EXPECT_EQ(to_int(ExitCode::incomplete), 4);
    EXPECT_EQ(to_int(ExitCode::verify_failed), 5);
    EXPECT_EQ(to_int(ExitCode::refused), 6);
    EXPECT_EQ(to_int(ExitCode::locked), 7);
    EXPECT_EQ(to_int(ExitCode::interrupted), 8);
    EXPECT_EQ(to_int(ExitCode::needs_person), 9);
}

TEST(ExitCode, EachFailureHasItsOwn) {
    EXPECT_EQ(exit_code_of(ErrorKind::failed), ExitCode::failed);
    EXPECT_EQ(exit_code_of(ErrorKind::usage), ExitCode::usage);
    EXPECT_EQ(exit_code_of(ErrorKind::refused), ExitCode::refused);
    EXPECT_EQ(exit_code_of(ErrorKind::locked), ExitCode::locked);
    EXPECT_EQ(exit_code_of(ErrorKind::interrupted), ExitCode::interrupted);
    EXPECT_EQ(exit_code_of(ErrorKind::needs_person), ExitCode::needs_person);
}

} // namespace
} // namespace carry::test
