#include "pipeline/name_warnings.hpp"

#include "base/text.hpp"
#include "merge/removed_names.hpp"

#include <fmt/format.h>

namespace carry::pipeline {

namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 20;
constexpr std::size_t most_warnings = 10;

/// What the change adds, by the lines of the result.
merge::AddedLines added_lines(git::Repository& repository, const merge::PathOutcome& outcome) {
    merge::AddedLines added;
    added.path = outcome.new_path;
    if (outcome.conflict || outcome.binary || outcome.hunks.empty() || !outcome.merged || !outcome.merged->is_regular())
        return added;
    const auto header = repository.objects().header(outcome.merged->id);
    if (!header || header->size > largest_file)
        return added;
    const auto bytes = repository.objects().require(outcome.merged->id, git::ObjectType::blob);
    const auto lines = split_lines(bytes);
    for (const auto& hunk : outcome.hunks) {
        if (hunk.fate == Fate::absorbed || !hunk.result)
            continue;
        for (auto line = hunk.result->start; line < hunk.result->end() && line < lines.size(); ++line)
            added.lines.push_back({line, std::string(lines[line])});
    }
    return added;
}

} // namespace

void warn_of_removed_names(Workspace& workspace, Report& report, const Target& target, const Plan& plan) {
    std::vector<merge::AddedLines> added;
    for (const auto& link : plan.chain.links)
        for (const auto& outcome : link.merge.paths) {
            if (link.set_aside || link.set_aside_paths.count(outcome.display_path()) != 0 ||
                link.link.layer == Layer::ignored)
                continue;
            if (auto lines = added_lines(workspace.repository(), outcome); !lines.lines.empty())
                added.push_back(std::move(lines));
        }
    const auto names = merge::removed_names(workspace.repository(), target.base, target.commit, added);
    for (std::size_t i = 0; i < names.size() && i < most_warnings; ++i) {
        const auto& name = names[i];
        const auto path = workspace.shown(name.path);
        auto message =
            fmt::format("{}:{} uses {}, which upstream {}", path, name.line + 1, quoted(name.name),
                        name.renamed_to.empty() ? "removed" : fmt::format("renamed to {}", quoted(name.renamed_to)));
        if (name.by)
            message += fmt::format(" in {}", name.by->id.short_hex().substr(0, 7));
        report.warnings.push_back({"removed-name", path, std::move(message)});
    }
}

} // namespace carry::pipeline
