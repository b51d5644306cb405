#include "base/text.hpp"

#include "base/time.hpp"
#include "report/page.hpp"
#include "report/render.hpp"
#include "report/sentence.hpp"
#include "report/text_patches.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carry::report {
namespace {

std::string_view last_component(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/'))
        path.remove_suffix(1);
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1);
}

/// Commands whose report is about the checkout and its upstream, not about records or nothing at all.
bool has_header(const Report& report) {
    return report.outcome != Outcome::refused && report.outcome != Outcome::failed &&
           report.outcome != Outcome::pruned && !report.repository.empty();
}

void add_header(Page& page, const Report& report) {
    std::string branch = escape_terminal(report.branch);
    if (!report.upstream.empty())
        branch += " <- " + escape_terminal(report.upstream);
    std::string range;
    std::string counts;
    if (!report.new_upstream.empty()) {
        counts = upstream_counts(report);
        range = report.old_upstream.empty() || report.old_upstream == report.new_upstream
                    ? short_id(report.new_upstream, 9)
                    : short_id(report.old_upstream, 9) + ".." + short_id(report.new_upstream, 9);
    }
    page.pieces("", 4, {escape_terminal(last_component(report.repository)), branch, range, counts});
    const std::string run = report.run.empty() ? "carried" : "run " + escape_terminal(report.run);
    // what goes back does not count what was carried
    const bool counted = report.outcome != Outcome::undone && report.outcome != Outcome::recovered;
    page.pieces("", 4, {run, counted ? carried_counts(report) : std::string()});
}

std::string run_text(const RunSummary& run, std::int64_t now) {
    std::string text =
        escape_terminal(run.id) + "  " + escape_terminal(run.command) + "  " + std::string(to_string(run.outcome));
    if (run.time > 0 && now > 0)
        text += ", " + relative_time(run.time, now);
    return text;
}

void add_warnings(Page& page, const Report& report) {
    const TextStyle& style = page.style();
    for (const auto& warning : report.warnings) {
        std::string text = escape_terminal(warning.message);
        const std::string path = escape_terminal(warning.path);
        if (!path.empty() && text.find(path) == std::string::npos)
            text.insert(0, path + ": ");
        page.line(paint(style, Paint::notice, "warning") + "  " + text);
    }
}

void add_notes(Page& page, const Report& report) {
    const TextStyle& style = page.style();
    for (const auto& note : report.notes)
        page.line("note  " + escape_terminal(note));
    if (report.proof)
        page.line("proof  " + escape_terminal(proof_sentence(*report.proof)));
    for (const auto& saved : report.saved)
        page.line("saved  " + escape_terminal(saved));
    // what a run set aside itself has its line among the patches
    for (const auto& name : report.parked) {
        const auto shown = [&name](const PatchReport& patch) { return patch.parked_as == name; };
        if (std::none_of(report.patches.begin(), report.patches.end(), shown))
            page.line(paint(style, Paint::notice, "parked") + "  " + escape_terminal(name));
    }
    if (report.last_run)
        page.line("last run  " + run_text(*report.last_run, style.now));
}

void add_verify(Page& page, const Report& report) {
    const TextStyle& style = page.style();
    for (const auto& result : report.verify) {
        const bool passed = result.exit_code == 0;
        if (passed && style.quiet)
            continue;
        page.line(
            fmt::format("verify  {}  {}, {:.1f} s",
                        paint(style, passed ? Paint::good : Paint::bad,
                              passed ? std::string("passed") : fmt::format("failed with exit {}", result.exit_code)),
                        escape_terminal(result.command), result.seconds));
        if (passed && !style.verbose)
            continue;
        for (const auto line : split_terminated(result.output_tail, '\n'))
            page.line("        " + escape_terminal(line));
    }
}

void add_next(Page& page, const Report& report) {
    constexpr std::string_view gap = "   "; // between a command and what it does
    std::size_t width = 0;
    for (const auto& next : report.next)
        width = std::max(width, visible_width(escape_terminal(next.substr(0, next.find(gap)))));
    std::string_view head = "next  ";
    for (const auto& next : report.next) {
        const std::size_t at = next.find(gap);
        std::string command = escape_terminal(next.substr(0, at));
        if (at == std::string::npos)
            page.line(std::string(head) + command);
        else
            page.pieces(head, 10, {padded(command, width + 1), escape_terminal(trim(next.substr(at)))});
        head = "      ";
    }
}

} // namespace

std::string render_text(const Report& report, const TextStyle& style) {
    Page page(style);
    if (!style.quiet && has_header(report)) {
        add_header(page, report);
        page.gap();
    }
    add_patches(page, report);
    add_warnings(page, report);
    if (!style.quiet)
        add_notes(page, report);
    add_verify(page, report);
    page.gap();
    const std::string sentence = final_sentence(report);
    if (!sentence.empty())
        page.line(sentence);
    add_next(page, report);
    return page.take();
}

} // namespace carry::report
