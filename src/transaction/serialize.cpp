#include "base/directory.hpp"
#include "base/text.hpp"
#include "transaction/lines.hpp"
#include "transaction/transition.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <limits>

namespace carry::transaction {
namespace {

constexpr std::string_view record_header = "git-carry transaction 1";

std::string id_text(const git::ObjectId& id) {
    return id.is_null() ? "-" : id.hex();
}

std::string_view kind_text(FileKind kind) {
    switch (kind) {
    case FileKind::absent:
        return "absent";
    case FileKind::regular:
        return "regular";
    case FileKind::link:
        return "link";
    }
    return "absent";
}

void write_state(LineWriter& out, std::string_view key, const FileState& state) {
    std::string text = fmt::format("{} {} {}", kind_text(state.kind), id_text(state.content),
                                   state.executable ? "executable" : "plain");
    if (!state.metadata) {
        out.value(key, text + " kept");
        return;
    }
    const Metadata& metadata = *state.metadata;
    text += fmt::format(" {:o} {} {} {}", metadata.mode, metadata.uid, metadata.gid, metadata.xattrs.size());
    out.value(key, text);
    for (const auto& [name, value] : metadata.xattrs) {
        out.text("xattr", name);
        out.value("value", "x" + to_hex(value));
    }
}

void write_move(LineWriter& out, const CheckoutMove& move) {
    out.text("worktree", move.paths.worktree.native());
    out.text("git-dir", move.paths.git_dir.native());
    out.text("common-dir", move.paths.common_dir.native());
    out.text("reflog-message", move.reflog_message);
    out.text("head-before", move.head_before);
    out.text("head-after", move.head_after);
    if (move.index) {
        out.value("index", id_text(move.index->before) + " " + id_text(move.index->after));
        out.number("time-before", move.index->before_time);
        out.number("time-after", move.index->after_time);
    } else
        out.value("index", "unchanged");
    out.number("refs", move.refs.size());
    for (const auto& ref : move.refs) {
        out.text("ref", ref.name);
        out.value("moves", id_text(ref.before) + " " + id_text(ref.after));
    }
    for (const auto* directories : {&move.made_directories, &move.dropped_directories}) {
        out.number("directories", directories->size());
        for (const auto& directory : *directories)
            out.text("directory", directory);
    }
    out.number("transitions", move.transitions.size());
    for (const auto& transition : move.transitions) {
        out.text("path", transition.path);
        write_state(out, "before", transition.before);
        write_state(out, "after", transition.after);
    }
}

git::ObjectId parse_id(const LineReader& in, std::string_view text) {
    if (text == "-")
        return {};
    try {
        return git::ObjectId::from_hex(text);
    } catch (const Error& error) {
        in.fail(error.message());
    }
}

std::pair<git::ObjectId, git::ObjectId> parse_id_pair(const LineReader& in, std::string_view text) {
    const auto words = split(text, ' ');
    if (words.size() != 2)
        in.fail("two object ids are expected");
    return {parse_id(in, words[0]), parse_id(in, words[1])};
}

FileKind parse_kind(const LineReader& in, std::string_view text) {
    for (const FileKind kind : {FileKind::absent, FileKind::regular, FileKind::link}) {
        if (text == kind_text(kind))
            return kind;
    }
    in.fail("there is no kind of file " + quoted(text));
}

std::uint32_t parse_word(const LineReader& in, std::string_view text, int base = 10) {
    std::uint64_t number = 0;
    if (!parse_number(text, number, base) || number > std::numeric_limits<std::uint32_t>::max())
        in.fail(quoted(text) + " is not a number that may stand there");
    return static_cast<std::uint32_t>(number);
}

Metadata parse_metadata(LineReader& in, const std::vector<std::string_view>& words) {
    Metadata metadata;
    metadata.mode = parse_word(in, words[3], 8);
    metadata.uid = parse_word(in, words[4]);
    metadata.gid = parse_word(in, words[5]);
    if (metadata.mode > 07777)
        in.fail("a mode has more than permission bits");
    for (std::uint32_t left = parse_word(in, words[6]); left > 0; --left) {
        std::string name = in.text("xattr");
        const std::string_view hex = in.value("value");
        std::string bytes;
        if (!hex.starts_with('x') || !from_hex(hex.substr(1), bytes))
            in.fail("an extended attribute is not hexadecimal");
        metadata.xattrs.emplace_back(std::move(name), std::move(bytes));
    }
    return metadata;
}

FileState parse_state(LineReader& in, std::string_view key) {
    const auto words = split(in.value(key), ' ');
    if (words.size() != 4 && words.size() != 7)
        in.fail("a file state has 4 or 7 words");
    FileState state;
    state.kind = parse_kind(in, words[0]);
    state.content = parse_id(in, words[1]);
    state.executable = words[2] == "executable";
    if (words.size() == 7)
        state.metadata = parse_metadata(in, words);
    return state;
}

CheckoutMove parse_move(LineReader& in) {
    CheckoutMove move;
    move.paths.worktree = in.text("worktree");
    move.paths.git_dir = in.text("git-dir");
    move.paths.common_dir = in.text("common-dir");
    move.reflog_message = in.text("reflog-message");
    move.head_before = in.text("head-before");
    move.head_after = in.text("head-after");
    if (const std::string_view index = in.value("index"); index != "unchanged") {
        const auto [before, after] = parse_id_pair(in, index);
        const auto before_time = in.number("time-before");
        move.index = IndexMove{before, after, before_time, in.number("time-after")};
    }
    for (std::uint64_t left = in.number("refs"); left > 0; --left) {
        std::string name = in.text("ref");
        const auto [before, after] = parse_id_pair(in, in.value("moves"));
        move.refs.push_back({std::move(name), before, after});
    }
    for (auto* directories : {&move.made_directories, &move.dropped_directories}) {
        for (std::uint64_t left = in.number("directories"); left > 0; --left) {
            directories->push_back(in.text("directory"));
            if (!is_safe_repo_path(directories->back()))
                in.fail(quoted(directories->back()) + " may not stand in a worktree");
        }
    }
    for (std::uint64_t left = in.number("transitions"); left > 0; --left) {
        std::string path = in.text("path");
        if (!is_safe_repo_path(path))
            in.fail(quoted(path) + " may not stand in a worktree");
        FileState before = parse_state(in, "before");
        FileState after = parse_state(in, "after");
        move.transitions.push_back({std::move(path), std::move(before), std::move(after)});
    }
    return move;
}

} // namespace

std::string serialize(const std::vector<CheckoutMove>& moves) {
    LineWriter out(record_header);
    out.number("checkouts", moves.size());
    for (const auto& move : moves)
        write_move(out, move);
    return out.finish();
}

std::vector<CheckoutMove> parse_moves(std::string_view text) {
    LineReader in(text, record_header, "transaction record");
    std::vector<CheckoutMove> moves;
    for (std::uint64_t left = in.number("checkouts"); left > 0; --left)
        moves.push_back(parse_move(in));
    in.end();
    // whatever another spelling could mean, we did not write it
    if (serialize(moves) != text)
        in.fail("it is not written as git-carry writes it");
    return moves;
}

} // namespace carry::transaction
