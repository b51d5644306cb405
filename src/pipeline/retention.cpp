#include "pipeline/retention.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "git/refs.hpp"
#include "pipeline/parked.hpp"
#include "pipeline/workspace.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fmt/format.h>

#include <set>

namespace carry::pipeline {

namespace {

void remove_refs(const git::Program& program, git::ObjectFormat format, const std::string& id) {
    const auto output = program.output({"for-each-ref", "--format=%(objectname) %(refname)", "refs/carry/" + id + "/"});
    std::vector<git::RefUpdate> updates;
    for (const auto line : split_terminated(output, '\n')) {
        const auto space = line.find(' ');
        updates.push_back({std::string(line.substr(space + 1)), git::ObjectId::from_hex(line.substr(0, space)), {}});
    }
    if (!updates.empty())
        git::update_refs(program, updates, "carry: prune", format);
}

} // namespace

namespace {

/// Of a run that is to be forgotten; a record that cannot be read must not keep it alive.
std::vector<transaction::CheckoutMove> readable_moves(const RunStore& runs, const std::string& id) {
    try {
        return runs.load_all_moves(id);
    } catch (const Error&) {
        return {};
    }
}

} // namespace

void forget_run(RunStore& runs, git::Repository& repository, const std::string& id) {
    const auto format = repository.capabilities().object_format;
    remove_refs(repository.program(), format, id);
    for (const auto& move : readable_moves(runs, id))
        if (move.paths.git_dir != repository.paths().git_dir && lstat_if_exists(move.paths.git_dir / "HEAD"))
            remove_refs(git::Program(move.paths), format, id);
    runs.discard(id);
}

std::vector<std::string> retain_runs(RunStore& runs, git::Repository& repository, std::size_t keep) {
    std::set<std::string> needed;
    for (const auto& patch : load_parked(runs))
        needed.insert(patch.run);
    if (const auto current = runs.current())
        needed.insert(*current);
    const auto records = runs.all();
    for (const auto& record : records)
        if (record.parked) // here, or in a submodule
            for (const auto& move : runs.load_all_moves(record.id))
                for (const auto& patch : load_parked(RunStore(move.paths)))
                    needed.insert(patch.run);
    for (const auto& record : records)
        if (record.state == RunState::waiting && record.pending)
            needed.insert(record.pending->origin);

    std::vector<std::string> removed;
    std::size_t changed = 0;
    for (auto record = records.rbegin(); record != records.rend(); ++record) {
        const bool counts = record->changed;
        const bool keep_it = needed.count(record->id) || record->state == RunState::waiting ||
                             (counts && changed == 0) || changed < keep;
        changed += counts ? 1U : 0U;
        if (keep_it)
            continue;
        forget_run(runs, repository, record->id);
        removed.push_back(record->id);
    }
    return removed;
}

} // namespace carry::pipeline

namespace carry {

Report prune(const Request& request) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, Access::change);
    auto report = workspace.report("prune");
    const auto removed = retain_runs(workspace.runs(), workspace.repository(), workspace.settings().keep_runs);
    report.outcome = Outcome::pruned;
    report.notes.push_back(fmt::format("{} removed, the last {} that changed the checkout are kept",
                                       count_of(removed.size(), "run"), workspace.settings().keep_runs));
    return report;
}

} // namespace carry
