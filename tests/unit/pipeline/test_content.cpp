// What files hold: line endings, attributes, filters.
#include "commands.hpp"
#include "support/fingerprint.hpp"
#include "support/lines.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

#include <algorithm>

namespace carry::test {
namespace {

using ::testing::HasSubstr;

std::string crlf(std::string_view text) {
    std::string result;
    for (const char byte : text)
        result += byte == '\n' ? std::string("\r\n") : std::string(1, byte);
    return result;
}

const std::string old_text = numbered("line", 20);
const std::string mine = set_line(old_text, 3, "mine");
const std::string theirs = set_line(old_text, 15, "theirs");
const std::string both_edits = set_line(mine, 15, "theirs");

TEST(PipelineContent, ALineEndingSwitchIsNoConflict) {
    const auto both = UpstreamAndCheckout::with(
        {{"switched.c", crlf(old_text)}, {"rewritten.c", old_text}, {"noise.c", old_text}, {"still.c", old_text}});
    const auto& work = both.work;
    work.write("switched.c", crlf(mine));
    work.write("rewritten.c", crlf(mine));
    work.write("noise.c", crlf(old_text));
    work.write("still.c", crlf(old_text));
    both.upstream.write("switched.c", theirs);
    both.upstream.write("rewritten.c", theirs);
    both.upstream.write("noise.c", theirs);
    both.upstream.commit("Edit and renormalise");
    const auto before = fingerprint(work.path());

    const auto report = upgrade_with(work);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(work.read("switched.c"), both_edits);
    EXPECT_EQ(work.read("rewritten.c"), crlf(both_edits));
    EXPECT_EQ(work.read("noise.c"), crlf(theirs));
    EXPECT_EQ(patch_of(report, "switched.c").hunks.size(), 1U);
    EXPECT_THAT(patch_of(report, "switched.c").note, HasSubstr("upstream's line endings"));
    EXPECT_EQ(patch_of(report, "still.c").note, "only its line endings differ");
    EXPECT_TRUE(patch_of(report, "still.c").hunks.empty());
    EXPECT_EQ(work.git_line("diff", "--numstat", "--", "switched.c"), "1\t1\tswitched.c");
    EXPECT_EQ(undo(request_for(work), std::nullopt).exit_code, 0);
    EXPECT_EQ(fingerprint(work.path()), before);
}

TEST(PipelineContent, UpstreamsMergeAttributesCountFromTheStart) {
    const auto both = UpstreamAndCheckout::with({{"list.txt", "one\n"}});
    both.work.append("list.txt", "mine\n");
    both.upstream.append("list.txt", "theirs\n");
    both.upstream.write(".gitattributes", "list.txt merge=union\n");
    both.upstream.commit("A list that grows at its end");
    EXPECT_EQ(upgrade_with(both.work).exit_code, 0);
    EXPECT_EQ(both.work.read("list.txt"), "one\ntheirs\nmine\n");
}

TEST(PipelineContent, ARequiredFilterThatFailsIsNamedBeforeAnythingChanges) {
    const auto both = UpstreamAndCheckout::with(
        {{"secret.txt", old_text}, {"a.txt", old_text}, {".gitattributes", "secret.txt filter=vault\n"}});
    const auto& work = both.work;
    both.upstream.write("a.txt", theirs);
    both.upstream.write("secret.txt", theirs);
    both.upstream.commit("Upstream");
    work.write("a.txt", mine);
    work.git("config", "filter.vault.required", "true");
    const auto before = fingerprint(work.path());
    const auto refusal = [&](const char* clean, const char* smudge) -> std::string {
        work.git("config", "filter.vault.clean", clean);
        work.git("config", "filter.vault.smudge", smudge);
        try {
            upgrade_with(work);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::refused);
            return error.message();
        }
        return "nothing was refused";
    };
    EXPECT_EQ(refusal("cat", "exit 1"), "the smudge filter 'vault' fails on 'secret.txt'");
    EXPECT_EQ(refusal("cat", "/no/such/program"), "the smudge filter 'vault' fails on 'secret.txt'");
    work.write("secret.txt", numbered("fine", 20));
    work.write("secret.txt", old_text); // git has to look into it, and finds the filter before we do
    EXPECT_EQ(refusal("exit 1", "cat"), "the clean filter 'vault' fails on 'secret.txt'");
    work.git("config", "filter.vault.process", "/no/such/program at-all");
    EXPECT_EQ(refusal("cat", "cat"), "the clean filter 'vault' fails");
    EXPECT_EQ(fingerprint(work.path()), before);
}

TEST(PipelineContent, AnEditedFileFollowsNewAttributes) {
    const auto both = UpstreamAndCheckout::with({{"run.bat", old_text}, {".gitattributes", "*.bat text eol=crlf\n"}});
    const auto& work = both.work;
    work.write("run.bat", crlf(mine));
    work.write("mine.bat", "untracked\r\n");
    both.upstream.write(".gitattributes", "*.bat -text\n");
    both.upstream.commit("Files are what they are");
    const auto before = fingerprint(work.path());
    EXPECT_EQ(upgrade_with(work).exit_code, 0);
    EXPECT_EQ(work.git_line("diff", "--numstat"), "1\t1\trun.bat");
    EXPECT_EQ(work.read("mine.bat"), "untracked\r\n");
    EXPECT_EQ(undo(request_for(work), std::nullopt).exit_code, 0);
    EXPECT_EQ(fingerprint(work.path()), before);
}

TEST(PipelineContent, PointersOfGitLfsAreNeverMergedAsText) {
    const auto pointer = [](char digit) {
        return "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, digit) + "\nsize 12\n";
    };
    const auto both = UpstreamAndCheckout::with({{"model.bin", pointer('1')}});
    both.work.write("model.bin", pointer('2'));
    both.upstream.write("model.bin", pointer('3'));
    both.upstream.commit("New model");
    const auto report = upgrade_with(both.work, OnConflict::mark);
    ASSERT_EQ(report.conflicts.size(), 1U);
    EXPECT_EQ(report.conflicts[0].kind, ConflictKind::binary);
    EXPECT_EQ(both.work.read("model.bin"), pointer('3'));
}

TEST(PipelineContent, LargeFilesAreCarriedWithoutPatches) {
    const std::string large(std::size_t{33} << 20, 'x');
    const auto both = UpstreamAndCheckout::with({{"data.bin", large}, {"theirs.bin", large}, {"a.txt", "1\n"}});
    const auto& work = both.work;
    work.write("data.bin", large + "mine");
    work.write("new.bin", large + "new");
    both.upstream.write("theirs.bin", large + "theirs");
    both.upstream.commit("Upstream");
    const auto before = fingerprint(work.path());
    EXPECT_EQ(upgrade_with(work).exit_code, 0);
    EXPECT_EQ(work.read("theirs.bin"), large + "theirs");
    EXPECT_EQ(work.git("status", "--porcelain"), " M data.bin\n?? new.bin\n");
    EXPECT_EQ(undo(request_for(work), std::nullopt).exit_code, 0);
    EXPECT_EQ(fingerprint(work.path()), before);

    const TemporaryDirectory place(std::filesystem::temp_directory_path(), "export-");
    const auto exported = export_patches(request_for(work), place.path() / "out");
    ASSERT_EQ(exported.warnings.size(), 2U);
    EXPECT_EQ(exported.warnings[0].path, "data.bin");
    try {
        apply_patches(request_for(work), {place.path() / "out" / "series"});
        ADD_FAILURE() << "the series is not whole";
    } catch (const Error& error) {
        EXPECT_THAT(error.message(), HasSubstr("too large for a patch"));
    }
}

} // namespace
} // namespace carry::test
