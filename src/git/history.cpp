#include "git/history.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

#include <carry/error.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

namespace carry::git {

namespace {

/// Reads what the plan has written as well, once there is such a directory.
RunOptions reading(const Program& program) {
    RunOptions options;
    options.private_objects = lstat_if_exists(program.paths().carry_objects()).has_value();
    return options;
}

std::string range(const ObjectId& base, const ObjectId& tip) {
    return base.is_null() ? tip.hex() : base.hex() + ".." + tip.hex();
}

/// Output of a command whose exit code 1 means "no".
std::optional<std::string> answer(const Program& program, const std::vector<std::string>& args) {
    ProcessResult result = program.run(args, reading(program));
    if (result.exit_code == 1)
        return std::nullopt;
    if (!result.ok())
        throw Error(ErrorKind::failed, "git " + args.front() + " failed").because(words_of(result));
    return std::move(result.output);
}

std::optional<ObjectId> first_id(const std::optional<std::string>& text) {
    if (!text || trim(*text).empty())
        return std::nullopt;
    return ObjectId::from_hex(trim(std::string_view(*text).substr(0, text->find('\n'))));
}

template <typename Number>
Number number_of(std::string_view text) {
    Number number{};
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// `git log` free of what the user's configuration may add to its output.
std::vector<std::string> log_command(std::string_view format) {
    return {"--literal-pathspecs",
            "-c",
            "log.showSignature=false",
            "-c",
            "log.follow=false",
            "log",
            "--no-color",
            "--encoding=UTF-8",
            "--no-notes",
            "--format=tformat:" + std::string(format)};
}

/// %H, author name, author time, subject: fields that cannot hold a NUL, and none but the last a newline.
constexpr std::string_view info_format = "%H%x00%an%x00%at%x00%s";
constexpr std::size_t info_fields = 4;

CommitInfo parse_info(const std::vector<std::string_view>& fields) {
    if (fields.size() < info_fields)
        throw Error(ErrorKind::failed, "cannot read what git log says");
    CommitInfo info;
    info.id = ObjectId::from_hex(fields[0]);
    info.author = fields[1];
    info.date = number_of<std::int64_t>(fields[2]);
    info.subject = fields[3];
    return info;
}

/// Takes fields that end in a terminator from the front of a text.
class Cursor {
public:
    explicit Cursor(std::string_view text) : m_text(text) {}
    [[nodiscard]] bool at_end() const { return m_text.empty(); }
    [[nodiscard]] bool at(char byte) const { return m_text.starts_with(byte); }
    void skip(char byte) {
        if (at(byte))
            m_text.remove_prefix(1);
    }
    std::string_view field() {
        const auto end = m_text.find('\0');
        if (end == std::string_view::npos)
            throw Error(ErrorKind::failed, "git's output ends too early");
        const auto text = m_text.substr(0, end);
        m_text.remove_prefix(end + 1);
        return text;
    }

private:
    std::string_view m_text;
};

/// ":100644 100755 OLD NEW M", or "R095".
struct RawRecord {
    std::optional<TreeEntry> before;
    std::optional<TreeEntry> after;
    std::string_view status;
};

RawRecord parse_raw(std::string_view text) {
    constexpr std::size_t expected = 5;
    const auto fields = split(text.substr(1), ' ');
    if (fields.size() != expected)
        throw Error(ErrorKind::failed, "cannot read git's raw difference").because(std::string(text));
    const auto entry = [](std::string_view mode_text, std::string_view id) -> std::optional<TreeEntry> {
        std::uint32_t mode = 0;
        std::from_chars(mode_text.data(), mode_text.data() + mode_text.size(), mode, 8);
        if (mode == 0)
            return std::nullopt;
        return TreeEntry{mode, ObjectId::from_hex(id)};
    };
    return {entry(fields[0], fields[2]), entry(fields[1], fields[3]), fields[4]};
}

/// Path limits: through standard input as far as its lines can hold them, else as arguments.
void add_paths(std::vector<std::string>& args, RunOptions& options, const std::vector<std::string>& paths) {
    options.input += "--\n";
    args.emplace_back("--");
    for (const auto& path : paths) {
        if (path.find('\n') != std::string::npos || path.ends_with('\r'))
            args.push_back(path);
        else
            options.input += path + "\n";
    }
}

/// The larger of the limit that is safe to run unattended and what the user has set.
std::string rename_limit(const Program& program) {
    std::int64_t limit = 10000;
    const ProcessResult result =
        program.run({"config", "-z", "--type=int", "--get-regexp", "^(diff|merge)\\.renamelimit$"});
    for (const auto entry : split_terminated(result.output, '\0')) {
        const auto newline = entry.find('\n');
        if (newline != std::string_view::npos)
            limit = std::max(limit, number_of<std::int64_t>(entry.substr(newline + 1)));
    }
    return "-l" + std::to_string(std::min<std::int64_t>(limit, 1000000));
}

} // namespace

std::optional<ObjectId> merge_base(const Program& program, const ObjectId& a, const ObjectId& b) {
    return first_id(answer(program, {"merge-base", a.hex(), b.hex()}));
}

std::optional<ObjectId> fork_point(const Program& program, const std::string& ref, const ObjectId& commit) {
    // a ref that is gone is no help either
    if (!program.run({"show-ref", "--verify", "-q", "--", ref}).ok())
        return std::nullopt;
    return first_id(answer(program, {"merge-base", "--fork-point", ref, commit.hex()}));
}

bool is_ancestor(const Program& program, const ObjectId& ancestor, const ObjectId& descendant) {
    return answer(program, {"merge-base", "--is-ancestor", ancestor.hex(), descendant.hex()}).has_value();
}

std::vector<RangeCommit> commits_between(const Program& program, const ObjectId& base, const ObjectId& tip) {
    const std::string text =
        program.output({"rev-list", "--topo-order", "--reverse", "--parents", range(base, tip)}, reading(program));
    std::vector<RangeCommit> commits;
    for (const auto line : split_terminated(text, '\n')) {
        RangeCommit commit;
        for (const auto id : split(line, ' ')) {
            if (commit.id.is_null())
                commit.id = ObjectId::from_hex(id);
            else
                commit.parents.push_back(ObjectId::from_hex(id));
        }
        commits.push_back(std::move(commit));
    }
    return commits;
}

std::size_t count_between(const Program& program, const ObjectId& base, const ObjectId& tip) {
    return number_of<std::size_t>(program.line({"rev-list", "--count", range(base, tip)}, reading(program)));
}

CommitInfo describe_commit(const Program& program, const ObjectId& id) {
    const auto commits = recent_commits(program, id, 1);
    if (commits.empty())
        throw Error(ErrorKind::failed, "cannot read commit '" + id.hex() + "'");
    return commits.front();
}

std::vector<CommitInfo> recent_commits(const Program& program, const ObjectId& tip, std::size_t count) {
    auto args = log_command(info_format);
    for (std::string arg : {std::string("-s"), "-n" + std::to_string(count), tip.hex(), std::string("--")})
        args.push_back(std::move(arg));
    const std::string text = program.output(args, reading(program));
    std::vector<CommitInfo> commits;
    for (const auto line : split_terminated(text, '\n'))
        commits.push_back(parse_info(split(line, '\0')));
    return commits;
}

std::vector<ObjectId> newest_on_remote(const Program& program, const ObjectId& tip, const std::string& remote) {
    const std::string text =
        program.output({"rev-list", "--boundary", tip.hex(), "--not", "--remotes=" + remote}, reading(program));
    if (trim(text).empty())
        return {tip};
    std::vector<ObjectId> commits;
    for (const auto line : split_terminated(text, '\n'))
        if (line.starts_with('-'))
            commits.push_back(ObjectId::from_hex(line.substr(1)));
    return commits;
}

std::vector<std::string> worktrees_on(const Program& program, const std::string& branch) {
    const std::string text = program.output({"worktree", "list", "--porcelain"});
    constexpr std::string_view path_label = "worktree ";
    constexpr std::string_view branch_label = "branch ";
    const auto is_other = [&](const std::string& path) { // not by name: links may lead to this one
        std::error_code error;
        return std::filesystem::exists(path, error) &&
               !std::filesystem::equivalent(path, program.paths().worktree, error) && !error;
    };
    std::vector<std::string> found;
    std::string path;
    for (const auto line : split_terminated(text, '\n')) {
        if (line.starts_with(path_label))
            path = line.substr(path_label.size());
        else if (line.starts_with(branch_label) && line.substr(branch_label.size()) == branch && is_other(path))
            found.push_back(path);
    }
    return found;
}

std::vector<ReflogEntry> reflog(const Program& program, const std::string& ref) {
    auto args = log_command("%H%x00%gs");
    for (const char* arg : {"-s", "-g", "-n200"})
        args.emplace_back(arg);
    args.push_back(ref);
    args.emplace_back("--");
    const ProcessResult result = program.run(args);
    std::vector<ReflogEntry> entries;
    if (!result.ok())
        return entries;
    for (const auto line : split_terminated(result.output, '\n')) {
        const auto end = line.find('\0');
        if (end != std::string_view::npos)
            entries.push_back({ObjectId::from_hex(line.substr(0, end)), std::string(line.substr(end + 1))});
    }
    return entries;
}

std::vector<std::string> committers_between(const Program& program, const ObjectId& base, const ObjectId& tip) {
    auto args = log_command("%ce");
    for (std::string arg : {std::string("-s"), range(base, tip), std::string("--")})
        args.push_back(std::move(arg));
    const std::string text = program.output(args, reading(program));
    std::vector<std::string> mails;
    for (const auto line : split_terminated(text, '\n'))
        mails.emplace_back(line);
    return mails;
}

bool CommitTree::empty() const {
    constexpr std::string_view of_sha1 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    constexpr std::string_view of_sha256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
    return tree.hex() == of_sha1 || tree.hex() == of_sha256;
}

std::vector<CommitTree> trees_of_history(const Program& program, const ObjectId& tip) {
    auto args = log_command("%H %T");
    for (std::string arg : {std::string("-s"), std::string("-n10000"), tip.hex(), std::string("--")})
        args.push_back(std::move(arg));
    const std::string text = program.output(args, reading(program));
    std::vector<CommitTree> commits;
    for (const auto line : split_terminated(text, '\n')) {
        const auto blank = line.find(' ');
        commits.push_back({ObjectId::from_hex(line.substr(0, blank)), ObjectId::from_hex(line.substr(blank + 1))});
    }
    return commits;
}

std::vector<PathChange> path_history(const Program& program, const ObjectId& base, const ObjectId& tip,
                                     const std::vector<std::string>& paths) {
    std::vector<PathChange> changes;
    if (paths.empty())
        return changes;
    auto args = log_command("%x01%H%x00%an%x00%at%x00%s%x00%P");
    for (const char* arg :
         {"--topo-order", "--reverse", "-m", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff"})
        args.emplace_back(arg);
    args.emplace_back("--stdin");
    args.push_back(range(base, tip));
    RunOptions options = reading(program);
    add_paths(args, options, paths);
    const std::string text = program.output(args, options);

    // a commit: \1, five fields, a newline where differences follow, then pairs of a raw record and its path
    Cursor cursor(text);
    while (!cursor.at_end()) {
        cursor.skip('\1');
        std::vector<std::string_view> fields;
        while (fields.size() < info_fields)
            fields.push_back(cursor.field());
        const CommitInfo commit = parse_info(fields);
        const bool merge = cursor.field().find(' ') != std::string_view::npos;
        cursor.skip('\n');
        while (cursor.at(':')) {
            RawRecord record = parse_raw(cursor.field());
            changes.push_back({commit, merge, std::string(cursor.field()), record.before, record.after});
        }
    }
    return changes;
}

std::vector<Rename> find_renames(const Program& program, const ObjectId& before, const ObjectId& after,
                                 bool private_objects) {
    RunOptions options;
    options.private_objects = private_objects;
    const std::string text = program.output({"diff-tree", "-r", "-M", rename_limit(program), "--diff-filter=R", "--raw",
                                             "-z", "--no-abbrev", "--no-commit-id", before.hex(), after.hex()},
                                            options);
    std::vector<Rename> renames;
    Cursor cursor(text);
    while (!cursor.at_end()) {
        const RawRecord record = parse_raw(cursor.field());
        Rename rename;
        rename.similarity = number_of<int>(record.status.substr(1));
        rename.from = cursor.field();
        rename.to = cursor.field();
        renames.push_back(std::move(rename));
    }
    return renames;
}

} // namespace carry::git
