/// A command while it runs: its words, the terminal, and how its report gets out.
#pragma once

#include "cli/invocation.hpp"
#include "cli/run_log.hpp"
#include "cli/ui.hpp"
#include "report/render.hpp"

#include <carry/commands.hpp>

namespace carry::cli {

class CommandRun {
public:
    CommandRun(Ui& ui, const Invocation& invocation, RunLog& log) : m_ui(ui), m_invocation(invocation), m_log(log) {}

    [[nodiscard]] const Invocation& invocation() const noexcept { return m_invocation; }
    /// The request of this command line; it refers to this invoked.
    [[nodiscard]] Request request();
    /// Shows a report as it was asked for and returns its exit code. A refusal is said on standard error as well.
    int finish(const Report& report);
    int finish(const std::vector<RunSummary>& runs);

private:
    int show(std::string_view text, int exit_code);
    [[nodiscard]] report::TextStyle style() const;

    Ui& m_ui;
    const Invocation& m_invocation;
    RunLog& m_log;
};

} // namespace carry::cli
