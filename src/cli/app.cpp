#include "cli/app.hpp"

#include "base/text.hpp"
#include "cli/command_run.hpp"
#include "cli/exit_code.hpp"

#include <algorithm>

namespace carry::cli {
namespace {

/// What was typed, for the log.
std::string command_text(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"git-carry"};
    for (const auto& argument : arguments)
        words.push_back(shell_quote(argument));
    return join(words, " ");
}

/// Says a failure on standard error and, with --json, as the document on standard output.
int fail(Ui& ui, bool json, std::string_view command, const Error& error) {
    const int code = to_int(exit_code_of(error.kind()));
    ui.failure(error.message(), error.causes(), error.hints());
    if (!json)
        return code;
    try {
        ui.result(report::render_error_json(command, code, error.message(), error.causes(), error.hints()));
    } catch (const Error& broken) {
        ui.failure(broken.message(), broken.causes(), {});
    }
    return code;
}

int run_action(const Invocation& invocation, const std::vector<std::string>& arguments, Ui& ui) {
    RunLog log = invocation.may_change ? RunLog(invocation.directory(), command_text(arguments)) : RunLog();
    CommandRun invoked(ui, invocation, log);
    int code = to_int(ExitCode::failed);
    try {
        code = invocation.action(invoked);
    } catch (const Error& error) {
        log.note("error: " + error.message());
        code = fail(ui, invocation.common.json, invocation.command, error);
    } catch (const std::exception& error) {
        log.note(std::string("error: ") + error.what());
        const Error unexpected(ErrorKind::failed, std::string("unexpected failure: ") + error.what());
        code = fail(ui, invocation.common.json, invocation.command, unexpected);
    }
    log.end(code);
    return code;
}

} // namespace

int run(const std::vector<std::string>& arguments, Ui& ui) {
    Invocation invocation;
    try {
        invocation = parse_command_line(arguments);
        ui.set_quiet(invocation.common.quiet);
        if (invocation.action)
            return run_action(invocation, arguments, ui);
        if (!arguments.empty()) {
            ui.result(invocation.text);
            return to_int(ExitCode::done);
        }
    } catch (const Error& error) {
        const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
        return fail(ui, json, invocation.command, error);
    } catch (const std::exception& error) {
        return fail(ui, false, invocation.command, Error(ErrorKind::failed, error.what()));
    }
    ui.usage(invocation.text); // no argument at all: help, and the code of wrong usage
    return to_int(ExitCode::usage);
}

} // namespace carry::cli
