// Conflict images and their ids, compared with what git's rerere records for the same files.
#include "base/text.hpp"
#include "git/digest.hpp"
#include "merge/conflict_image.hpp"
#include "merge/resolution.hpp"
#include "support/lines.hpp"
#include "support/temp_repo.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace carry::test {
namespace {

using merge::conflict_image;
using merge::MarkerForm;

TEST(Digest, OfPlainBytes) {
    EXPECT_EQ(git::digest_hex(git::ObjectFormat::sha1, "abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    EXPECT_EQ(git::digest_hex(git::ObjectFormat::sha1, ""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    EXPECT_EQ(git::digest_hex(git::ObjectFormat::sha256, "abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(ConflictImage, SidesAreSortedAndLabelsAndAncestorAreDropped) {
    const auto image = conflict_image("top\n<<<<<<< ours\nz\n||||||| base\nb\n=======\na\n>>>>>>> theirs\nend\n", 7);
    ASSERT_TRUE(image);
    EXPECT_EQ(image->bytes, "top\n<<<<<<<\na\n=======\nz\n>>>>>>>\nend\n");
    ASSERT_EQ(image->conflicts.size(), 1U);
    EXPECT_EQ(image->conflicts.front(), std::string("a\n\0z\n\0", 6));
    const auto again = conflict_image(image->bytes, 7, MarkerForm::bare);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->bytes, image->bytes);
    EXPECT_EQ(again->id(git::ObjectFormat::sha1), image->id(git::ObjectFormat::sha1));
    EXPECT_EQ(merge::marker_size_of_image(image->bytes), 7U);
}

TEST(ConflictImage, ConflictsInsideConflictsEndSomewhere) {
    std::string text;
    for (int i = 0; i < 300'000; ++i)
        text += "<<<<<<< a\n";
    EXPECT_FALSE(conflict_image(text, 7)); // and the stack is still there
    const auto nested = [](int depth) {
        std::string image = "x\n";
        for (int i = 0; i < depth; ++i)
            image = "<<<<<<< a\n" + image + "=======\ny\n>>>>>>> b\n";
        return image;
    };
    EXPECT_TRUE(conflict_image(nested(20), 7));
    EXPECT_FALSE(conflict_image(nested(200), 7));
}

TEST(ConflictImage, WhatIsNoConflictAndWhatIsBroken) {
    EXPECT_TRUE(conflict_image("a\n=======\nb\n>>>>>>> x\n<<<<<<<\n<<<<<<<< x\n", 7)->conflicts.empty());
    for (const auto* text :
         {"<<<<<<< a\nx\n", "<<<<<<< a\nx\n>>>>>>> b\n", "<<<<<<< a\n=======\n||||||| b\n>>>>>>> c\n",
          "<<<<<<< a\n=======\n=======\n>>>>>>> c\n"}) {
        EXPECT_FALSE(conflict_image(text, 7)) << text;
        EXPECT_TRUE(merge::holds_conflict(text, 7)) << text;
    }
    EXPECT_FALSE(conflict_image(std::string("a\0b\n", 4), 7));
    EXPECT_FALSE(merge::holds_conflict("title\n=======\n", 7));
    EXPECT_TRUE(merge::holds_conflict("<<<<<<<<< a\n=========\n>>>>>>>>> b\n", 9));
}

/// Files that conflict in one to four places, with awkward contents among them.
std::string awkward_line(std::mt19937& random) {
    static const std::vector<std::string> lines{"int x = 1;", "",         "}",        "=======", "a\tb",
                                                "<<<<<<<",    "|||||||x", "\xff\xfe", "z"};
    return lines[random() % lines.size()] + std::to_string(random() % 4);
}

struct Versions {
    std::string base, ours, theirs;
};

Versions random_versions(std::mt19937& random) {
    Versions versions;
    const std::string end = random() % 4 == 0 ? "\r\n" : "\n";
    const auto places = 1 + random() % 4;
    for (std::size_t place = 0; place < places; ++place) {
        for (std::size_t i = 0; i < random() % 7; ++i) {
            const auto line = awkward_line(random) + end;
            for (auto* side : {&versions.base, &versions.ours, &versions.theirs})
                *side += line;
        }
        for (auto* side : {&versions.base, &versions.ours, &versions.theirs})
            for (std::size_t i = 0; i < 1 + random() % 4; ++i)
                *side += awkward_line(random) + end;
    }
    if (random() % 3 == 0)
        versions.ours += "no newline at the end";
    return versions;
}

/// Many files that change on main and on side; main is checked out.
struct Colliding {
    TempRepo repo;
    std::map<std::string, Versions> files;

    Colliding(const std::string& style, unsigned seed) {
        std::mt19937 random(seed);
        repo.git("config", "rerere.enabled", "true");
        repo.git("config", "merge.conflictStyle", style);
        repo.git("config", "core.autocrlf", "false");
        repo.write(".gitattributes", "long* conflict-marker-size=11\n");
        for (int i = 0; i < 120; ++i)
            files[(i % 10 == 0 ? "long" : "file") + std::to_string(i)] = random_versions(random);
        write(&Versions::base);
        repo.commit("base");
        repo.git("checkout", "-q", "-b", "side");
        write(&Versions::theirs);
        repo.commit("theirs");
        repo.git("checkout", "-q", "main");
        write(&Versions::ours);
        repo.commit("ours");
    }

    void write(std::string Versions::*side) const {
        for (const auto& [path, versions] : files)
            repo.write(path, versions.*side);
    }
    static std::size_t marker_size(std::string_view path) { return path.starts_with("long") ? 11 : 7; }

    struct Recorded {
        std::string id, variant, path;
    };
    /// What git's MERGE_RR says of a merge that has just stopped.
    [[nodiscard]] std::vector<Recorded> recorded() const {
        std::vector<Recorded> records;
        const auto list = read_file(repo.git_directory() / "MERGE_RR");
        for (const auto record : split_terminated(list, '\0')) {
            const auto tab = record.find('\t');
            records.push_back({std::string(record.substr(0, 40)), std::string(record.substr(40, tab - 40)),
                               std::string(record.substr(tab + 1))});
        }
        return records;
    }
};

void compare_ids(const std::string& style, unsigned seed) {
    const Colliding merge(style, seed);
    merge.repo.git_status("merge", "-q", "side");
    const auto records = merge.recorded();
    EXPECT_GT(records.size(), 60U);
    for (const auto& [id, variant, path] : records) {
        const auto text = merge.repo.read(path);
        const auto image = conflict_image(text, Colliding::marker_size(path));
        ASSERT_TRUE(image) << path;
        EXPECT_EQ(image->id(git::ObjectFormat::sha1), id) << path << ":\n" << text;
        EXPECT_EQ(image->bytes, read_file(merge.repo.git_directory() / "rr-cache" / id / ("preimage" + variant)));
        const auto bare = conflict_image(image->bytes, Colliding::marker_size(path), MarkerForm::bare);
        ASSERT_TRUE(bare) << path;
        EXPECT_EQ(bare->id(git::ObjectFormat::sha1), id) << path;
    }
}

TEST(ConflictImage, IdsAndPreimagesAreGits) {
    compare_ids("merge", 1);
    compare_ids("diff3", 2);
    compare_ids("zdiff3", 3);
}

/// The text with the lines of both sides in place of each conflict.
std::string both_sides(std::string_view text, std::size_t marker_size) {
    std::string result;
    bool ancestor = false;
    for (const auto line : split_lines(text)) {
        const auto is = [&](char sign) { return line.starts_with(std::string(marker_size, sign)); };
        ancestor = is('|') || (ancestor && !is('='));
        if (!ancestor && !is('<') && !is('=') && !is('>'))
            result += line;
    }
    return result;
}

/// git records the resolutions of one merge; where the files have changed a little, the next merge is resolved by git
/// and by us alike.
TEST(Resolution, WhatGitResolvesAgainWeDo) {
    std::size_t resolved_by_git = 0;
    std::size_t left_by_git = 0;
    for (const std::string style : {"merge", "zdiff3"}) {
        const Colliding merge(style, 11);
        const auto& repo = merge.repo;
        repo.git_status("merge", "-q", "side");
        const auto records = merge.recorded();
        for (const auto& record : records)
            repo.write(record.path, both_sides(repo.read(record.path), Colliding::marker_size(record.path)));
        repo.git("rerere");
        repo.git("reset", "-q", "--hard");
        std::size_t number = 0;
        for (const auto& [path, versions] : merge.files) {
            const auto end = versions.ours.find("\r\n") == std::string::npos ? "\n" : "\r\n";
            const auto lines = split_lines(versions.ours);
            std::string changed = "first" + std::to_string(number) + end;
            for (std::size_t i = 0; i < lines.size(); ++i)
                changed += (i % 5 == 4 && number % 2 == 0 ? "changed" + std::string(end) : "") + std::string(lines[i]);
            repo.write(path, changed);
            ++number;
        }
        repo.commit("ours, a little other");
        repo.git_status("-c", "rerere.enabled=false", "merge", "-q", "side");
        std::map<std::string, std::string> texts;
        for (const auto& [path, versions] : merge.files)
            texts[path] = repo.read(path);
        repo.git("reset", "-q", "--hard");
        merge::ResolutionMemory memory{merge::ResolutionStore(git::Repository::open(repo.path()))};
        repo.git_status("merge", "-q", "side");
        for (const auto& [path, text] : texts) {
            const auto size = Colliding::marker_size(path);
            if (!merge::holds_conflict(text, size))
                continue;
            const auto by_git = repo.read(path);
            const auto by_us = memory.resolve({text}, static_cast<unsigned short>(size));
            const bool resolved = !merge::holds_conflict(by_git, size);
            ++(resolved ? resolved_by_git : left_by_git);
            if (resolved) {
                EXPECT_EQ(by_us ? by_us->bytes : "not resolved", by_git) << path << ":\n" << text;
            }
        }
    }
    EXPECT_GT(resolved_by_git, 50U);
    EXPECT_GT(left_by_git, 5U);
}

} // namespace
} // namespace carry::test
