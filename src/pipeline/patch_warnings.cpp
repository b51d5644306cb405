#include "pipeline/patch_warnings.hpp"

#include "base/text.hpp"
#include "merge/entry_merge.hpp"
#include "merge/warnings.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace carry::pipeline {

using merge::PathOutcome;

void warn_of_suspicious(Workspace& workspace, Report& report, const PathOutcome& outcome) {
    const auto& [base, local, upstream, merged] =
        std::tie(outcome.base, outcome.local, outcome.upstream, outcome.merged);
    for (const auto& entry : {base, local, upstream, merged})
        if (!entry || !entry->is_regular())
            return;
    if (outcome.binary || base->id == upstream->id || merged->id == upstream->id)
        return;
    auto& store = workspace.repository().objects();
    const auto bytes = [&](const git::TreeEntry& entry) { return store.require(entry.id, git::ObjectType::blob); };
    const merge::TextMerge text{true, bytes(*merged), outcome.hunks};
    for (const auto& warning : merge::suspicious(bytes(*base), bytes(*upstream), bytes(*local), text))
        report.warnings.push_back({warning.kind, workspace.shown(outcome.new_path),
                                   fmt::format("line {}: {}", warning.line, escape_terminal(warning.message))});
}

void warn_of_elsewhere(Workspace& workspace, Report& report, merge::UpstreamAdditions& additions,
                       const PathOutcome& outcome) {
    if (!outcome.merged || !outcome.local || !outcome.local->is_regular() || outcome.fate == Fate::absorbed)
        return;
    const auto warn = [&](const char* kind, std::string message) {
        report.warnings.push_back({kind, quote_path(outcome.new_path), std::move(message)});
    };
    if (!outcome.base)
        if (const auto path = additions.find_file(outcome.local->id, outcome.new_path)) {
            warn("duplicate-file", fmt::format("upstream has this very file as {} now", quoted(quote_path(*path))));
            return;
        }
    if (outcome.binary || outcome.hunks.empty())
        return;
    const auto bytes = workspace.repository().objects().require(outcome.local->id, git::ObjectType::blob);
    const auto lines = split_lines(bytes);
    for (const auto& hunk : outcome.hunks) {
        if (hunk.fate == Fate::absorbed || !hunk.result || hunk.local.end() > lines.size())
            continue;
        const auto first = lines.begin() + static_cast<std::ptrdiff_t>(hunk.local.start);
        const std::vector<std::string_view> block(first, first + static_cast<std::ptrdiff_t>(hunk.local.count));
        if (const auto place = additions.find_block(block, outcome.new_path))
            warn("duplicate-block",
                 fmt::format("line {}: {} stands twice now: upstream has {} in {} at line {}", hunk.result->start + 1,
                             place->whole ? "the block" : "much the same block",
                             place->whole ? "it" : "a version of it", quoted(quote_path(place->path)),
                             place->line + 1));
    }
}

void warn_of_moved_lines(Workspace& workspace, Report& report, Blame& blame, const PathOutcome& outcome) {
    const auto kind = outcome.conflict->kind;
    const bool deleted = kind == ConflictKind::deleted_upstream;
    if ((kind != ConflictKind::content && !deleted) || !outcome.base || !outcome.base->is_regular())
        return;
    auto hunks = outcome.hunks;
    if (deleted)
        hunks = merge::entry_hunks(workspace.repository(), outcome.base, outcome.local, Fate::conflict).hunks;
    std::set<std::string> places;
    for (const auto& hunk : hunks) {
        const auto place = hunk.fate == Fate::conflict ? blame.surroundings(outcome, hunk.base) : std::nullopt;
        if (!place || !places.insert(place->path).second)
            continue;
        report.warnings.push_back({"moved-lines", workspace.shown(outcome.display_path()),
                                   fmt::format("line {}: upstream took the lines around your change to {}, line {}",
                                               hunk.base.start + 1, quoted(place->path), place->line)});
    }
}

} // namespace carry::pipeline
