#include "pipeline/extract.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "pipeline/describe.hpp"
#include "pipeline/resolutions.hpp"
#include "pipeline/submodules.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fmt/format.h>

namespace carry::pipeline {

std::vector<patch::PatchFile> extract_to(Workspace& workspace, const std::vector<merge::ChainLink>& links,
                                         const git::ObjectId& base, const std::string& upstream, std::int64_t time,
                                         const std::filesystem::path& directory) {
    std::vector<patch::LinkToWrite> to_write;
    for (const auto& link : links) {
        // Ignored files in the way are stored, not carried as patches; a net change of merged history has no one
        // commit.
        if (link.layer == Layer::ignored || !link.parked_name.empty())
            continue;
        to_write.push_back(
            {link.layer, link.before, link.after, link.merge_parents.empty() ? link.commit : git::ObjectId{}});
    }
    return patch::write_series(workspace.repository(), to_write, base, upstream, time, directory);
}

std::vector<patch::PatchFile> extract(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target,
                                      const Plan& plan, const std::string& run) {
    workspace.progress("extract");
    const auto directory = workspace.runs().directory(run) / "patches";
    make_directories(directory, 0700);
    return extract_to(workspace, plan.links, target.base, target.name, snapshot.time, directory);
}

void extract_submodules(Report& report, const Plan& plan, const std::string& run, const std::string& directory) {
    for (const auto& nested : plan.nested) {
        const auto place = fmt::format("{}submodules/{}/", directory, nested.path);
        name_patch_files(*nested.workspace, report,
                         extract(*nested.workspace, nested.snapshot, nested.target, nested.plan, run),
                         place + "patches/");
        extract_submodules(report, nested.plan, run, place);
    }
}

namespace {

void refuse_occupied(const std::filesystem::path& directory) {
    std::error_code error;
    if (std::filesystem::exists(directory, error) && !std::filesystem::is_empty(directory, error))
        throw Error(ErrorKind::usage, fmt::format("{} is not empty", quoted(directory.string())),
                    {"git carry export NEW-DIRECTORY"});
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
    make_directories(directory, 0777);
    const auto files = extract_to(workspace, links, target.base, target.name, snapshot.time, directory);
    if (const auto count = export_resolutions(workspace, directory); count > 0)
        report.notes.push_back(fmt::format("{} of conflicts beside them", count_of(count, "resolution")));
    report.upstream = target.name;
    report.base = target.base.hex();
    describe_snapshot_patches(workspace, report, snapshot, links);
    name_patch_files(workspace, report, files, {});
    std::size_t written = 0;
    for (const auto& file : files) {
        if (file.too_large)
            report.warnings.push_back(
                {"left-out", quote_path(file.title), "too large for a patch file: copy it by hand"});
        else
            ++written;
    }
    report.outcome = Outcome::exported;
    report.notes.push_back(fmt::format("{} in {}", count_of(written, "patch", "patches"), quoted(directory.string())));
    report.next = {fmt::format("git carry apply {}   puts them onto another checkout",
                               shell_quote((directory / "series").string()))};
    return report;
}

} // namespace carry
