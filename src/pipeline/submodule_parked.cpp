#include "pipeline/submodule_parked.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "pipeline/submodules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace carry::pipeline {

namespace {

/// Did the run stage something to be installed in this checkout or in a submodule?
bool has_staged(const RunStore& runs, const std::string& id) {
    if (lstat_if_exists(runs.directory(id) / "parked.json"))
        return true;
    const auto paths = runs.submodules(id);
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& path) { return has_staged(runs.nested({}, path), id); });
}

void add_parked_names(const RunStore& nested, const std::string& id, const std::string& prefix,
                      std::vector<std::string>& names) {
    for (const auto& move : nested.load_moves(id))
        for (const auto& patch : load_parked(RunStore(move.paths)))
            names.push_back(prefix + patch.name);
    for (const auto& path : nested.submodules(id))
        add_parked_names(nested.nested({}, path), id, prefix + path + "/", names);
}

} // namespace

bool only_parked_conflicts(const Plan& plan) {
    return plan.abandoned.empty() && only_parked_conflicts(plan.chain) &&
           std::all_of(plan.nested.begin(), plan.nested.end(),
                       [](const NestedCheckout& nested) { return only_parked_conflicts(nested.plan); });
}

bool can_park(const Plan& plan) {
    return plan.abandoned.empty() && std::all_of(plan.nested.begin(), plan.nested.end(),
                                                 [](const auto& nested) { return can_park(nested.plan); });
}

std::map<std::string, std::vector<std::string>> parked_in_submodules(const RunStore& runs) {
    std::map<std::string, std::vector<std::string>> found;
    for (const auto& record : runs.all()) {
        if (!record.parked)
            continue;
        for (const auto& path : runs.submodules(record.id)) {
            auto& names = found[path];
            add_parked_names(runs.nested({}, path), record.id, {}, names);
            std::sort(names.begin(), names.end());
            names.erase(std::unique(names.begin(), names.end()), names.end());
        }
    }
    std::erase_if(found, [](const auto& item) { return item.second.empty(); });
    return found;
}

std::vector<std::string> all_parked(Workspace& workspace) {
    std::vector<std::string> names;
    for (const auto& patch : load_parked(workspace.runs()))
        names.push_back(workspace.shown(patch.name));
    for (const auto& [path, inner] : parked_in_submodules(workspace.runs()))
        for (const auto& name : inner)
            names.push_back(workspace.shown(fmt::format("{}/{}", path, name)));
    return names;
}

bool stage_submodules_parked(const Plan& plan, const std::string& id) {
    bool any = false;
    for (const auto& nested : plan.nested) {
        auto& workspace = *nested.workspace;
        if (waits_when_marked(workspace, nested.plan))
            continue;
        const auto set_aside = parked_from(workspace, nested.plan.chain, nested.target.base, id, nested.parked);
        if (!set_aside.empty() || !nested.parked.empty()) {
            make_directories(workspace.runs().directory(id), 0700);
            stage_parked(workspace, id, set_aside);
        }
        any = stage_submodules_parked(nested.plan, id) || any || !set_aside.empty();
    }
    return any;
}

void install_all_parked(Workspace& workspace, const std::string& id) {
    install_parked(workspace, id);
    for (const auto& path : workspace.runs().submodules(id)) {
        if (!has_staged(workspace.runs().nested({}, path), id) ||
            !lstat_if_exists(workspace.repository().paths().worktree / path / ".git"))
            continue;
        auto nested = workspace.nested(path);
        install_all_parked(nested, id);
    }
}

void name_parked(Workspace& workspace, const Plan& plan, Report& report) {
    for (const auto& patch : load_parked(workspace.runs()))
        for (auto& entry : report.patches)
            if (entry.fate == Fate::parked && entry.parked_as.empty() && is_part_of(workspace, patch, entry))
                entry.parked_as = workspace.shown(patch.name);
    for (const auto& nested : plan.nested)
        name_parked(*nested.workspace, nested.plan, report);
}

} // namespace carry::pipeline
