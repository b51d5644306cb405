// Which of git's hooks run when HEAD moves, and that none of them can stop it. What git does for the same is the
// reference.
#include "commands.hpp"
#include "support/lines.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

namespace carry::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string k_file = numbered("a", 40);
const std::vector<std::string> k_names = {"post-checkout", "post-merge",       "post-rewrite", "pre-rebase",
                                          "post-commit",   "pre-merge-commit", "pre-commit",   "commit-msg"};

void write_hook(const TempRepo& work, const std::string& name, const std::string& body) {
    const auto path = ".git/hooks/" + name;
    work.write(path, "#!/bin/sh\n" + body + "\n");
    work.make_executable(path);
}

/// Hooks that write down that they ran, with what.
void listen(const TempRepo& work) {
    for (const auto& name : k_names)
        write_hook(work, name,
                   "{ echo \"" + name + " $*\"; test " + name + " = post-rewrite && cat; } >> .git/heard; exit 0");
}

std::string heard(const TempRepo& work) {
    if (!work.exists(".git/heard"))
        return {};
    auto text = work.read(".git/heard");
    work.remove(".git/heard");
    return text;
}

void local_commit(const TempRepo& work) {
    work.write("a.txt", set_line(work.read("a.txt"), 20, "mine"));
    work.commit("Mine");
}

void advance(const TempRepo& upstream, std::size_t line) {
    upstream.write("a.txt", set_line(upstream.read("a.txt"), line, "upstream"));
    upstream.commit("Upstream");
}

TEST(Hooks, RunAsForAPull) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    const auto& work = both.work;
    listen(work);
    advance(both.upstream, 3);
    const auto start = work.head();
    work.git("pull", "-q", "--rebase");
    const auto of_git = heard(work);
    work.git("reset", "-q", "--hard", start);
    heard(work);
    EXPECT_EQ(upgrade_with(work).exit_code, 0);
    EXPECT_EQ(heard(work), of_git); // fast-forward
    EXPECT_EQ(of_git, "post-merge 0\n");

    local_commit(work);
    advance(both.upstream, 6);
    const auto old_head = work.head();
    heard(work);
    EXPECT_THAT(upgrade_with(work).notes, IsEmpty());
    EXPECT_EQ(heard(work), "post-checkout " + old_head + " " + work.head() + " 1\npost-rewrite rebase\n" + old_head +
                               " " + work.head() + "\n");
    const auto new_head = work.head();
    undo(request_for(work), std::nullopt);
    EXPECT_EQ(heard(work), "post-checkout " + new_head + " " + old_head + " 1\n");

    upgrade(request_for(work, [](Settings& settings) { settings.integrate = Integrate::merge; }));
    EXPECT_EQ(heard(work), "post-merge 0\n");
    undo(request_for(work), std::nullopt);
    heard(work);
    upgrade(request_for(work, [](Settings& settings) { settings.hooks = false; }));
    EXPECT_EQ(heard(work), "");
    upgrade_with(work); // nothing to do
    EXPECT_EQ(heard(work), "");
}

TEST(Hooks, ThatFailHangOrCannotRunAreNotes) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    const auto& work = both.work;
    local_commit(work);
    advance(both.upstream, 3);
    write_hook(work, "post-checkout", "echo out of order >&2; exit 3");
    write_hook(work, "post-rewrite", "exec sleep 100");
    const auto report = upgrade(request_for(work, [](Settings& settings) { settings.hook_seconds = 1; }));
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_THAT(report.notes, ElementsAre("hook post-checkout exited with 3: out of order",
                                          "hook post-rewrite took longer than 1 s and was ended"));
    EXPECT_THAT(work.read(".git/carry/runs/" + report.run + "/hooks.log"), HasSubstr("out of order"));

    undo(request_for(work), std::nullopt);
    work.write(".git/other/post-checkout", "#!/no/such/program\n");
    work.make_executable(".git/other/post-checkout");
    work.write(".git/other/post-rewrite", "#!/bin/sh\n");
    work.git("config", "core.hooksPath", ".git/other");
    const auto again = upgrade_with(work);
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_THAT(again.notes, ElementsAre(HasSubstr("hook post-checkout could not be run"),
                                         "hook post-rewrite was ignored, for it is not executable"));
}

TEST(Hooks, HearOfAFailedVerification) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    const auto& work = both.work;
    listen(work);
    advance(both.upstream, 3);
    const auto start = work.head();
    const auto report =
        upgrade(request_for(work, [](Settings& settings) { settings.verify = {"test ! -e .git/heard"}; }));
    EXPECT_EQ(report.exit_code, 5);
    EXPECT_EQ(work.head(), start);
    EXPECT_EQ(heard(work), "post-merge 0\npost-checkout " + both.upstream.head() + " " + start + " 1\n");
}

TEST(Hooks, AResolvedConflictIsToldAtTheEnd) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    const auto& work = both.work;
    local_commit(work);
    work.write("a.txt", set_line(work.read("a.txt"), 30, "clash"));
    work.commit("Clash");
    advance(both.upstream, 30);
    listen(work);
    const auto first = work.git_line("rev-parse", "HEAD~1");
    const auto second = work.head();
    EXPECT_EQ(upgrade_with(work, OnConflict::mark).exit_code, 4);
    const auto half_way = work.head();
    EXPECT_EQ(heard(work), "post-checkout " + second + " " + half_way + " 1\n");
    work.write("a.txt", set_line(set_line(k_file, 20, "mine"), 30, "both"));
    work.stage("a.txt");
    EXPECT_EQ(continue_run(request_for(work)).exit_code, 0);
    EXPECT_EQ(heard(work), "post-checkout " + half_way + " " + work.head() + " 1\npost-rewrite rebase\n" + first + " " +
                               half_way + "\n" + second + " " + work.head() + "\n");
}

TEST(Hooks, NotesFollowWhereGitIsToldTo) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    const auto& work = both.work;
    local_commit(work);
    work.git("notes", "add", "-m", "why it is here");
    work.git("config", "notes.rewriteRef", "refs/notes/*");
    advance(both.upstream, 3);
    EXPECT_EQ(upgrade_with(work).exit_code, 0);
    EXPECT_EQ(work.git_line("notes", "show", "HEAD"), "why it is here");
}

TEST(Hooks, AReferenceTransactionMayRefuseAndNothingHasChanged) {
    const auto both = UpstreamAndCheckout::with({{"a.txt", k_file}});
    const auto& work = both.work;
    local_commit(work);
    work.write("a.txt", set_line(work.read("a.txt"), 30, "dirty"));
    advance(both.upstream, 3);
    write_hook(work, "reference-transaction", "read o n r; test \"$1:$r\" != prepared:refs/heads/main");
    const auto head = work.head();
    const auto file = work.read("a.txt");
    try {
        upgrade_with(work);
        ADD_FAILURE() << "the hook was not heard";
    } catch (const Error& error) {
        EXPECT_THAT(error.causes(), Contains(HasSubstr("aborted by hook")));
        EXPECT_THAT(error.hints(), Contains(HasSubstr("reference-transaction")));
    }
    EXPECT_EQ(work.head(), head);
    EXPECT_EQ(work.read("a.txt"), file);
    work.remove(".git/hooks/reference-transaction");
    EXPECT_EQ(upgrade_with(work).exit_code, 0);
}

} // namespace
} // namespace carry::test
