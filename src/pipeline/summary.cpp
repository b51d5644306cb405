#include "pipeline/summary.hpp"

#include "pipeline/workspace.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fmt/format.h>

namespace carry::pipeline {

RunSummary summarize(const RunStore& runs, const RunRecord& record) {
    RunSummary summary;
    summary.id = record.id;
    summary.command = record.command;
    summary.exit_code = record.exit_code;
    summary.old_head = record.old_head.hex();
    summary.new_head = record.new_head.hex();
    summary.time = record.time;
    summary.state = std::string(to_string(record.state));
    if (const auto report = runs.load_report(record.id)) {
        summary.outcome = report->outcome;
        summary.conflicts = report->conflicts.size();
        summary.patches = report->patches.size();
    }
    return summary;
}

} // namespace carry::pipeline

namespace carry {

std::vector<RunSummary> runs(const Request& request) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, Access::look);
    std::vector<RunSummary> summaries;
    for (const auto& record : workspace.runs().all())
        summaries.push_back(summarize(workspace.runs(), record));
    return summaries;
}

Report show(const Request& request, const std::string& run) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, Access::look);
    const auto id = workspace.runs().find(run);
    auto report = workspace.runs().load_report(id);
    if (!report)
        throw Error(ErrorKind::failed, fmt::format("run {} left no report", id), {"git carry runs   lists the runs"});
    return std::move(*report);
}

} // namespace carry
