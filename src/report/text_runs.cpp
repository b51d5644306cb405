#include "base/text.hpp"
#include "base/time.hpp"
#include "report/page.hpp"
#include "report/render.hpp"
#include "report/sentence.hpp"

#include <algorithm>
#include <array>

namespace carry::report {
namespace {

constexpr std::size_t columns = 5;
using Row = std::array<std::string, columns>;

std::string state_of(const RunSummary& run) {
    std::string text(to_string(run.outcome));
    if (!run.state.empty() && run.state != "done" && run.state != text)
        text += ", " + escape_terminal(run.state);
    return text;
}

std::string counts_of(const RunSummary& run) {
    std::vector<std::string> parts;
    if (run.patches > 0)
        parts.push_back(count_of(run.patches, "patch", "patches"));
    if (run.conflicts > 0)
        parts.push_back(count_of(run.conflicts, "conflict"));
    return join(parts, ", ");
}

std::string heads_of(const RunSummary& run) {
    if (run.old_head.empty() || run.new_head.empty() || run.old_head == run.new_head)
        return short_id(run.new_head.empty() ? run.old_head : run.new_head);
    return short_id(run.old_head) + ".." + short_id(run.new_head);
}

} // namespace

std::string render_runs_text(const std::vector<RunSummary>& runs, const TextStyle& style) {
    std::vector<Row> rows;
    std::array<std::size_t, columns> widths{};
    for (const auto& run : runs) {
        const bool dated = run.time > 0 && style.now > 0;
        rows.push_back({escape_terminal(run.id), dated ? relative_time(run.time, style.now) : "",
                        escape_terminal(run.command), state_of(run), heads_of(run)});
        for (std::size_t i = 0; i < columns; ++i)
            widths[i] = std::max(widths[i], visible_width(rows.back()[i]));
    }
    Page page(style);
    for (std::size_t n = 0; n < runs.size(); ++n) {
        std::vector<std::string> pieces;
        for (std::size_t i = 0; i < columns; ++i)
            pieces.push_back(padded(rows[n][i], widths[i]));
        pieces.push_back(counts_of(runs[n]));
        page.pieces("", 4, pieces);
    }
    if (runs.empty() && !style.quiet)
        page.line("no runs yet");
    return page.take();
}

} // namespace carry::report
