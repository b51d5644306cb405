#include "report/text_patches.hpp"

#include "base/text.hpp"
#include "base/time.hpp"
#include "report/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carry::report {
namespace {

constexpr std::size_t fate_width = 8;  // conflict, absorbed, resolved
constexpr std::size_t layer_width = 9; // untracked

Paint paint_of(Fate fate) {
    switch (fate) {
    case Fate::conflict:
        return Paint::bad;
    case Fate::parked:
    case Fate::resolved:
        return Paint::notice;
    case Fate::absorbed:
        return Paint::dim;
    case Fate::kept:
    case Fate::moved:
    case Fate::merged:
        return Paint::good;
    }
    return Paint::none;
}

std::string fate_cell(const TextStyle& style, Fate fate) {
    return padded(paint(style, paint_of(fate), to_string(fate)), fate_width) + "  ";
}

std::string path_text(const PatchReport& patch) {
    std::string text = escape_terminal(patch.path);
    if (!patch.new_path.empty() && patch.new_path != patch.path)
        text += " -> " + escape_terminal(patch.new_path);
    return text;
}

/// "by 9ab12cd (#20111), dropped", and under which name it was set aside.
std::string who_text(const PatchReport& patch) {
    std::vector<std::string> parts;
    if (patch.by && patch.fate != Fate::conflict)
        parts.push_back("by " + commit_text_brief(*patch.by));
    if (patch.fate == Fate::absorbed && patch.layer == Layer::commit && patch.new_commit.empty())
        parts.emplace_back("dropped");
    if (!patch.parked_as.empty())
        parts.push_back("set aside as " + escape_terminal(patch.parked_as));
    return join(parts, ", ");
}

std::string culprit_text(const CommitRef& culprit, std::int64_t now) {
    std::string text = commit_text(culprit);
    if (culprit.date > 0 && now > 0)
        text += ", " + relative_time(culprit.date, now);
    return text;
}

/// "yours 38-47, upstream 40-52, last changed by 77aa01b Rework launch flags, 2 days ago"
std::vector<std::string> conflict_pieces(const ConflictReport& conflict, const TextStyle& style) {
    std::vector<std::string> pieces;
    const bool spans = conflict.yours && conflict.upstream;
    std::string where =
        spans ? fmt::format("yours {}, upstream {}", span_text(*conflict.yours), span_text(*conflict.upstream))
              : escape_terminal(conflict.message);
    if (where.empty())
        where = to_string(conflict.kind);
    if (conflict.culprits.empty() || style.verbose) {
        pieces.push_back(std::move(where));
        return pieces;
    }
    const std::string_view verb = spans ? "last changed by " : "by ";
    pieces.push_back(where + ',');
    pieces.push_back(fmt::format("{}{}", verb, culprit_text(conflict.culprits.front(), style.now)));
    if (conflict.culprits.size() > 1) {
        pieces.back() += ',';
        pieces.push_back(fmt::format("and {} more (-v)", conflict.culprits.size() - 1));
    }
    return pieces;
}

/// What rules would make of it; with -v the lines themselves.
void add_proposals(Page& page, const ConflictReport& conflict, std::size_t indent) {
    const std::string margin(indent, ' ');
    for (const auto* proposal : distinct_proposals(conflict)) {
        page.pieces(margin, indent, {proposal_text(*proposal) + (page.style().verbose ? ":" : " (-v)")});
        if (!page.style().verbose)
            continue;
        for (const auto& line : proposal->lines)
            page.line(margin + "  " + escape_terminal(with_spaces(line)));
    }
}

void add_conflict(Page& page, const ConflictReport& conflict, std::size_t indent) {
    const TextStyle& style = page.style();
    const std::string margin(indent, ' ');
    page.pieces(margin, indent, conflict_pieces(conflict, style), " ");
    if (!conflict.hint.empty())
        page.pieces(margin, indent, {escape_terminal(conflict.hint)});
    if (!style.quiet)
        add_proposals(page, conflict, indent);
    if (!style.verbose)
        return;
    if (conflict.yours && conflict.upstream && !conflict.message.empty())
        page.pieces(margin, indent, {escape_terminal(conflict.message)});
    for (const auto& culprit : conflict.culprits)
        page.pieces(margin, indent, {"by " + culprit_text(culprit, style.now), escape_terminal(culprit.author)});
}

void add_hunks(Page& page, const PatchReport& patch, std::size_t indent) {
    for (const auto& hunk : patch.hunks) {
        std::string lines = "lines " + span_text(hunk.old_lines);
        if (hunk.new_lines)
            lines += " -> " + span_text(*hunk.new_lines);
        std::vector<std::string> pieces = {std::move(lines), std::string(to_string(hunk.fate)),
                                           escape_terminal(hunk.reason)};
        if (hunk.by)
            pieces.push_back("by " + culprit_text(*hunk.by, page.style().now));
        page.pieces(std::string(indent, ' '), indent, pieces);
    }
}

void add_details(Page& page, const Report& report, const PatchReport& patch, std::size_t indent) {
    if (page.style().verbose && has_fates(report)) {
        add_hunks(page, patch, indent);
        if (!patch.patch_file.empty())
            page.pieces(std::string(indent, ' '), indent, {escape_terminal(patch.patch_file)});
    }
    for (const ConflictReport* conflict : conflicts_of(report, patch))
        add_conflict(page, *conflict, indent);
}

/// A commit with several paths takes a line for each where their fates differ or one has more to say.
bool lists_paths(const Unit& unit, const TextStyle& style) {
    if (unit.patches.size() < 2)
        return false;
    return style.verbose || !unit.same_fate || unit.fate == Fate::conflict || unit.fate == Fate::moved;
}

std::vector<std::string> unit_pieces(const Unit& unit, bool paths_below) {
    const PatchReport& patch = unit.first();
    std::vector<std::string> pieces;
    if (patch.commit)
        pieces.push_back(commit_text(*patch.commit));
    if (unit.patches.size() == 1) {
        pieces.push_back(path_text(patch));
        pieces.emplace_back(patch.generated ? "generated" : "");
    }
    if (paths_below) {
        pieces.push_back(count_of(unit.patches.size(), "file"));
    } else {
        pieces.push_back(hunk_summary(unit.patches));
    }
    if (unit.same_fate)
        pieces.push_back(who_text(patch));
    if (unit.patches.size() == 1)
        pieces.push_back(escape_terminal(patch.note));
    return pieces;
}

void add_unit(Page& page, const Report& report, const Unit& unit) {
    const TextStyle& style = page.style();
    const bool fates = has_fates(report);
    const std::string head = "  " + (fates ? fate_cell(style, unit.fate) : std::string()) +
                             padded(to_string(unit.first().layer), layer_width) + "  ";
    const std::size_t indent = visible_width(head);
    const bool paths_below = lists_paths(unit, style);
    page.pieces(head, indent, unit_pieces(unit, paths_below));
    if (!paths_below) {
        for (const PatchReport* patch : unit.patches)
            add_details(page, report, *patch, indent);
        return;
    }
    for (const PatchReport* patch : unit.patches) {
        const std::string path_head =
            std::string(indent, ' ') + (fates ? fate_cell(style, patch->fate) : std::string());
        const std::size_t path_indent = visible_width(path_head);
        std::vector<std::string> pieces = {path_text(*patch), patch->generated ? "generated" : "",
                                           hunk_summary(*patch)};
        if (!unit.same_fate || patch->fate == Fate::moved)
            pieces.push_back(who_text(*patch));
        pieces.push_back(escape_terminal(patch->note));
        page.pieces(path_head, path_indent, pieces);
        add_details(page, report, *patch, path_indent);
    }
}

void add_other_conflict(Page& page, const ConflictReport& conflict) {
    const std::string head =
        "  " + fate_cell(page.style(), Fate::conflict) + padded(to_string(conflict.layer), layer_width) + "  ";
    std::string path = escape_terminal(conflict.path);
    if (!conflict.new_path.empty() && conflict.new_path != conflict.path)
        path += " -> " + escape_terminal(conflict.new_path);
    page.pieces(head, visible_width(head), {conflict.commit ? commit_text(*conflict.commit) : "", std::move(path)});
    add_conflict(page, conflict, visible_width(head));
}

} // namespace

void add_patches(Page& page, const Report& report) {
    for (const auto& unit : units_of(report)) {
        if (!page.style().quiet || (has_fates(report) && needs_person(unit.fate)))
            add_unit(page, report, unit);
    }
    for (const ConflictReport* conflict : other_conflicts(report))
        add_other_conflict(page, *conflict);
}

} // namespace carry::report
