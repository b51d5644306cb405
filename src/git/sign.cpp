#include "git/sign.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace carry::git {

namespace {

/// A key on a card may want a touch; nobody may be there to give it.
constexpr std::chrono::seconds time_limit{30};

/// Who and when for git, and no way to ask for a passphrase: gpg's agent may have it, or it fails.
std::vector<std::pair<std::string, std::optional<std::string>>> environment_of(const Commit& commit) {
    const auto author = Signature::parse(commit.author);
    const auto committer = Signature::parse(commit.committer);
    const auto date = [](const Signature& who) { return "@" + std::to_string(who.seconds) + " " + who.zone; };
    return {{"GIT_AUTHOR_NAME", author.name},
            {"GIT_AUTHOR_EMAIL", author.email},
            {"GIT_AUTHOR_DATE", date(author)},
            {"GIT_COMMITTER_NAME", committer.name},
            {"GIT_COMMITTER_EMAIL", committer.email},
            {"GIT_COMMITTER_DATE", date(committer)},
            {"GPG_TTY", std::nullopt},
            {"DISPLAY", std::nullopt},
            {"WAYLAND_DISPLAY", std::nullopt},
            {"SSH_ASKPASS", "false"},
            {"SSH_ASKPASS_REQUIRE", "force"}};
}

std::vector<std::string> command_for(const Commit& commit) {
    std::vector<std::string> args = {
        "-c", "i18n.commitEncoding=" + (commit.encoding.empty() ? std::string("UTF-8") : commit.encoding),
        "commit-tree", "-S", commit.tree.hex()};
    for (const auto& parent : commit.parents) {
        args.emplace_back("-p");
        args.push_back(parent.hex());
    }
    return args;
}

bool is_signature(const std::string& header) {
    return header.starts_with("gpgsig");
}

/// git's first sentence that is not merely "failed to write commit object".
std::string reason_of(const ProcessResult& result) {
    for (auto line : split_terminated(result.error_output, '\n')) {
        if (line.starts_with("error: "))
            line.remove_prefix(std::string_view("error: ").size());
        if (const auto text = trim(line); !text.empty() && !text.starts_with("fatal:"))
            return std::string(text.ends_with(':') ? text.substr(0, text.size() - 1) : text);
    }
    return words_of(result);
}

} // namespace

std::optional<ObjectId> Signer::give_up(std::string reason) {
    m_reason = std::move(reason);
    return std::nullopt;
}

std::optional<ObjectId> Signer::sign(const Commit& commit) {
    if (m_failed)
        return std::nullopt;
    RunOptions options;
    options.private_objects = true;
    options.environment = environment_of(commit);
    options.input = commit.message;
    options.time_limit = time_limit;
    const auto result = m_program.run(command_for(commit), options);
    if (!result.ok()) {
        m_failed = true;
        return give_up(result.stalled
                           ? "the signing program did not answer within " + std::to_string(time_limit.count()) + " s"
                           : reason_of(result));
    }
    const auto id = ObjectId::from_hex(trim(result.output));
    auto made = read_commit(m_store, id);
    const bool is_signed = std::erase_if(made.extra, [](const auto& header) { return is_signature(header.first); }) > 0;
    if (!is_signed || made.serialize() != commit.serialize())
        return give_up("git would change more of it than the signature");
    return id;
}

} // namespace carry::git
