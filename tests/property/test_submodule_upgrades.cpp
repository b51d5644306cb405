/// Upgrade, then undo, with changes in a submodule as well; which of them, the seed decides. What fails is shrunk by
/// leaving changes out.
#include "seeds.hpp"
#include "support/submodule_lab.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

namespace carry::test {
namespace {

/// A checkout whose upstream has gone on by three versions, each with another commit of the library; all of it fetched.
struct Template {
    SubmoduleLab lab = SubmoduleLab::make();
    std::vector<std::string> versions;

    Template() {
        for (const std::size_t line : {3U, 10U, 18U}) {
            static_cast<void>(lab.bump(fmt::format("lib {} of upstream", line), line));
            versions.push_back(lab.upstream.head());
        }
        lab.work.git("fetch", "-q", "--no-recurse-submodules");
        lab.in_sub("fetch", "-q");
    }
};

enum Change : unsigned {
    sub_commit,
    sub_staged,
    sub_unstaged,
    sub_untracked,
    commit,
    bump,
    staged,
    unstaged,
    untracked
};
constexpr std::array<const char*, 9> change_words = {
    "commit in the submodule", "staged in it", "unstaged in it", "untracked in it", "commit",
    "gitlink staged",          "staged",       "unstaged",       "untracked"};

struct Case {
    unsigned seed = 0;
    std::vector<Change> changes;
    std::size_t version = 0;
    bool mark = false;
};

Case make_case(unsigned seed) {
    std::mt19937 random(seed);
    Case made{seed, {}, random() % 3, random() % 2 == 0};
    for (unsigned n = 0; n < change_words.size(); ++n)
        if (random() % 3 == 0)
            made.changes.push_back(static_cast<Change>(n));
    return made;
}

void change_line(const TempRepo& work, const std::string& path, std::mt19937& random, std::size_t lines) {
    const auto line = 1 + random() % lines;
    work.write(path, set_line(work.read(path), line, fmt::format("line {} of mine", line)));
}

void make(const SubmoduleLab& lab, const TempRepo& work, const Case& made) {
    std::mt19937 random(made.seed + 1);
    const std::string lib = "libs/sub/lib.txt";
    const auto in_sub = [&](auto... args) { work.git("-C", lab.sub, args...); };
    for (const auto change : made.changes)
        switch (change) {
        case sub_commit:
            change_line(work, lib, random, 20);
            in_sub("-c", "user.name=W", "-c", "user.email=w@example.com", "commit", "-q", "-a", "-m", "mine");
            break;
        case sub_staged:
            change_line(work, lib, random, 20);
            in_sub("add", "-A");
            break;
        case sub_unstaged:
            change_line(work, lib, random, 20);
            break;
        case sub_untracked:
            work.write("libs/sub/new.txt", "new\n");
            break;
        case commit:
            change_line(work, "app.txt", random, 12);
            work.stage("app.txt");
            work.commit_staged("mine");
            break;
        case bump:
            work.stage(lab.sub);
            break;
        case staged:
            change_line(work, "app.txt", random, 12);
            work.stage("app.txt");
            break;
        case unstaged:
            change_line(work, "app.txt", random, 12);
            break;
        case untracked:
            work.write("libs/new.txt", "new\n");
            break;
        }
}

std::string differ(const std::vector<Fingerprint>& before, const TempRepo& work, const std::string& when) {
    std::string text;
    const auto after = fingerprints(work, {SubmoduleLab::sub});
    for (std::size_t i = 0; i < before.size(); ++i)
        for (const auto& difference : differences(before[i], after[i]))
            text += fmt::format("{}, checkout {}: {}\n", when, i, difference);
    return text;
}

std::string failure_of(const Template& from, const Case& made, std::map<std::string, std::size_t>& tally) {
    const auto work = TempRepo::copy_of(from.lab.work);
    work.git("update-ref", "refs/remotes/origin/main", from.versions[made.version]);
    make(from.lab, work, made);
    Request request;
    request.directory = work.path();
    request.command_line = [&](Settings& settings) {
        settings.offline = true;
        settings.on_conflict = made.mark ? OnConflict::mark : OnConflict::stop;
    };
    const auto before = fingerprints(work, {SubmoduleLab::sub});
    std::string failure;
    try {
        const auto report = upgrade(request);
        ++tally[std::string(to_string(report.outcome))];
        if (report.outcome == Outcome::marked) {
            abort_run(request);
        } else if (report.outcome == Outcome::upgraded) {
            const auto after = fingerprints(work, {SubmoduleLab::sub});
            undo(request, std::nullopt);
            failure += differ(before, work, "undo");
            undo(request, std::nullopt);
            return failure + differ(after, work, "undo of undo");
        }
        return differ(before, work, std::string(to_string(report.outcome)));
    } catch (const Error& error) {
        ++tally["refused: " + error.message()];
        return (error.kind() == ErrorKind::refused ? "" : error.message() + "\n") + differ(before, work, "refused");
    }
}

TEST(GeneratedSubmodules, GoThereAndBack) {
    const Template from;
    std::map<std::string, std::size_t> tally, ignored;
    for (const auto seed : seeds(600'000, 3)) {
        auto made = make_case(seed);
        auto failure = failure_of(from, made, tally);
        if (failure.empty())
            continue;
        for (auto at = made.changes.size(); at-- > 0;) {
            auto fewer = made;
            fewer.changes.erase(fewer.changes.begin() + static_cast<std::ptrdiff_t>(at));
            if (auto still = failure_of(from, fewer, ignored); !still.empty()) {
                made = std::move(fewer);
                failure = std::move(still);
            }
        }
        std::string words;
        for (const auto change : made.changes)
            words += fmt::format(" {};", change_words.at(change));
        ADD_FAILURE() << "seed " << seed << ", to version " << made.version << (made.mark ? ", mark:" : ", stop:")
                      << words << "\n"
                      << failure;
    }
    for (const auto& [what, times] : tally)
        fmt::print("  {} x {}\n", times, what);
}

} // namespace
} // namespace carry::test
