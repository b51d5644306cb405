#include "pipeline/unseen_edits.hpp"

#include "base/text.hpp"
#include "git/attributes.hpp"
#include "git/convert.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace carry::pipeline {

namespace {

using Suspects = std::map<std::string, git::TreeEntry>; ///< path -> what is tracked

Suspects suspects(git::Repository& repository, const snapshot::Snapshot& snapshot,
                  const std::vector<transaction::Transition>& transitions) {
    Suspects found;
    for (const auto& transition : transitions) {
        if (transition.before.kind == transaction::FileKind::absent || snapshot.stamps.contains(transition.path))
            continue;
        const auto entry = repository.trees().find(snapshot.unstaged_tree, transition.path);
        if (entry && (entry->is_regular() || entry->is_link()) && entry->id != transition.before.content)
            found.emplace(transition.path, *entry);
    }
    return found;
}

std::vector<std::string> names(const Suspects& suspects) {
    std::vector<std::string> paths;
    for (const auto& [path, entry] : suspects)
        paths.push_back(path);
    return paths;
}

/// What git would store of the file is what is tracked.
void drop_converted(const git::Repository& repository, Suspects& suspects) {
    for (const auto& [path, id] : git::hash_worktree_files(repository.program(), names(suspects)))
        if (const auto found = suspects.find(path); found != suspects.end() && found->second.id == id)
            suspects.erase(found);
}

void drop_filtered(const git::Repository& repository, Suspects& suspects) {
    for (const auto& [path, attributes] : git::check_attributes(repository.program(), {"filter"}, names(suspects)))
        if (const auto& filter = attributes.at("filter"); filter != "unspecified" && filter != "unset")
            suspects.erase(path);
}

std::string without_carriage_returns(std::string text) {
    std::erase(text, '\r');
    return text;
}

} // namespace

void refuse_unseen_edits(git::Repository& repository, const snapshot::Snapshot& snapshot,
                         const std::vector<transaction::Transition>& transitions) {
    auto left = suspects(repository, snapshot, transitions);
    if (left.empty())
        return;
    drop_filtered(repository, left);
    drop_converted(repository, left);
    auto& objects = repository.objects();
    for (const auto& transition : transitions) {
        const auto suspect = left.find(transition.path);
        if (suspect == left.end())
            continue;
        const auto on_disk =
            without_carriage_returns(objects.require(transition.before.content, git::ObjectType::blob));
        const auto tracked = without_carriage_returns(objects.require(suspect->second.id, git::ObjectType::blob));
        if (on_disk != tracked)
            throw Error(
                ErrorKind::refused,
                fmt::format("{} holds an edit that git status does not show", quoted(transition.path)),
                {"run the command again   if it was written just now",
                 fmt::format("touch {}   makes git look at it again (and git config core.fsmonitor false   where a "
                             "monitor missed it)",
                             shell_quote(transition.path))});
    }
}

} // namespace carry::pipeline
