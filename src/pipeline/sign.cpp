#include "pipeline/sign.hpp"

#include "base/text.hpp"
#include "git/sign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace carry::pipeline {

namespace {

bool wants_signatures(const git::Repository& repository) {
    return repository.config().get_bool("commit.gpgsign").value_or(false);
}

bool has_signature(const git::Commit& commit) {
    return std::any_of(commit.extra.begin(), commit.extra.end(),
                       [](const auto& header) { return header.first.starts_with("gpgsig"); });
}

/// Signs one commit after the other, and counts.
class Signing {
public:
    explicit Signing(git::Repository& repository)
        : m_repository(repository), m_signer(repository.program(), repository.objects()) {}

    git::ObjectId write(const git::Commit& commit) {
        if (const auto id = m_signer.sign(commit))
            return *id;
        ++m_unsigned;
        return m_repository.objects().write(git::ObjectType::commit, commit.serialize());
    }

    void warn(std::vector<Warning>& warnings) const {
        if (m_unsigned > 0)
            warnings.push_back(
                {"unsigned", "",
                 fmt::format("commit.gpgsign is set, and {} not signed: {}",
                             m_unsigned == 1 ? "one new commit is" : fmt::format("{} new commits are", m_unsigned),
                             escape_terminal(m_signer.reason()))});
    }

private:
    git::Repository& m_repository;
    git::Signer m_signer;
    std::size_t m_unsigned = 0;
};

void sign_new_commits(git::Repository& repository, merge::RebasedChain& chain, std::vector<Warning>& warnings) {
    Signing signing(repository);
    std::map<git::ObjectId, git::ObjectId> signed_as;
    for (auto& link : chain.links) {
        if (link.new_commit.is_null() || link.new_commit == link.link.commit)
            continue;
        auto commit = git::read_commit(repository.objects(), link.new_commit);
        for (auto& parent : commit.parents)
            if (const auto found = signed_as.find(parent); found != signed_as.end())
                parent = found->second;
        const auto id = signing.write(commit);
        signed_as[link.new_commit] = id;
        link.new_commit = id;
    }
    if (const auto found = signed_as.find(chain.head); found != signed_as.end())
        chain.head = found->second;
    signing.warn(warnings);
}

void warn_of_lost_signatures(git::Repository& repository, const merge::RebasedChain& chain,
                             std::vector<Warning>& warnings) {
    const auto lost = std::count_if(chain.links.begin(), chain.links.end(), [&](const merge::LinkOutcome& link) {
        return !link.new_commit.is_null() && link.new_commit != link.link.commit && link.link.merge_parents.empty() &&
               has_signature(git::read_commit(repository.objects(), link.link.commit));
    });
    if (lost > 0)
        warnings.push_back(
            {"unsigned", "",
             fmt::format("{} signed, and the signature went with the rebase (git config commit.gpgsign "
                         "true signs anew)",
                         lost == 1 ? "one rebased commit was" : fmt::format("{} rebased commits were", lost))});
}

} // namespace

void sign_chain(Workspace& workspace, merge::RebasedChain& chain, std::vector<Warning>& warnings) {
    auto& repository = workspace.repository();
    if (wants_signatures(repository))
        sign_new_commits(repository, chain, warnings);
    else
        warn_of_lost_signatures(repository, chain, warnings);
}

git::ObjectId write_signed(Workspace& workspace, const git::Commit& commit, std::vector<Warning>& warnings) {
    auto& repository = workspace.repository();
    if (!wants_signatures(repository))
        return repository.objects().write(git::ObjectType::commit, commit.serialize());
    Signing signing(repository);
    const auto id = signing.write(commit);
    signing.warn(warnings);
    return id;
}

} // namespace carry::pipeline
