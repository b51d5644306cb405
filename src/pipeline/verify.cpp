#include "pipeline/verify.hpp"

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "pipeline/settle.hpp"

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

bool all_verified(const std::vector<VerifyResult>& results) {
    return std::all_of(results.begin(), results.end(), [](const auto& result) { return result.exit_code == 0; });
}

} // namespace carry::pipeline
