// export: what is carried as patch files, with a series, in any directory.
#include "base/file.hpp"
#include "base/text.hpp"
#include "pipeline/describe.hpp"
#include "pipeline/extract.hpp"
#include "pipeline/present.hpp"
#include "pipeline/resolutions.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fmt/format.h>

namespace carry::pipeline {

namespace {

void refuse_occupied(const std::filesystem::path& directory) {
    std::error_code error;
    if (std::filesystem::exists(directory, error) && !std::filesystem::is_empty(directory, error))
        throw Error(ErrorKind::usage, fmt::format("{} is not empty", quoted(directory.string())),
                    {"git carry export NEW-DIRECTORY"});
}

struct Written {
    std::size_t patches = 0, resolutions = 0;
};

/// One checkout's patches and resolutions.
std::vector<patch::PatchFile> write(Workspace& workspace, const std::vector<merge::ChainLink>& links,
                                    const Target& target, std::int64_t time, const std::filesystem::path& directory,
                                    Written& written, Report& report) {
    const auto base = target.base.is_null() ? workspace.repository().head().commit : target.base;
    auto files = extract_to(workspace, links, base, target.name, time, directory);
    written.resolutions += export_resolutions(workspace, directory);
    for (const auto& file : files) {
        if (file.too_large)
            report.warnings.push_back(
                {"left-out", workspace.shown(file.title), "too large for a patch file: copy it by hand"});
        else
            ++written.patches;
    }
    return files;
}

/// Into `submodules/PATH` of the directory, as in the directory of a run.
void export_submodule(PresentSubmodule& present, const std::filesystem::path& directory, Written& written,
                      Report& report) {
    auto& workspace = *present.workspace;
    if (present.target.base.is_null())
        report.warnings.push_back(
            {"left-out", workspace.shown({}), "no remote has any of the submodule's commits: they are not exported"});
    const auto place = fmt::format("submodules/{}", workspace.prefix());
    const auto files = present.links.empty() ? std::vector<patch::PatchFile>{}
                                             : write(workspace, present.links, present.target, present.snapshot.time,
                                                     directory / place, written, report);
    if (files.empty())
        return;
    describe_present(present, report);
    name_patch_files(workspace, report, files, place);
    const auto series = std::filesystem::absolute(directory / place / "series");
    report.next.push_back(fmt::format("git carry -C {} apply {}   those of a submodule, before what surrounds it",
                                      shell_quote(workspace.prefix().substr(0, workspace.prefix().size() - 1)),
                                      shell_quote(series.string())));
}

} // namespace

} // namespace carry::pipeline

namespace carry {

Report export_patches(const Request& request, const std::filesystem::path& directory) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, Access::look);
    refuse_occupied(directory);
    auto report = workspace.report("export");
    const auto snapshot = snapshot::capture(workspace.repository(), workspace.settings());
    const auto target = local_target(workspace);
    Plan plan;
    const auto links = chain_links(workspace, snapshot, target, plan);
    auto submodules = present_submodules(workspace, snapshot, false);
    make_directories(directory, 0777);
    Written written;
    const auto files = write(workspace, links, target, snapshot.time, directory, written, report);
    report.upstream = target.name;
    report.base = target.base.hex();
    describe_snapshot_patches(workspace, report, snapshot, links);
    name_patch_files(workspace, report, files, {});
    report.next = {fmt::format("git carry apply {}   puts them onto another checkout",
                               shell_quote((directory / "series").string()))};
    for (auto& present : submodules)
        export_submodule(present, directory, written, report);
    if (written.resolutions > 0)
        report.notes.push_back(fmt::format("{} of conflicts beside them", count_of(written.resolutions, "resolution")));
    report.outcome = Outcome::exported;
    report.notes.push_back(
        fmt::format("{} in {}", count_of(written.patches, "patch", "patches"), quoted(directory.string())));
    return report;
}

} // namespace carry
