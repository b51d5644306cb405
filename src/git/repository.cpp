#include "git/repository.hpp"

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

#include <carry/error.hpp>

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace carry::git {

namespace {

/// "refs/heads/main" -> "main", for people.
std::string short_name(std::string_view ref) {
    for (const std::string_view prefix : {"refs/heads/", "refs/remotes/", "refs/"})
        if (ref.starts_with(prefix))
            return std::string(ref.substr(prefix.size()));
    return std::string(ref);
}

/// A user as `sudo -u` takes it: the name, or #UID where it has none.
std::string user_name(uid_t uid) {
    std::array<char, 16384> buffer{};
    struct passwd entry {};
    struct passwd* found = nullptr;
    if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
        return found->pw_name;
    return "#" + std::to_string(uid);
}

/// Somebody else who owns the working tree or its .git; nothing where both are ours.
std::optional<uid_t> other_owner(const std::filesystem::path& worktree) {
    for (const auto& path : {worktree, worktree / ".git"})
        if (const auto status = lstat_if_exists(path); status && status->st_uid != geteuid())
            return status->st_uid;
    return std::nullopt;
}

Error owned_by(const std::filesystem::path& worktree, uid_t owner) {
    const std::string user = user_name(owner);
    Error error(ErrorKind::refused, quoted(worktree.native()) + " belongs to '" + user + "' (uid " +
                                        std::to_string(owner) + "), not to '" + user_name(geteuid()) + "'");
    error.hint("sudo -u " + shell_quote(user) + " git carry …");
    return error;
}

/// The text between the first two single quotes of what git said.
std::string first_quoted(std::string_view text) {
    const auto begin = text.find('\'');
    const auto end = begin == std::string_view::npos ? begin : text.find('\'', begin + 1);
    return end == std::string_view::npos ? std::string() : std::string(text.substr(begin + 1, end - begin - 1));
}

/// git's refusal to look into a repository that somebody else owns.
Error dubious_ownership(const std::filesystem::path& directory, const ProcessResult& result) {
    std::filesystem::path top = first_quoted(result.error_output);
    if (top.empty())
        top = directory;
    if (top.filename() == ".git")
        top = top.parent_path();
    const auto owner = other_owner(top);
    Error error =
        owner ? owned_by(top, *owner) : Error(ErrorKind::refused, quoted(top.native()) + " is owned by somebody else");
    error.because(words_of(result).substr(0, words_of(result).find('\n')));
    error.hint("git config --global --add safe.directory " + shell_quote(top.native()));
    return error;
}

ProcessResult rev_parse(const std::filesystem::path& directory, const std::vector<std::string>& questions) {
    ProcessSpec spec;
    spec.argv = {"git", "rev-parse"};
    spec.argv.insert(spec.argv.end(), questions.begin(), questions.end());
    spec.environment = {{"LC_ALL", "C"}, {"GIT_OPTIONAL_LOCKS", "0"}};
    spec.directory = directory;
    return run_process(spec);
}

[[noreturn]] void throw_not_usable(const std::filesystem::path& directory, const ProcessResult& result) {
    const auto said = [&](std::string_view words) { return result.error_output.find(words) != std::string::npos; };
    if (said("dubious ownership") || said("is owned by someone else"))
        throw dubious_ownership(directory, result);
    constexpr const char* elsewhere = "git carry -C DIR …   names a working tree";
    const auto answers = split_terminated(result.output, '\n');
    if (!answers.empty() && answers[0] == "true")
        throw Error(ErrorKind::refused, quoted(directory.native()) + " is a bare repository: it has no working tree",
                    {elsewhere});
    if (answers.size() > 1 && answers[1] == "true")
        throw Error(ErrorKind::refused, quoted(directory.native()) + " is inside a git directory, not a working tree",
                    {elsewhere});
    if (said("unknown repository extension") || said("Expected git repo version"))
        throw Error(ErrorKind::refused,
                    quoted(directory.native()) + " is a repository that this git does not know how to read",
                    {"git --version   a newer one may read it"})
            .because(words_of(result));
    throw Error(ErrorKind::refused, quoted(directory.native()) + " is not in a git repository")
        .because(words_of(result))
        .hint(elsewhere);
}

/// The answer of rev-parse to one question; for paths with newlines, which one call for all would mix up.
std::filesystem::path ask_path(const std::filesystem::path& directory, const std::string& question) {
    ProcessResult result = rev_parse(directory, {question});
    if (!result.ok())
        throw_not_usable(directory, result);
    if (result.output.ends_with('\n'))
        result.output.pop_back();
    return result.output;
}

RepositoryPaths find_paths(const std::filesystem::path& directory) {
    const std::vector<std::string> questions = {"--is-bare-repository", "--is-inside-git-dir", "--absolute-git-dir",
                                                "--git-common-dir", "--show-toplevel"};
    const ProcessResult result = rev_parse(directory, questions);
    if (!result.ok())
        throw_not_usable(directory, result);
    RepositoryPaths paths;
    const auto answers = split_terminated(result.output, '\n');
    if (answers.size() == questions.size()) {
        paths = {answers[4], answers[2], answers[3]};
    } else {
        paths = {ask_path(directory, questions[4]), ask_path(directory, questions[2]),
                 ask_path(directory, questions[3])};
    }
    // relative to where rev-parse ran
    paths.common_dir = std::filesystem::canonical(directory / paths.common_dir);
    return paths;
}

Program find_program(const std::filesystem::path& directory) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(directory, error);
    if (error || !std::filesystem::is_directory(absolute, error))
        throw Error(ErrorKind::usage, "there is no directory " + quoted(directory.native()));
    RepositoryPaths paths = find_paths(absolute);
    // safe.directory may let root in, but what root writes there would be root's
    if (geteuid() == 0)
        if (const auto owner = other_owner(paths.worktree))
            throw owned_by(paths.worktree, *owner);
    return Program(std::move(paths));
}

bool is_there(const std::filesystem::path& path) {
    return lstat_if_exists(path).has_value();
}

} // namespace

std::string Head::display() const {
    return branch ? short_name(*branch) : "detached HEAD";
}

std::string Upstream::display() const {
    return short_name(tracking_ref);
}

std::string_view to_string(Operation operation) {
    switch (operation) {
    case Operation::none:
        return "none";
    case Operation::merge:
        return "merge";
    case Operation::rebase:
        return "rebase";
    case Operation::cherry_pick:
        return "cherry-pick";
    case Operation::revert:
        return "revert";
    case Operation::bisect:
        return "bisect";
    case Operation::am:
        return "am";
    case Operation::sequencer:
        return "sequencer";
    }
    return "none";
}

Repository::Repository(Program program)
    : m_program(std::move(program)), m_config(Config::read(m_program)),
      m_capabilities(probe_capabilities(m_program, m_config)) {}

Repository Repository::open(const std::filesystem::path& directory) {
    return Repository(find_program(directory));
}

ObjectStore& Repository::objects() {
    if (!m_store) {
        prepare_object_directory(paths());
        m_store = m_capabilities.libgit2_objects && !m_force_program_store
                      ? open_libgit2_store(paths())
                      : open_program_store(m_program, m_capabilities.object_format);
    }
    return *m_store;
}

TreeReader& Repository::trees() {
    if (!m_trees)
        m_trees = std::make_unique<TreeReader>(objects());
    return *m_trees;
}

namespace {

bool is_id(std::string_view text) {
    return (text.size() == 40 || text.size() == 64) &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// HEAD as the files say it, without a process: a run asks often. Nothing where it takes git to tell (packed, symbolic
/// or reftable refs, an unborn branch).
std::optional<Head> plain_head(const RepositoryPaths& paths) {
    const auto text = read_file_if_exists(paths.git_dir / "HEAD");
    if (!text)
        return std::nullopt;
    const auto line = trim(*text);
    constexpr std::string_view symbolic = "ref: ";
    if (!line.starts_with(symbolic))
        return is_id(line) ? std::optional(Head{std::nullopt, ObjectId::from_hex(line)}) : std::nullopt;
    const std::string branch(trim(line.substr(symbolic.size())));
    if (!branch.starts_with("refs/heads/") || !is_safe_repo_path(branch))
        return std::nullopt;
    const auto value = read_file_if_exists(paths.common_dir / branch);
    if (!value || !is_id(trim(*value)))
        return std::nullopt;
    return Head{branch, ObjectId::from_hex(trim(*value))};
}

} // namespace

Head Repository::head() const {
    if (auto head = plain_head(paths()))
        return std::move(*head);
    // one process where HEAD is a commit that has a plain name; two for an unborn or oddly named branch
    const ProcessResult both = m_program.run({"rev-parse", "HEAD", "--symbolic-full-name", "HEAD"});
    const auto lines = split_terminated(both.output, '\n');
    if (both.ok() && lines.size() == 2 && (lines[1] == "HEAD" || lines[1].starts_with("refs/"))) {
        Head head;
        head.commit = ObjectId::from_hex(lines[0]);
        if (lines[1] != "HEAD")
            head.branch = lines[1];
        return head;
    }
    Head head;
    const ProcessResult symbolic = m_program.run({"symbolic-ref", "-q", "HEAD"});
    if (symbolic.ok())
        head.branch = trim(symbolic.output);
    head.commit = resolve_commit("HEAD").value_or(ObjectId());
    if (!head.branch && head.commit.is_null())
        throw Error(ErrorKind::failed, "cannot read 'HEAD'").because(words_of(both));
    return head;
}

Operation Repository::operation() const {
    const auto& git_dir = paths().git_dir;
    if (is_there(git_dir / "rebase-apply"))
        return is_there(git_dir / "rebase-apply/applying") ? Operation::am : Operation::rebase;
    if (is_there(git_dir / "rebase-merge"))
        return Operation::rebase;
    if (is_there(git_dir / "MERGE_HEAD"))
        return Operation::merge;
    // with reftables these two are refs, not files
    const auto pseudo_ref = [&](const char* name) {
        return is_there(git_dir / name) || (m_capabilities.reftable && read_ref(name));
    };
    if (pseudo_ref("CHERRY_PICK_HEAD"))
        return Operation::cherry_pick;
    if (pseudo_ref("REVERT_HEAD"))
        return Operation::revert;
    if (is_there(git_dir / "sequencer"))
        return Operation::sequencer;
    if (is_there(git_dir / "BISECT_LOG"))
        return Operation::bisect;
    return Operation::none;
}

std::optional<Upstream> Repository::upstream() const {
    const Head current = head();
    if (!current.branch)
        return std::nullopt;
    return upstream_of(*current.branch);
}

std::optional<Upstream> Repository::upstream_of(const std::string& branch) const {
    const std::string text = m_program.output(
        {"for-each-ref", "--format=%(upstream)%00%(upstream:remotename)%00%(upstream:remoteref)", branch});
    const auto fields = split(std::string_view(text).substr(0, text.find('\n')), '\0');
    if (fields.size() != 3 || fields[0].empty())
        return std::nullopt;
    Upstream upstream;
    upstream.tracking_ref = fields[0];
    upstream.remote = fields[1].empty() ? "." : fields[1];
    upstream.merge_ref = fields[2].empty() ? fields[0] : fields[2];
    return upstream;
}

std::vector<std::string> Repository::remotes() const {
    std::vector<std::string> names;
    constexpr std::string_view prefix = "remote.";
    constexpr std::string_view suffix = ".url";
    for (const auto& entry : m_config.with_prefix(prefix)) {
        const std::string_view key = entry.key;
        if (key.size() <= prefix.size() + suffix.size() || !key.ends_with(suffix))
            continue;
        std::string name(key.substr(prefix.size(), key.size() - prefix.size() - suffix.size()));
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(std::move(name));
    }
    return names;
}

std::optional<std::string> Repository::remote_head(const std::string& remote) const {
    const ProcessResult result = m_program.run({"symbolic-ref", "-q", "refs/remotes/" + remote + "/HEAD"});
    if (!result.ok())
        return std::nullopt;
    return std::string(trim(result.output));
}

std::optional<ObjectId> Repository::resolve_commit(const std::string& revision) const {
    if (revision.empty() || revision.starts_with('-'))
        return std::nullopt;
    const ProcessResult result = m_program.run({"rev-parse", "--verify", "-q", revision + "^{commit}"});
    if (!result.ok())
        return std::nullopt;
    return ObjectId::from_hex(trim(result.output));
}

std::optional<std::string> Repository::full_ref_name(const std::string& name) const {
    if (name.empty() || name.starts_with('-'))
        return std::nullopt;
    const ProcessResult result = m_program.run({"rev-parse", "--verify", "-q", "--symbolic-full-name", name});
    std::string full(trim(result.output));
    if (!result.ok() || full.empty())
        return std::nullopt;
    return full;
}

std::optional<ObjectId> Repository::read_ref(const std::string& full_name) const {
    const ProcessResult result = m_program.run({"show-ref", "--verify", "-s", "--", full_name});
    if (!result.ok())
        return std::nullopt;
    return ObjectId::from_hex(trim(result.output));
}

} // namespace carry::git
