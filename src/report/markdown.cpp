#include "base/text.hpp"
#include "base/time.hpp"
#include "report/markdown_text.hpp"
#include "report/render.hpp"
#include "report/sentence.hpp"

#include <fmt/format.h>

namespace carry::report {
namespace {

std::string commit_cell(const CommitRef& commit) {
    return markdown_code(short_id(commit.id)) + ' ' + markdown_text(commit.subject);
}

std::string path_cell(const PatchReport& patch) {
    std::string text = markdown_code(patch.path);
    if (!patch.new_path.empty() && patch.new_path != patch.path)
        text += " → " + markdown_code(patch.new_path);
    return text;
}

std::string facts(const Report& report) {
    std::string text;
    const auto fact = [&text](std::string_view name, const std::string& value) {
        if (!value.empty())
            text += fmt::format("- **{}:** {}\n", name, value);
    };
    if (report.repository.empty() && report.branch.empty())
        return text;
    fact("Checkout", markdown_code(report.repository));
    std::string branch = markdown_code(report.branch);
    if (!report.upstream.empty())
        branch += " ← " + markdown_code(report.upstream);
    fact("Branch", branch);
    if (!report.new_upstream.empty())
        fact("Upstream", fmt::format("{} → {} ({})", markdown_code(short_id(report.old_upstream, 9)),
                                     markdown_code(short_id(report.new_upstream, 9)), upstream_counts(report)));
    fact("Carried", carried_counts(report));
    if (!report.run.empty())
        fact("Run", markdown_code(report.run));
    if (report.time > 0)
        fact("Time", iso_utc(report.time));
    return text;
}

std::string remarks_cell(const PatchReport& patch) {
    std::vector<std::string> parts;
    if (patch.generated)
        parts.emplace_back("generated");
    if (std::string summary = hunk_summary(patch); !summary.empty())
        parts.push_back(markdown_text(summary));
    if (patch.by && patch.fate != Fate::conflict)
        parts.push_back("by " + commit_cell(*patch.by));
    if (!patch.parked_as.empty())
        parts.push_back("set aside as " + markdown_code(patch.parked_as));
    if (!patch.note.empty())
        parts.push_back(markdown_text(patch.note));
    return join(parts, ", ");
}

std::string patches_table(const Report& report) {
    if (report.patches.empty())
        return {};
    const bool fates = has_fates(report);
    std::string text = "\n## Patches\n\n";
    text += fates ? "| Fate | Layer | Path | Commit | Remarks |\n| --- | --- | --- | --- | --- |\n"
                  : "| Layer | Path | Commit | Remarks |\n| --- | --- | --- | --- |\n";
    for (const auto& patch : report.patches) {
        if (fates)
            text += fmt::format("| {} ", to_string(patch.fate));
        text += fmt::format("| {} | {} | {} | {} |\n", to_string(patch.layer), path_cell(patch),
                            patch.commit ? commit_cell(*patch.commit) : "", remarks_cell(patch));
    }
    return text;
}

std::string conflict_section(const ConflictReport& conflict) {
    std::string text = fmt::format("\n### {}\n\n", markdown_code(conflict.path));
    text += fmt::format("- {} conflict, {} layer\n", to_string(conflict.kind), to_string(conflict.layer));
    if (!conflict.message.empty())
        text += fmt::format("- {}\n", markdown_text(conflict.message));
    if (!conflict.hint.empty())
        text += fmt::format("- {}\n", markdown_text(conflict.hint));
    if (conflict.commit)
        text += fmt::format("- carried by {}\n", commit_cell(*conflict.commit));
    if (!conflict.new_path.empty() && conflict.new_path != conflict.path)
        text += fmt::format("- upstream has it as {}\n", markdown_code(conflict.new_path));
    if (conflict.yours && conflict.upstream)
        text += fmt::format("- yours {}, upstream {}\n", span_text(*conflict.yours), span_text(*conflict.upstream));
    for (const auto& culprit : conflict.culprits) {
        text += fmt::format("- changed upstream by {}", commit_cell(culprit));
        if (!culprit.author.empty())
            text += ", " + markdown_text(culprit.author);
        if (culprit.date > 0)
            text += ", " + utc_date(culprit.date);
        text += '\n';
    }
    for (const auto* proposal : distinct_proposals(conflict)) {
        std::string lines;
        for (const auto& line : proposal->lines)
            lines += with_spaces(line) + '\n';
        text += fmt::format("\n{}\n\n", markdown_text(proposal_text(*proposal))) + markdown_block(lines);
    }
    return text;
}

std::string bullets(std::string_view heading, const std::vector<std::string>& items) {
    if (items.empty())
        return {};
    std::string text = fmt::format("\n## {}\n\n", heading);
    for (const auto& item : items)
        text += fmt::format("- {}\n", markdown_text(item));
    return text;
}

std::string warnings_section(const Report& report) {
    if (report.warnings.empty())
        return {};
    std::string text = "\n## Warnings\n\n";
    for (const auto& warning : report.warnings) {
        text += "- ";
        if (!warning.path.empty())
            text += markdown_code(warning.path) + ": ";
        text += markdown_text(warning.message) + '\n';
    }
    return text;
}

std::string verify_section(const Report& report) {
    if (report.verify.empty())
        return {};
    std::string text = "\n## Verification\n";
    for (const auto& result : report.verify) {
        text +=
            fmt::format("\n{}, exit {}, {:.1f} s\n\n", markdown_code(result.command), result.exit_code, result.seconds);
        text += markdown_block(result.output_tail);
    }
    return text;
}

} // namespace

std::string render_markdown(const Report& report) {
    std::string text =
        fmt::format("# git carry {}: {}\n\n", markdown_text(report.command), markdown_text(final_sentence(report)));
    text += facts(report);
    text += patches_table(report);
    if (!report.conflicts.empty()) {
        text += "\n## Conflicts\n";
        for (const auto& conflict : report.conflicts)
            text += conflict_section(conflict);
    }
    text += warnings_section(report);
    text += verify_section(report);
    text += bullets("Notes", report.notes);
    text += bullets("Set aside", report.parked);
    text += bullets("Saved first", report.saved);
    if (report.proof)
        text += bullets("Proof", {proof_sentence(*report.proof)});
    if (!report.next.empty())
        text += "\n## Next\n\n" + markdown_block(join(report.next, "\n"));
    return text;
}

} // namespace carry::report
