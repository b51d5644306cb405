#include "cli/command_run.hpp"

#include "base/time.hpp"
#include "cli/exit_code.hpp"

namespace carry::cli {

std::filesystem::path Invocation::directory() const {
    std::filesystem::path path = ".";
    for (const auto& word : common.directories)
        path /= word;
    return path;
}

Request CommandRun::request() {
    Request request;
    request.directory = m_invocation.directory();
    if (!m_invocation.common.config_file.empty())
        request.config_file = m_invocation.path(m_invocation.common.config_file);
    request.command_line = [this](Settings& settings) {
        for (const auto& word : m_invocation.words)
            word(settings);
    };
    request.progress = [this](const Progress& progress) { m_ui.progress(progress); };
    request.note = [this](const std::string& text) {
        m_ui.note(text);
        m_log.note(text);
    };
    return request;
}

int CommandRun::finish(const Report& report) {
    const bool failed = report.outcome == Outcome::refused || report.outcome == Outcome::failed;
    m_log.note("outcome " + std::string(to_string(report.outcome)) + (report.run.empty() ? "" : ", run " + report.run));
    if (failed)
        m_ui.failure(report.error, {}, report.next);
    if (m_invocation.common.json)
        return show(report::render_json(report), report.exit_code);
    return failed ? report.exit_code : show(report::render_text(report, style()), report.exit_code);
}

int CommandRun::finish(const std::vector<RunSummary>& runs) {
    return show(m_invocation.common.json ? report::render_runs_json(runs) : report::render_runs_text(runs, style()), 0);
}

int CommandRun::show(std::string_view text, int exit_code) {
    try {
        m_ui.result(text);
        return exit_code;
    } catch (const Error& error) {
        m_ui.failure(error.message(), error.causes(), {});
        // what was done is done, and its code still says what; a command that only shows something has failed
        return exit_code != 0 || m_invocation.may_change ? exit_code : to_int(ExitCode::failed);
    }
}

report::TextStyle CommandRun::style() const {
    const auto& common = m_invocation.common;
    const Terminal& terminal = m_ui.terminal();
    report::TextStyle style;
    style.width = terminal.output_width;
    style.color = common.color == "always" || (common.color == "auto" && terminal.output && !terminal.no_color);
    style.verbose = common.verbose;
    style.quiet = common.quiet;
    style.now = now_seconds();
    return style;
}

} // namespace carry::cli
