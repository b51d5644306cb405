#include "transaction/journal.hpp"
#include "transaction/lines.hpp"
#include "transaction/transition.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>

namespace carry::transaction {
namespace {

git::ObjectId id(char digit) {
    return git::ObjectId::from_hex(std::string(40, digit));
}

FileState regular(char digit, bool executable = false) {
    return {FileKind::regular, id(digit), executable, std::nullopt};
}

std::vector<CheckoutMove> sample() {
    CheckoutMove move;
    move.paths = {"/tree with\nnewline", "/tree/.git", "/\xff"};
    FileState with_metadata = regular('b');
    with_metadata.metadata =
        Metadata{04755, 1000, 4000000000U, {{"user.a b", std::string("\0\n\xff", 3)}, {"user.", ""}}};
    move.transitions = {
        {"a", {}, regular('a', true)},
        {" odd \"path\"\t\xff", regular('a'), with_metadata},
        {"link", {FileKind::link, id('c'), false, std::nullopt}, {}},
    };
    move.index = IndexMove{{}, id('d')};
    move.refs = {{"refs/heads/main", id('1'), id('2')}, {"HEAD", id('1'), {}}};
    move.head_before = "refs/heads/main";
    move.head_after = id('2').hex();
    move.reflog_message = "two\nlines";
    CheckoutMove empty;
    return {move, empty};
}

Journal sample_journal() {
    Journal journal;
    journal.phase = Phase::reversing;
    journal.run = "run";
    journal.token = "token";
    journal.moves = sample();
    journal.layouts.resize(2);
    journal.layouts[0].temporaries = {"t-0", "d/t-1", "t-2"};
    journal.layouts[0].new_directories = {"d", "d/e\n"};
    journal.layouts[0].cleared = {{"x/y", 02755, 1, 2}};
    journal.layouts[0].ref_locks = {{"/tree/.git/HEAD.lock", 12}};
    journal.layouts[0].changed = {"a"};
    journal.layouts[0].index_changed = true;
    return journal;
}

/// Text with its checksum made right again, as somebody could write it who means harm.
std::string sealed(std::string text) {
    const auto end = text.rfind("checksum ");
    if (end == std::string::npos)
        return text;
    text.resize(end);
    return text + "checksum " + [&] {
        char digits[17];
        std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(checksum_of(text)));
        return std::string(digits);
    }() + "\n";
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), with);
}

TEST(Serialize, RoundTrip) {
    const auto moves = sample();
    const auto read = parse_moves(serialize(moves));
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[0].paths.worktree, moves[0].paths.worktree);
    EXPECT_EQ(read[0].paths.git_dir, moves[0].paths.git_dir);
    EXPECT_EQ(read[0].paths.common_dir, moves[0].paths.common_dir);
    EXPECT_EQ(read[0].transitions, moves[0].transitions);
    EXPECT_EQ(read[0].index, moves[0].index);
    EXPECT_EQ(read[0].refs, moves[0].refs);
    EXPECT_EQ(read[0].head_before, moves[0].head_before);
    EXPECT_EQ(read[0].head_after, moves[0].head_after);
    EXPECT_EQ(read[0].reflog_message, moves[0].reflog_message);
    EXPECT_TRUE(read[1].transitions.empty());
    EXPECT_FALSE(read[1].index);
    EXPECT_TRUE(parse_moves(serialize(std::vector<CheckoutMove>{})).empty());
}

TEST(Serialize, JournalRoundTrip) {
    const Journal journal = sample_journal();
    const Journal read = parse_journal(serialize(journal));
    EXPECT_EQ(read.phase, Phase::reversing);
    EXPECT_EQ(read.layouts[0].cleared, journal.layouts[0].cleared);
    EXPECT_EQ(read.layouts[0].ref_locks, journal.layouts[0].ref_locks);
    EXPECT_EQ(read.layouts[0].changed, journal.layouts[0].changed);
    EXPECT_TRUE(read.layouts[0].index_changed);
    EXPECT_EQ(serialize(read), serialize(journal));
}

TEST(Serialize, ReversedTwiceIsTheSame) {
    const auto moves = sample();
    const auto once = reversed(moves[0], "back");
    EXPECT_EQ(once.transitions[0].before, moves[0].transitions[0].after);
    EXPECT_EQ(once.refs[0].before, moves[0].refs[0].after);
    EXPECT_EQ(once.index->after, moves[0].index->before);
    EXPECT_EQ(once.reflog_message, "back");
    EXPECT_EQ(serialize({reversed(once, moves[0].reflog_message)}), serialize({moves[0]}));
}

TEST(Serialize, DamageIsNoticed) {
    for (const std::string& text : {serialize(sample()), serialize(sample_journal())}) {
        const bool is_journal = text.starts_with("git-carry journal");
        const auto parse = [&](const std::string& damaged) {
            if (is_journal)
                parse_journal(damaged);
            else
                parse_moves(damaged);
        };
        EXPECT_NO_THROW(parse(text));
        for (std::size_t size = 0; size < text.size(); ++size)
            EXPECT_THROW(parse(text.substr(0, size)), Error) << size;
        for (std::size_t at = 0; at < text.size(); ++at) {
            std::string damaged = text;
            damaged[at] = static_cast<char>(damaged[at] ^ 1);
            EXPECT_THROW(parse(damaged), Error) << at;
            // with a right checksum it may mean something else, but must not bring the reader down
            try {
                parse(sealed(damaged));
            } catch (const Error&) {
                continue;
            }
        }
        EXPECT_THROW(parse(text + "more\n"), Error);
        EXPECT_THROW(parse("git-carry"), Error);
    }
}

TEST(Serialize, HostileContentIsRefused) {
    const std::string good = serialize(sample());
    EXPECT_NO_THROW(parse_moves(sealed(good)));
    EXPECT_THROW(parse_moves(sealed(replaced(good, "path a\n", "path ../a\n"))), Error);
    EXPECT_THROW(parse_moves(sealed(replaced(good, "path a\n", "path .git/config\n"))), Error);
    EXPECT_THROW(parse_moves(sealed(replaced(good, "path a\n", "path \"a\"\n"))), Error); // another spelling
    EXPECT_THROW(parse_moves(sealed(replaced(good, "path a\n", "path /a\n"))), Error);
    EXPECT_THROW(parse_moves(sealed(replaced(good, "transitions 3\n", "transitions 99999999999999\n"))), Error);
    EXPECT_THROW(parse_moves(sealed(replaced(good, "transitions 3\n", "transitions 03\n"))), Error);
    EXPECT_THROW(parse_moves(sealed(replaced(good, "transitions 3\n", "transitions 2\n"))), Error);
    EXPECT_THROW(parse_moves(sealed(replaced(good, " executable ", " runnable "))), Error);
    EXPECT_THROW(parse_moves(sealed(replaced(good, " 4755 ", " 14755 "))), Error);
    const std::string journal = serialize(sample_journal());
    EXPECT_THROW(parse_journal(sealed(replaced(journal, "path t-0\n", "path ../t-0\n"))), Error);
    EXPECT_THROW(parse_journal(sealed(replaced(journal, "temporaries 3\npath t-0\n", "temporaries 2\n"))), Error);
    EXPECT_THROW(parse_journal(sealed(replaced(journal, "phase reversing", "phase dreaming"))), Error);
}

} // namespace
} // namespace carry::transaction
