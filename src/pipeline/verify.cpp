#include "pipeline/verify.hpp"

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/signal.hpp"
#include "base/text.hpp"
#include "pipeline/settle.hpp"
#include "pipeline/undo.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace carry::pipeline {

namespace {

constexpr std::size_t k_tail_lines = 20;

std::string tail(std::string_view output) {
    auto lines = split_terminated(output, '\n');
    const auto skip = lines.size() > k_tail_lines ? lines.size() - k_tail_lines : 0;
    std::string result;
    for (std::size_t i = skip; i < lines.size(); ++i)
        result += escape_terminal(lines[i]) + "\n";
    return result;
}

} // namespace

std::vector<VerifyResult> verify(Workspace& workspace, const std::string& run) {
    std::vector<VerifyResult> results;
    const auto& commands = workspace.settings().verify;
    if (commands.empty())
        return results;
    const auto mine = FileLock::try_acquire(verifying_lock(workspace.runs(), run));
    workspace.unlock();
    std::string log;
    for (const auto& command : commands) {
        workspace.progress("verify", command);
        ProcessSpec spec;
        spec.argv = {"sh", "-c", command};
        spec.directory = workspace.repository().paths().worktree;
        spec.merge_error_output = true;
        const auto start = std::chrono::steady_clock::now();
        const auto result = run_process(spec);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        log += fmt::format("$ {}\n{}exit {}\n", command, result.output, result.exit_code);
        write_file_atomic(workspace.runs().directory(run) / "verify.log", log);
        results.push_back({escape_terminal(command), result.exit_code, seconds.count(), tail(result.output)});
        if (!result.ok())
            break;
    }
    workspace.lock();
    return results;
}

bool verify_or_roll_back(Workspace& workspace, RunRecord& record, Report& report) {
    try {
        report.verify = verify(workspace, record.id);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::interrupted)
            throw;
        // What was not verified to the end does not stay.
        const CriticalSection critical;
        workspace.lock();
        roll_back(workspace, record);
        throw;
    }
    const bool passed = std::all_of(report.verify.begin(), report.verify.end(),
                                    [](const auto& result) { return result.exit_code == 0; });
    if (passed)
        return true;
    report.saved = roll_back(workspace, record);
    report.outcome = Outcome::verify_failed;
    report.exit_code = 5;
    report.new_head = report.old_head;
    return false;
}

} // namespace carry::pipeline
