#include "reference.hpp"
#include "snapshot/record.hpp"
#include "snapshot/record_text.hpp"
#include "support/program.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

namespace carry::snapshot {

using test::TempRepo;
using testing::HasSubstr;

/// A checkout that has something for every field.
Snapshot rich_snapshot(const TempRepo& repo, git::Repository& repository) {
    repo.write("a", "3\n");
    repo.write("wanted", "w\n");
    repo.git("add", "-N", "wanted");
    repo.write("bad\xff name", "x\n");
    repo.write("\"quoted\"", "x\n");
    repo.write("crlf.txt", "x\r\n");
    repo.git("update-index", "--assume-unchanged", "hidden");
    repo.write("hidden", "2\n");
    auto snapshot = capture(repository, Settings{});
    snapshot.left_out = {"left\xfe"};
    snapshot.submodules = {" 1234 lib (v1)"};
    snapshot.stashes = {repo.head()};
    return snapshot;
}

test::UpstreamAndCheckout checkout() {
    return test::UpstreamAndCheckout::with(
        {{"a", "1\n"}, {"hidden", "1\n"}, {".gitattributes", "*.txt text eol=crlf\n"}});
}

bool same_status(const Status& a, const Status& b) {
    return porcelain_text(a, git::ObjectFormat::sha1) == porcelain_text(b, git::ObjectFormat::sha1) &&
           a.nested == b.nested && a.untracked == b.untracked;
}

TEST(Record, ComesBackAsItWas) {
    const auto [upstream, work] = checkout();
    auto repository = open(work);
    const auto before = rich_snapshot(work, repository);
    const TemporaryDirectory run("/tmp");
    write_record(before, run.path() / "run", repository.objects());
    const auto after = read_record(run.path() / "run");

    EXPECT_EQ(after.head.branch, before.head.branch);
    EXPECT_EQ(after.head.commit, before.head.commit);
    EXPECT_EQ(after.upstream->tracking_ref, "refs/remotes/origin/main");
    EXPECT_EQ(after.head_tree, before.head_tree);
    EXPECT_EQ(after.staged_tree, before.staged_tree);
    EXPECT_EQ(after.unstaged_tree, before.unstaged_tree);
    EXPECT_EQ(after.untracked_tree, before.untracked_tree);
    EXPECT_EQ(after.index_blob, before.index_blob);
    EXPECT_TRUE(same_status(after.status, before.status));
    EXPECT_EQ(after.flags.assume_unchanged, before.flags.assume_unchanged);
    EXPECT_EQ(after.raw, before.raw);
    EXPECT_FALSE(before.raw.empty());
    EXPECT_EQ(after.stamps, before.stamps);
    EXPECT_TRUE(after.stamps.contains("bad\xff name"));
    EXPECT_TRUE(after.stamps.contains("\"quoted\""));
    EXPECT_EQ(after.intent_to_add, before.intent_to_add);
    EXPECT_EQ(after.left_out, before.left_out);
    EXPECT_EQ(after.hidden_edits, before.hidden_edits);
    EXPECT_EQ(after.stashes, before.stashes);
    EXPECT_EQ(after.remotes, before.remotes);
    EXPECT_EQ(after.submodules, before.submodules);
    EXPECT_EQ(after.log, before.log);
    EXPECT_EQ(after.time, before.time);
}

TEST(Record, TheFilesForPeople) {
    const auto [upstream, work] = checkout();
    auto repository = open(work);
    const auto snapshot = rich_snapshot(work, repository);
    const TemporaryDirectory run("/tmp");
    write_record(snapshot, run.path(), repository.objects());
    EXPECT_EQ(read_file(run.path() / "index"), work.read(".git/index"));
    EXPECT_THAT(read_file(run.path() / "log.txt"), HasSubstr(work.head().substr(0, 7)));
    EXPECT_EQ(read_file(run.path() / "status.txt"), work.git("status", "--porcelain=v2", "--no-renames", "-uall"));
}

TEST(Record, MatchesItsSchema) {
    // Needs python3 with the jsonschema package (Debian: python3-jsonschema); skipped without it.
    if (test::run_program({"python3", "-c", "import jsonschema"}).exit_code != 0)
        GTEST_SKIP() << "python3-jsonschema is not installed";
    const auto [upstream, work] = checkout();
    auto repository = open(work);
    const TemporaryDirectory run("/tmp");
    write_record(rich_snapshot(work, repository), run.path(), repository.objects());
    const std::string script = "import json, sys, jsonschema\n"
                               "schema, value = (json.load(open(f)) for f in sys.argv[1:3])\n"
                               "jsonschema.Draft7Validator.check_schema(schema)\n"
                               "jsonschema.Draft7Validator(schema).validate(value)\n";
    const std::string schema = CARRY_SOURCE_DIR "/docs/snapshot.schema.json";
    const auto file = (run.path() / "snapshot.json").native();
    const auto result = test::run_program({"python3", "-c", script, schema, file});
    EXPECT_EQ(result.exit_code, 0) << result.error_output;
    write_file_atomic(file, "{\"schema\": 1}");
    EXPECT_NE(test::run_program({"python3", "-c", script, schema, file}).exit_code, 0);
}

TEST(Record, WhatCannotBeReadIsAnErrorThatNamesTheFile) {
    const auto [upstream, work] = checkout();
    auto repository = open(work);
    const TemporaryDirectory run("/tmp");
    EXPECT_THROW(read_record(run.path()), Error);
    write_record(rich_snapshot(work, repository), run.path(), repository.objects());
    const auto file = run.path() / "snapshot.json";
    const auto good = read_file(file);
    const auto expect_refused = [&](const std::string& text) {
        write_file_atomic(file, text);
        try {
            read_record(run.path());
            FAIL() << text;
        } catch (const Error& error) {
            EXPECT_THAT(error.message(), HasSubstr("snapshot.json"));
        }
    };
    for (std::size_t length = 0; length + 2 < good.size(); length += 97)
        expect_refused(good.substr(0, length));
    auto newer = good;
    newer.replace(newer.find("\"schema\": 1"), 11, "\"schema\": 2");
    expect_refused(newer);
    expect_refused("[]");
    expect_refused("{\"schema\": \"1\"}");
    write_file_atomic(file, good);
    EXPECT_NO_THROW(read_record(run.path()));
}

TEST(Record, PasswordsInUrlsAreLeftOut) {
    const auto [upstream, work] = checkout();
    work.git("remote", "set-url", "origin", "https://user:s3cret@example.org/x.git");
    work.git("remote", "add", "ssh", "git@example.org:x@y.git");
    auto repository = open(work);
    const auto snapshot = capture(repository, Settings{});
    ASSERT_EQ(snapshot.remotes.size(), 2U);
    EXPECT_EQ(snapshot.remotes[0].second, "https://user@example.org/x.git");
    EXPECT_EQ(snapshot.remotes[1].second, "git@example.org:x@y.git");
}

} // namespace carry::snapshot
