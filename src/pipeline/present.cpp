#include "pipeline/present.hpp"

#include "pipeline/describe.hpp"
#include "pipeline/submodules.hpp"

namespace carry::pipeline {

namespace {

void add_present(Workspace& outer, const snapshot::Snapshot& snapshot, bool changed_only,
                 std::deque<PresentSubmodule>& all) {
    for (const auto& path : checked_out_submodules(outer, snapshot, changed_only)) {
        auto& present = all.emplace_back();
        present.workspace = std::make_unique<Workspace>(outer.nested(path));
        auto& workspace = *present.workspace;
        present.snapshot = snapshot::capture(workspace.repository(), workspace.settings());
        const auto& head = present.snapshot.head.commit;
        auto& target = present.target;
        target.name = workspace.shown({});
        target.commit = target.base = last_published(workspace.repository(), head);
        auto from = target;
        if (from.base.is_null())
            from.commit = from.base = head;
        Plan plan;
        if (!from.base.is_null())
            present.links = chain_links(workspace, present.snapshot, from, plan);
        add_present(workspace, present.snapshot, changed_only, all);
    }
}

} // namespace

std::deque<PresentSubmodule> present_submodules(Workspace& outer, const snapshot::Snapshot& snapshot,
                                                bool changed_only) {
    std::deque<PresentSubmodule> all;
    add_present(outer, snapshot, changed_only, all);
    return all;
}

void describe_present(PresentSubmodule& present, Report& report) {
    Report inner;
    describe_snapshot_patches(*present.workspace, inner, present.snapshot, present.links);
    add_submodule_report(report, inner, present.target.name);
}

} // namespace carry::pipeline
