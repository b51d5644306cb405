/// What git-carry can do, one function a command. Each opens the checkout, takes the lock where it may change
/// something, finishes or reverses a crashed run first, and returns a report; outcomes that a person has to act on
/// (conflicts, parked patches, a failed verification) are in the report with their exit code, failures are thrown as
/// carry::Error.
#pragma once

#include <carry/progress.hpp>
#include <carry/report.hpp>
#include <carry/settings.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace carry {

/// Where, and with which words.
struct Request {
    std::filesystem::path directory = ".";                 ///< anywhere inside the checkout
    std::optional<std::filesystem::path> config_file = {}; ///< --config
    std::function<void(Settings&)> command_line = {};      ///< lays the command line's words over the other settings
    ProgressCallback progress = {};
    std::function<void(const std::string&)> note = {}; ///< "finished the upgrade that was interrupted": said at once
};

Report status(const Request& request);
Report take_snapshot(const Request& request);
Report check(const Request& request);
Report upgrade(const Request& request);
Report continue_run(const Request& request);
Report abort_run(const Request& request);
/// Back to the state before `run`; without one, before the last run that changed something. Where newer runs changed
/// the checkout as well, Error{refused} says what would go with it, unless `force` is set.
Report undo(const Request& request, const std::optional<std::string>& run, bool force = false);
std::vector<RunSummary> runs(const Request& request);
/// The stored report of a run; an unambiguous prefix of its id will do. Throws Error{usage} where there is none.
Report show(const Request& request, const std::string& run);
/// Patch files and series of what is carried now, into `directory` (made; must be empty or absent).
Report export_patches(const Request& request, const std::filesystem::path& directory);
/// Patches or series onto the checkout, three-way, by the same engine as an upgrade.
Report apply_patches(const Request& request, const std::vector<std::filesystem::path>& files);
/// Resolutions that export_patches() wrote elsewhere, taken in; nothing that is remembered here is overwritten.
Report import_resolutions(const Request& request, const std::filesystem::path& directory);
/// What is remembered of former conflicts, one note each; or, with ids (unambiguous prefixes will do), forgets those.
Report resolutions(const Request& request, const std::vector<std::string>& forget);
/// Three versions of a file: `ours` is upstream's, `theirs` the local one.
struct MergeFileInput {
    std::filesystem::path base, ours, theirs;
    std::filesystem::path out; ///< where the result goes, with markers where it conflicts
    std::string name = {};     ///< the file's name where it belongs; empty: as `ours`
};
/// Merges them by the engine of an upgrade, without a repository: of the settings only --config and the command line
/// count. The report's exit code is 0 or, for a conflict, 1; a file that cannot be read or written is Error{usage}.
Report merge_file(const Request& request, const MergeFileInput& input);
/// Removes records of old runs, keeping settings.keep_runs of those that changed the checkout.
Report prune(const Request& request);

} // namespace carry
