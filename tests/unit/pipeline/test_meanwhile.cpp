// What happens in the checkout while an upgrade is being planned: a hook of the fetch does it.
#include "commands.hpp"
#include "support/fingerprint.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

namespace carry::test {
namespace {

/// Runs `body` in the working tree when the fetch has moved the remote-tracking branch.
void while_planning(const TempRepo& work, const std::string& body) {
    const std::string path = ".git/hooks/reference-transaction";
    work.write(path,
               "#!/bin/sh\nread old new ref\ntest \"$1:$ref\" = committed:refs/remotes/origin/main || exit 0\n" + body);
    work.make_executable(path);
}

UpstreamAndCheckout behind() {
    auto both = UpstreamAndCheckout::with({{"a.txt", "1\n"}, {"b.txt", "1\n"}});
    both.work.write("mine.txt", "mine\n");
    both.upstream.write("a.txt", "2\n");
    both.upstream.commit("Upstream");
    std::filesystem::last_write_time(both.work.file("b.txt"), std::filesystem::file_time_type::clock::now() -
                                                                  std::chrono::hours(1)); // git is unsure of it
    return both;
}

TEST(Meanwhile, ARefreshedIndexIsPlannedOnAgain) {
    const auto both = behind();
    while_planning(both.work, "git update-index -q --refresh; echo done > .git/refreshed\n");
    const auto index = both.work.read(".git/index");
    const auto report = upgrade_with(both.work);
    EXPECT_EQ(report.exit_code, 0);
    ASSERT_TRUE(both.work.exists(".git/refreshed"));
    EXPECT_NE(index, both.work.read(".git/index"));
    EXPECT_EQ(both.work.head(), both.upstream.head());
    EXPECT_EQ(both.work.git("status", "--porcelain"), "?? mine.txt\n");
    EXPECT_EQ(runs(request_for(both.work)).size(), 1U);
}

TEST(Meanwhile, AnEditIsNotOverrun) {
    const auto both = behind();
    while_planning(both.work, "echo edited > b.txt; git add b.txt\n");
    try {
        upgrade_with(both.work);
        ADD_FAILURE() << "the edit was not seen";
    } catch (const Error& error) {
        EXPECT_THAT(error.message(), ::testing::HasSubstr("changed while"));
    }
    EXPECT_EQ(both.work.read("a.txt"), "1\n");
    EXPECT_EQ(both.work.git("diff", "--cached", "--name-only"), "b.txt\n");
    EXPECT_TRUE(runs(request_for(both.work)).empty());
}

} // namespace
} // namespace carry::test
