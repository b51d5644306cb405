#include "git/fetch.hpp"

#include "base/text.hpp"

#include <carry/error.hpp>

#include <array>

namespace carry::git {

namespace {

/// Options of git itself for talking to a remote that nobody watches.
std::vector<std::string> unattended(const Repository& repository, std::chrono::seconds stall_timeout) {
    std::vector<std::string> args;
    const auto set_unless_configured = [&](const char* key, const std::string& value) {
        if (repository.config().get(key))
            return;
        args.emplace_back("-c");
        args.push_back(std::string(key) + "=" + value);
    };
    // GIT_SSH_COMMAND goes before this setting by git's own rule; GIT_SSH would not, so the shell looks at it.
    set_unless_configured("core.sshCommand",
                          "if test -n \"$GIT_SSH\"; then exec \"$GIT_SSH\" \"$@\"; fi; exec ssh -oBatchMode=yes");
    if (stall_timeout.count() > 0) {
        set_unless_configured("http.lowSpeedLimit", "1");
        set_unless_configured("http.lowSpeedTime", std::to_string(stall_timeout.count()));
    }
    return args;
}

/// Turns standard error, as it arrives, into one Progress a line; git ends its percentages with a carriage return.
class ProgressLines {
public:
    explicit ProgressLines(const ProgressCallback& progress) : m_progress(progress) {}

    void take(std::string_view piece) {
        for (const char byte : piece) {
            if (byte != '\r' && byte != '\n') {
                m_line += byte;
                continue;
            }
            if (const auto text = trim(m_line); m_progress && !text.empty())
                m_progress({"fetch", std::string(text)});
            m_line.clear();
        }
    }

private:
    const ProgressCallback& m_progress;
    std::string m_line;
};

/// What git says, and what helps; the first that matches.
struct KnownFailure {
    std::string_view words;
    std::string_view hint;
};
constexpr std::array<KnownFailure, 7> known_failures = {{
    {"could not read Username", "configure credentials that need no terminal: git help credentials"},
    {"terminal prompts disabled", "configure credentials that need no terminal: git help credentials"},
    {"Permission denied (publickey", "give ssh a key that needs no passphrase, or an agent: ssh-add"},
    {"Host key verification failed", "connect once by hand to accept the host key: git fetch"},
    {"Could not resolve host", "git carry upgrade --offline   works with what was fetched before"},
    {"unable to access", "git carry upgrade --offline   works with what was fetched before"},
    {"timed out", "git carry upgrade --offline   works with what was fetched before"},
}};

/// git's words without the progress that went before them.
std::string last_words(const ProcessResult& result) {
    std::vector<std::string> kept;
    for (const auto line : split_terminated(result.error_output, '\n')) {
        // of what was overwritten on a terminal only the last is seen
        const auto text = trim(line.substr(line.rfind('\r', line.size() - 1) + 1));
        const bool counts = text.find("% (") != std::string_view::npos || text.starts_with("remote: Enumerating");
        if (!text.empty() && !counts)
            kept.emplace_back(text);
    }
    if (kept.empty())
        return "exit code " + std::to_string(result.exit_code);
    return join(kept, "\n");
}

/// Refs that git did not move: " ! [rejected]        main       -> origin/main  (non-fast-forward)".
struct Rejections {
    bool tags_only = true; ///< tags that are here already with another value: nothing that an upgrade needs
    std::string first;
    [[nodiscard]] bool any() const { return !first.empty(); }
};

Rejections find_rejections(std::string_view error_output) {
    Rejections found;
    for (const auto raw : split_terminated(error_output, '\n')) {
        const auto line = trim(raw);
        if (!line.starts_with("! ["))
            continue;
        if (found.first.empty() || found.tags_only)
            found.first = line;
        if (line.find("would clobber existing tag") == std::string_view::npos)
            found.tags_only = false;
    }
    return found;
}

bool has_hard_failure(std::string_view error_output) {
    for (const auto line : split_terminated(error_output, '\n'))
        if (line.starts_with("fatal: ") || line.starts_with("error: "))
            return true;
    return false;
}

constexpr std::string_view missing_branch = "couldn't find remote ref";

/// Names of refs that git could not write because others are in their way; none where something else failed too.
std::vector<std::string> refs_not_written(std::string_view error_output) {
    constexpr std::string_view arrow = " -> ";
    std::vector<std::string> names;
    for (const auto raw : split_terminated(error_output, '\n')) {
        const auto line = trim(raw.substr(raw.rfind('\r', raw.size() - 1) + 1));
        const bool known = line.starts_with("error: cannot lock ref") || line.starts_with("error: some local refs");
        if (line.starts_with("fatal: ") || (line.starts_with("error: ") && !known))
            return {};
        if (!line.starts_with("! ["))
            continue;
        const auto at = line.find(arrow);
        if (at == std::string_view::npos || line.find("(unable to update local ref)") == std::string_view::npos)
            return {};
        const auto name = line.substr(at + arrow.size());
        names.emplace_back(name.substr(0, name.find(' ')));
    }
    return names;
}

Error cannot_fetch(const FetchRequest& request, const ProcessResult& result) {
    Error error(ErrorKind::failed, "cannot fetch from " + quoted(request.remote));
    if (result.stalled) {
        error.because("nothing was heard for " + std::to_string(request.stall_timeout.count()) + " s");
        error.hint("git carry upgrade --offline   works with what was fetched before");
        return error;
    }
    error.because(last_words(result));
    if (const auto rejections = find_rejections(result.error_output); rejections.any() && !rejections.tags_only) {
        error.hint("a refspec that begins with '+' lets a rewritten upstream in: git config --get-all remote." +
                   request.remote + ".fetch");
        return error;
    }
    for (const auto& known : known_failures) {
        if (result.error_output.find(known.words) == std::string::npos)
            continue;
        error.hint(std::string(known.hint));
        return error;
    }
    error.hint("git remote get-url " + shell_quote(request.remote));
    return error;
}

} // namespace

FetchOutcome fetch(const Repository& repository, const FetchRequest& request, const ProgressCallback& progress) {
    auto args = unattended(repository, request.stall_timeout);
    for (const char* arg : {"fetch", "--no-prune", "--no-auto-maintenance", "--no-write-fetch-head",
                            "--no-recurse-submodules", "--progress"})
        args.emplace_back(arg);
    args.emplace_back("--");
    args.push_back(request.remote);
    if (!request.extra_refspecs.empty()) {
        // refspecs on the command line stand in for the configured ones
        const auto configured = repository.config().get_all("remote." + request.remote + ".fetch");
        if (!request.only_extra)
            args.insert(args.end(), configured.begin(), configured.end());
        args.insert(args.end(), request.extra_refspecs.begin(), request.extra_refspecs.end());
    }
    if (progress)
        progress({"fetch", ""});
    ProgressLines lines(progress);
    RunOptions options;
    options.stall_timeout = request.stall_timeout;
    options.on_error_output = [&](std::string_view piece) { lines.take(piece); };
    const ProcessResult result = repository.program().run(args, options);
    FetchOutcome outcome;
    if (result.ok())
        return outcome;
    outcome.branch_missing = !result.stalled && result.error_output.find(missing_branch) != std::string::npos;
    if (outcome.branch_missing && !request.only_extra)
        return outcome;
    // a tag that upstream moved stays as it is here; git calls that a failure, but all branches have arrived
    const auto rejections = find_rejections(result.error_output);
    if (!result.stalled && rejections.any() && rejections.tags_only && !has_hard_failure(result.error_output))
        return outcome;
    outcome.failed = refs_not_written(result.error_output);
    if (!result.stalled && !outcome.failed.empty())
        return outcome;
    throw cannot_fetch(request, result);
}

namespace {

/// Lines of `git ls-remote OPTIONS REMOTE PATTERN`.
std::string ls_remote(const Repository& repository, const std::string& remote, const std::vector<std::string>& options,
                      const std::vector<std::string>& patterns) {
    const FetchRequest request{remote};
    auto args = unattended(repository, request.stall_timeout);
    args.emplace_back("ls-remote");
    args.insert(args.end(), options.begin(), options.end());
    args.emplace_back("--");
    args.push_back(remote);
    args.insert(args.end(), patterns.begin(), patterns.end());
    RunOptions run_options;
    run_options.stall_timeout = request.stall_timeout;
    ProcessResult result = repository.program().run(args, run_options);
    if (!result.ok())
        throw cannot_fetch(request, result);
    return std::move(result.output);
}

} // namespace

std::optional<ObjectId> remote_ref(const Repository& repository, const std::string& remote, const std::string& ref) {
    const auto output = ls_remote(repository, remote, {}, {ref});
    for (const auto line : split_terminated(output, '\n')) {
        const auto tab = line.find('\t');
        // the name is a pattern for git: it matches the end of longer names too
        if (tab != std::string_view::npos && line.substr(tab + 1) == ref)
            return ObjectId::from_hex(line.substr(0, tab));
    }
    return std::nullopt;
}

RemoteState remote_state(const Repository& repository, const std::string& remote, const std::string& ref) {
    constexpr std::string_view prefix = "ref: ";
    const auto output = ls_remote(repository, remote, {"--symref"}, {"HEAD", ref});
    RemoteState state;
    for (const auto line : split_terminated(output, '\n')) {
        const auto tab = line.find('\t');
        if (tab == std::string_view::npos)
            continue;
        const auto name = line.substr(tab + 1);
        if (line.starts_with(prefix) && name == "HEAD")
            state.default_branch = line.substr(prefix.size(), tab - prefix.size());
        else if (!line.starts_with(prefix) && name == ref)
            state.has_ref = true;
    }
    return state;
}

} // namespace carry::git
