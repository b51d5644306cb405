// May the .carry.yaml of this checkout decide? Only the user says so, and of one version of it.
#include "config/trust.hpp"

#include "base/text.hpp"
#include "base/time.hpp"
#include "config/settings.hpp"
#include "pipeline/workspace.hpp"

#include <carry/error.hpp>
#include <carry/trust.hpp>

#include <fmt/format.h>

namespace carry {

namespace {

/// "verify: make check", a line a value.
void note_decisions(const config::CheckoutFile& file, Report& report) {
    for (const auto& [key, values] : file.decisions)
        for (const auto& value : values)
            report.notes.push_back(fmt::format("{}: {}", key, value));
    if (file.decisions.empty())
        report.notes.emplace_back("'.carry.yaml' sets harmless things only, which needs no trust");
}

} // namespace

Report trust(const Request& request, Trust action) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, action == Trust::show ? Access::look : Access::change);
    const auto& paths = workspace.repository().paths();
    const config::TrustList list(paths.carry_dir());
    Report report;
    report.command = "trust";
    report.time = now_seconds();
    if (action == Trust::revoke) {
        report.outcome = Outcome::pruned;
        if (!list.clear())
            report.notes.emplace_back("no version of '.carry.yaml' was trusted here");
        return report;
    }
    const auto file = config::read_checkout_file(paths.worktree);
    if (!file)
        throw Error(ErrorKind::usage, fmt::format("there is no '.carry.yaml' in {}", quoted(paths.worktree.string())));
    note_decisions(*file, report);
    if (action == Trust::give) {
        list.add(file->text);
        report.outcome = Outcome::recorded;
        report.next = {"git carry trust --revoke   takes it back"};
        return report;
    }
    const bool trusted = list.contains(file->text);
    report.outcome = Outcome::shown;
    report.notes.push_back(fmt::format("this version, sha256 {}, is {}", config::TrustList::hash_of(file->text),
                                       trusted ? "trusted" : "not trusted"));
    if (!trusted && !file->decisions.empty())
        report.next = {"git carry trust   lets it decide"};
    return report;
}

} // namespace carry
