// The series in the hands of git am, git apply and quilt, in a clean clone of base.

#include "carried.hpp"
#include "patch/series.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/program.hpp"

#include <gmock/gmock.h>

#include <set>

namespace carry::patch {

using test::numbered;
using test::set_line;
using test::TempRepo;

const std::vector<std::string> odd_names = {"sp ace",  "trailing ", "tab\tname",        "new\nline", "quo\"te",
                                            "back\\s", "bad\xff",   "\xc3\xa4\xc3\xb6", "-dash",     "#hash"};

void write_base(const TempRepo& repo, const std::string& layer) {
    const auto file = [&](const std::string& name) { return layer + "/" + name; };
    for (const auto* name : {"text", "chmod only", "edit and chmod", "becomes link", "deleted", "becomes dir"})
        repo.write(file(name), numbered(name, 30));
    repo.write(file("renamed"), numbered("renamed " + layer, 30));
    repo.write(file("renamed and edited"), numbered("renamed and edited " + layer, 30));
    repo.write(file("binary"), std::string("\0\1\2", 3) + layer);
    repo.write(file("empty, deleted"), "");
    repo.write(file("no end"), "a\nb");
    repo.write(file("crlf"), "a\r\nb\r\nc\r\n");
    repo.write(file("dir/becomes"), "file\n");
    repo.symlink("target", file("link"));
    for (const auto& name : odd_names)
        repo.write(file(name), numbered(layer + name, 5));
}

void change(const TempRepo& repo, const std::string& layer) {
    const auto file = [&](const std::string& name) { return layer + "/" + name; };
    repo.write(file("text"), set_line(set_line(numbered("text", 30), 3, "--- a/three"), 20, "From twenty"));
    repo.make_executable(file("chmod only"));
    repo.write(file("edit and chmod"), set_line(numbered("edit and chmod", 30), 9, "nine"));
    repo.make_executable(file("edit and chmod"));
    repo.symlink("text", file("becomes link"));
    repo.remove(file("deleted"));
    repo.remove(file("becomes dir"));
    repo.write(file("becomes dir/in"), "in\n");
    repo.remove(file("dir"));
    repo.write(file("dir"), "a file now\n");
    repo.remove(file("renamed"));
    repo.write(file("moved/away"), numbered("renamed " + layer, 30));
    repo.remove(file("renamed and edited"));
    repo.write(file("moved/and edited"), set_line(numbered("renamed and edited " + layer, 30), 5, "five"));
    repo.write(file("binary"), std::string("\0\3\4", 3) + layer);
    repo.write(file("binary new"), std::string("\0\xff", 2));
    repo.remove(file("empty, deleted"));
    repo.write(file("empty, new"), "");
    repo.write(file("no end"), "a\nc");
    repo.write(file("crlf"), "a\r\nB\r\nc\r\nd\r\n");
    repo.symlink("other", file("link"));
    for (const auto& name : odd_names) {
        repo.write(file(name), numbered(layer + name, 5) + "more\n");
        repo.write(file(name + " new"), "new\n");
    }
}

void add_new(const TempRepo& repo, const std::string& layer) {
    for (const auto& name : odd_names)
        repo.write(layer + "/" + name, "untracked\n");
    repo.write(layer + "/binary", std::string("\0\1", 2));
    repo.write(layer + "/empty", "");
    repo.write(layer + "/crlf", "a\r\n");
    repo.write(layer + "/no end", "a");
    repo.write(layer + "/run", "#!/bin/sh\n");
    repo.make_executable(layer + "/run");
    repo.symlink("run", layer + "/link");
}

/// Every kind of change in every layer.
struct FullCheckout {
    FullCheckout() {
        for (const auto* layer : {"committed", "staged", "unstaged"})
            write_base(repo, layer);
        base = repo.commit("base");
        change(repo, "committed");
        repo.commit("[Feature] Change \xc3\xa4 lot\n\nOver many lines.\n\nSigned-off-by: A <a@b>\n");
        repo.append("committed/text", "second\n");
        repo.commit("A plain second commit");
        change(repo, "staged");
        repo.git("add", "-A");
        change(repo, "unstaged");
        repo.git("add", "-N", "unstaged"); // so that what is new there is unstaged, not untracked
        repo.write("staged/text", set_line(repo.read("staged/text"), 11, "both staged and unstaged"));
        add_new(repo, "untracked");
    }
    TempRepo repo;
    std::string base;
};

std::vector<std::string> series_names(const std::filesystem::path& directory, bool commits) {
    std::vector<std::string> names;
    for (const auto& entry : parse_series(read_file(directory / "series"), "series")) {
        if ((entry.file.layer == Layer::commit) == commits)
            names.push_back((directory / entry.file.name).native());
    }
    return names;
}

void expect_success(const ProcessResult& result, const std::string& what) {
    EXPECT_EQ(result.exit_code, 0) << what << "\n" << result.error_output << result.output;
}

TEST(SeriesApply, GitAmAndGitApplyReproduceEverything) {
    const FullCheckout full;
    const TemporaryDirectory out("/tmp");
    const auto files = export_series(full.repo, full.base, out.path() / "patches");
    const auto trees = layer_trees(full.repo);

    const auto clone = clone_at(full.repo, full.base);
    std::vector<std::string> am = {"am", "-q"};
    for (const auto& name : series_names(out.path() / "patches", true))
        am.push_back(name);
    EXPECT_EQ(am.size(), 4U);
    expect_success(clone.git_run(am), "git am");
    EXPECT_EQ(clone.git("rev-parse", "HEAD^{tree}"), full.repo.git("rev-parse", "HEAD^{tree}"));
    EXPECT_EQ(clone.git("log", "-2", "--format=%an %ae %at %B"), [&] {
        auto log = full.repo.git("log", "-2", "--format=%an %ae %at %B");
        return log.erase(log.find("[Feature] "), 10); // git am takes brackets off; the bundle has them
    }());

    Layer layer = Layer::commit;
    for (const auto& file : files) {
        if (file.layer == Layer::commit)
            continue;
        if (layer == Layer::staged && file.layer == Layer::unstaged) {
            EXPECT_EQ(tree_of_worktree(clone), trees.staged.hex());
        }
        layer = file.layer;
        expect_success(clone.git_run({"apply", "--whitespace=nowarn", (out.path() / "patches" / file.name).native()}),
                       file.name);
    }
    EXPECT_EQ(layer, Layer::untracked);
    EXPECT_EQ(tree_of_worktree(clone), trees.untracked.hex());
}

TEST(SeriesApply, QuiltPushesWhatGnuPatchCanExpress) {
    if (test::run_program({"quilt", "--version"}).exit_code != 0)
        GTEST_SKIP() << "quilt is not installed";
    const FullCheckout full;
    const TemporaryDirectory out("/tmp");
    const auto files = export_series(full.repo, full.base, out.path() / "patches");
    // The first commit holds binary files: git alone can apply it, and what follows does not touch its files but for
    // the second one.
    const auto clone = clone_at(full.repo, full.repo.git_line("rev-parse", "HEAD~1"));
    std::filesystem::copy(out.path() / "patches", clone.path() / "patches");
    expect_success(test::run_program({"quilt", "push", "-a"}, clone.path(), {{"QUILT_PATCHES", "patches"}}),
                   "quilt push");

    // The rest by git, as the series marks it: then everything is there.
    std::size_t git_only = 0;
    for (const auto& file : files) {
        if (file.gnu_patch || file.layer == Layer::commit)
            continue;
        ++git_only;
        expect_success(clone.git_run({"apply", "--whitespace=nowarn", (out.path() / "patches" / file.name).native()}),
                       file.name);
    }
    EXPECT_GT(git_only, 10U);
    EXPECT_LT(git_only, files.size() / 2);
    EXPECT_EQ(tree_of_worktree(clone), layer_trees(full.repo).untracked.hex());
}

TEST(SeriesApply, QuiltGetsThePlainFormOfAnEncodedMail) {
    if (test::run_program({"quilt", "--version"}).exit_code != 0)
        GTEST_SKIP() << "quilt is not installed";
    const TempRepo repo;
    repo.write("dos", "a\r\nb\r\n");
    const auto base = repo.commit("base");
    repo.write("dos", "a\r\nc\r\n");
    repo.commit("Lines that end in CR");
    const TemporaryDirectory out("/tmp");
    export_series(repo, base, out.path() / "patches");
    for (const auto* tool : {"quilt", "git am"}) {
        const auto clone = clone_at(repo, base);
        std::filesystem::copy(out.path() / "patches", clone.path() / "patches");
        if (std::string(tool) == "quilt")
            expect_success(test::run_program({"quilt", "push", "-a"}, clone.path()), tool);
        else
            expect_success(clone.git_run({"am", "-q", "patches/0001-Lines-that-end-in-CR.patch"}), tool);
        EXPECT_EQ(clone.read("dos"), "a\r\nc\r\n") << tool;
    }
}

TEST(SeriesApply, TheUsersConfigurationDoesNotChangeIt) {
    const TempRepo repo;
    repo.write("a", numbered("a", 30));
    repo.write("old", numbered("old", 30));
    const auto base = repo.commit("base");
    repo.write("a", set_line(numbered("a", 30), 15, ""));
    repo.commit("Change a");
    repo.git("mv", "old", "new");
    repo.write("\xc3\xa4", "x\n");
    const TemporaryDirectory out("/tmp");
    export_series(repo, base, out.path() / "plain");
    const std::vector<std::pair<std::string, std::string>> settings = {{"format.subjectPrefix", "CARRY"},
                                                                       {"format.signature", "me"},
                                                                       {"format.signOff", "true"},
                                                                       {"format.attach", "true"},
                                                                       {"format.from", "Other <o@x>"},
                                                                       {"format.pretty", "oneline"},
                                                                       {"diff.noprefix", "true"},
                                                                       {"diff.mnemonicPrefix", "true"},
                                                                       {"diff.renames", "false"},
                                                                       {"diff.context", "0"},
                                                                       {"diff.external", "false"},
                                                                       {"diff.suppressBlankEmpty", "true"},
                                                                       {"color.ui", "always"},
                                                                       {"log.showSignature", "true"},
                                                                       {"log.mailmap", "true"},
                                                                       {"diff.algorithm", "histogram"},
                                                                       {"core.quotePath", "true"},
                                                                       {"diff.relative", "true"},
                                                                       {"log.date", "relative"},
                                                                       {"i18n.logOutputEncoding", "ISO-8859-1"}};
    for (const auto& [key, value] : settings)
        repo.git("config", key, value);
    export_series(repo, base, out.path() / "configured");
    std::size_t compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(out.path() / "plain")) {
        EXPECT_EQ(read_file(entry.path()), read_file(out.path() / "configured" / entry.path().filename()));
        ++compared;
    }
    EXPECT_EQ(compared, 4U);
}

TEST(SeriesApply, WhatMakesRoomComesFirst) {
    const TempRepo repo;
    repo.write("a/x", numbered("x", 20));
    repo.write("a/y", "y\n");
    repo.write("f", numbered("f", 20));
    const auto base = repo.commit("base");
    repo.git("mv", "a/x", "moved");
    repo.git("rm", "-q", "a/y");
    repo.git("mv", "moved", "a"); // a/x -> a
    repo.git("mv", "f", "g");
    repo.write("f/g", "new\n");
    repo.git("add", "-A");
    const TemporaryDirectory out("/tmp");
    const auto files = export_series(repo, base, out.path());
    EXPECT_EQ(files.size(), 4U);
    const auto clone = clone_at(repo, base);
    for (const auto& file : files)
        expect_success(clone.git_run({"apply", (out.path() / file.name).native()}), file.name);
    EXPECT_EQ(tree_of_worktree(clone), layer_trees(repo).untracked.hex());
}

TEST(SeriesApply, TheRepositoryStaysAsItIs) {
    const FullCheckout full;
    const auto links = links_of(full.repo, full.base);
    const auto objects = [&] {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(full.repo.git_directory() / "objects"))
            names.insert(entry.path().native());
        return names;
    };
    const auto objects_before = objects();
    const auto fingerprint = test::fingerprint(full.repo.path());
    const TemporaryDirectory out("/tmp");
    for (const bool program_store : {false, true}) {
        auto repository = git::Repository::open(full.repo.path());
        repository.use_program_store(program_store);
        write_series(repository, links, git::ObjectId::from_hex(full.base), "origin/main", 0, out.path() / "p");
    }
    EXPECT_EQ(objects(), objects_before);
    EXPECT_TRUE(test::same(fingerprint, test::fingerprint(full.repo.path())));
}

TEST(SeriesApply, NothingCarriedIsAnEmptySeries) {
    const TempRepo repo;
    repo.write("a", "1\n");
    const auto base = repo.commit("base");
    const TemporaryDirectory out("/tmp");
    EXPECT_TRUE(export_series(repo, base, out.path()).empty());
    EXPECT_TRUE(parse_series(read_file(out.path() / "series"), "series").empty());
}

} // namespace carry::patch
