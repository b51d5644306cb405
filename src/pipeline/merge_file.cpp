/// Three files, merged as an upgrade merges them; no repository is looked at.

#include "base/file.hpp"
#include "base/text.hpp"
#include "config/settings.hpp"
#include "merge/text_merge.hpp"
#include "pipeline/describe.hpp"
#include "pipeline/plan.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <algorithm>
#include <array>

namespace carry {

namespace {

/// Exit codes are those of git merge-file, 1 for a conflict; whatever else goes wrong has to have another.
constexpr int conflict_code = 1;

std::string read_version(const std::filesystem::path& file) {
    try {
        return read_file(file);
    } catch (const Error& error) {
        throw Error(ErrorKind::usage, error.message(), error.hints());
    }
}

void write_result(const std::filesystem::path& file, std::string_view bytes) {
    try {
        write_file_atomic(file, bytes);
    } catch (const Error& error) {
        throw Error(ErrorKind::usage, error.message(), error.hints());
    }
}

Settings settings_of(const Request& request) {
    Settings settings;
    if (request.config_file)
        config::read_yaml_file(settings, *request.config_file, config::Source::config_file);
    if (request.command_line)
        request.command_line(settings);
    return settings;
}

git::MergeOptions labels(const Settings& settings, const MergeFileInput& input) {
    git::MergeOptions options;
    options.style = pipeline::conflict_style(settings);
    options.ours_label = input.ours.native();
    options.base_label = input.base.native();
    options.theirs_label = input.theirs.native();
    return options;
}

/// Where one side alone has something to say there is nothing to merge, whatever the files hold.
merge::TextMerge merge_versions(const std::array<std::string, 3>& versions, const git::MergeOptions& options,
                                const merge::TextRules& rules) {
    const auto& [base, ours, theirs] = versions;
    if (ours == theirs)
        return {.clean = true, .bytes = ours, .hunks = merge::hunks_of(base, theirs, Fate::absorbed)};
    if (base == ours)
        return {.clean = true, .bytes = theirs, .hunks = merge::hunks_of(base, theirs, Fate::kept)};
    if (base == theirs)
        return {.clean = true, .bytes = ours};
    if (auto text = merge::merge_text(base, ours, theirs, options, rules))
        return std::move(*text);
    return {.clean = false, .bytes = ours, .note = "not merged as text: the result is OURS as it is"};
}

} // namespace

Report merge_file(const Request& request, const MergeFileInput& input) {
    const auto settings = settings_of(request);
    const std::array versions = {read_version(input.base), read_version(input.ours), read_version(input.theirs)};
    const auto name = input.name.empty() ? input.ours.native() : input.name;
    const auto merged = merge_versions(versions, labels(settings, input), {.deciding = settings.rules, .path = name});
    write_result(input.out, merged.bytes);

    Report report;
    report.command = "merge-file";
    report.outcome = merged.clean ? Outcome::applied : Outcome::marked;
    report.exit_code = merged.clean ? 0 : conflict_code;
    PatchReport patch;
    patch.layer = Layer::unstaged;
    patch.path = quote_path(name);
    patch.change = "modified";
    patch.note = merged.note;
    const auto has = [&merged](Fate fate) {
        return std::ranges::find(merged.hunks, fate, &merge::HunkOutcome::fate) != merged.hunks.end();
    };
    patch.fate = !merged.clean         ? Fate::conflict
                 : has(Fate::resolved) ? Fate::resolved
                 : has(Fate::merged)   ? Fate::merged
                 : has(Fate::kept)     ? Fate::kept
                                       : Fate::absorbed;
    for (const auto& hunk : merged.hunks) {
        patch.hunks.push_back(pipeline::hunk_report(hunk));
        if (hunk.fate != Fate::conflict)
            continue;
        ConflictReport conflict;
        conflict.layer = patch.layer;
        conflict.path = patch.path;
        conflict.message = hunk.reason;
        pipeline::describe_lines(conflict, hunk);
        report.conflicts.push_back(std::move(conflict));
    }
    if (!merged.clean && report.conflicts.empty())
        report.conflicts.push_back(
            {.layer = patch.layer, .kind = ConflictKind::binary, .path = patch.path, .message = merged.note});
    report.patches.push_back(std::move(patch));
    return report;
}

} // namespace carry
