#include "checkout.hpp"
#include "git/attributes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carry::git {
namespace {

using test::TempRepo;

TEST(Attributes, AreAnsweredForOddNames) {
    const TempRepo repo;
    repo.write(".gitattributes", "*.bin binary\n*.txt text eol=crlf\n");
    repo.write("sub/.gitattributes", "*.bin -binary diff=hex\n");
    const std::string odd = "odd\n\"name\"\t\xff.txt";
    const auto values =
        check_attributes(program_of(repo), {"text", "eol", "diff", "merge"}, {"a.bin", "sub/a.bin", odd, "none"});
    ASSERT_EQ(values.size(), 4U);
    EXPECT_EQ(values.at("a.bin").at("text"), "unset");
    EXPECT_EQ(values.at("a.bin").at("merge"), "unset");
    EXPECT_EQ(values.at("sub/a.bin").at("diff"), "hex");
    EXPECT_EQ(values.at(odd).at("text"), "set");
    EXPECT_EQ(values.at(odd).at("eol"), "crlf");
    EXPECT_EQ(values.at("none").at("text"), "unspecified");
}

TEST(Attributes, NothingAskedIsNothingAnswered) {
    const TempRepo repo;
    EXPECT_TRUE(check_attributes(program_of(repo), {"text"}, {}).empty());
    EXPECT_TRUE(check_attributes(program_of(repo), {}, {"a"}).empty());
}

} // namespace
} // namespace carry::git
