#include "pipeline/extract.hpp"

#include "base/file.hpp"
#include "pipeline/describe.hpp"
#include "pipeline/submodules.hpp"

#include <fmt/format.h>

namespace carry::pipeline {

std::vector<patch::PatchFile> extract_to(Workspace& workspace, const std::vector<merge::ChainLink>& links,
                                         const git::ObjectId& base, const std::string& upstream, std::int64_t time,
                                         const std::filesystem::path& directory, mode_t mode) {
    std::vector<patch::LinkToWrite> to_write;
    for (const auto& link : links) {
        // Ignored files in the way are stored, not carried as patches; a net change of merged history has no one
        // commit.
        if (link.layer == Layer::ignored || !link.parked_name.empty())
            continue;
        to_write.push_back(
            {link.layer, link.before, link.after, link.merge_parents.empty() ? link.commit : git::ObjectId{}});
    }
    return patch::write_series(workspace.repository(), to_write, base, upstream, time, directory, mode);
}

std::vector<patch::PatchFile> extract(Workspace& workspace, const snapshot::Snapshot& snapshot, const Target& target,
                                      const Plan& plan, const std::string& run) {
    workspace.progress("extract");
    const auto directory = workspace.runs().directory(run) / "patches";
    make_directories(directory, 0700);
    return extract_to(workspace, plan.links, target.base, target.name, snapshot.time, directory, 0600);
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

} // namespace carry::pipeline
