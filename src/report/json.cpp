#include "report/json.hpp"

#include "report/render.hpp"

#include <carry/version.hpp>

namespace carry::report {
namespace {

using Json = nlohmann::ordered_json;

template <typename T, typename F>
Json list(const std::vector<T>& items, F&& convert) {
    Json array = Json::array();
    for (const auto& item : items)
        array.push_back(convert(item));
    return array;
}

Json commit_json(const CommitRef& commit) {
    return {{"id", commit.id}, {"subject", commit.subject}, {"author", commit.author}, {"date", commit.date}};
}

Json commit_json(const std::optional<CommitRef>& commit) {
    return commit ? commit_json(*commit) : Json();
}

Json span_json(const std::optional<LineSpan>& span) {
    return span ? Json{{"first", span->first}, {"last", span->last}} : Json();
}

Json hunk_json(const HunkReport& hunk) {
    return {{"fate", to_string(hunk.fate)},
            {"old_lines", span_json(hunk.old_lines)},
            {"new_lines", span_json(hunk.new_lines)},
            {"reason", hunk.reason},
            {"by", commit_json(hunk.by)}};
}

Json patch_json(const PatchReport& patch) {
    return {{"layer", to_string(patch.layer)}, {"path", patch.path},
            {"new_path", patch.new_path},      {"fate", to_string(patch.fate)},
            {"change", patch.change},          {"commit", commit_json(patch.commit)},
            {"new_commit", patch.new_commit},  {"hunks", list(patch.hunks, hunk_json)},
            {"by", commit_json(patch.by)},     {"patch_file", patch.patch_file},
            {"parked_as", patch.parked_as},    {"note", patch.note},
            {"generated", patch.generated}};
}

Json proposal_json(const RuleProposal& proposal) {
    return {{"rule", proposal.rule}, {"precision", proposal.precision}, {"lines", proposal.lines}};
}

Json conflict_json(const ConflictReport& conflict) {
    return {{"layer", to_string(conflict.layer)},
            {"kind", to_string(conflict.kind)},
            {"path", conflict.path},
            {"new_path", conflict.new_path},
            {"commit", commit_json(conflict.commit)},
            {"base", span_json(conflict.base)},
            {"yours", span_json(conflict.yours)},
            {"upstream", span_json(conflict.upstream)},
            {"culprits", list(conflict.culprits, [](const CommitRef& commit) { return commit_json(commit); })},
            {"message", conflict.message},
            {"generated", conflict.generated},
            {"hint", conflict.hint},
            {"proposals", list(conflict.proposals, proposal_json)}};
}

Json warning_json(const Warning& warning) {
    return {{"kind", warning.kind}, {"path", warning.path}, {"message", warning.message}};
}

Json verify_json(const VerifyResult& result) {
    return {{"command", result.command},
            {"exit_code", result.exit_code},
            {"seconds", result.seconds},
            {"output_tail", result.output_tail}};
}

Json proof_json(const UndoProof& proof) {
    return {
        {"run", proof.run}, {"verified", proof.differs.empty()}, {"files", proof.files}, {"differs", proof.differs}};
}

Json run_json(const RunSummary& run) {
    return {{"id", run.id},
            {"command", run.command},
            {"outcome", to_string(run.outcome)},
            {"exit_code", run.exit_code},
            {"old_head", run.old_head},
            {"new_head", run.new_head},
            {"time", run.time},
            {"state", run.state},
            {"conflicts", run.conflicts},
            {"patches", run.patches}};
}

Json report_json(const Report& report) {
    Json json = {{"schema", schema_version},
                 {"version", version()},
                 {"command", report.command},
                 {"outcome", to_string(report.outcome)},
                 {"exit_code", report.exit_code},
                 {"run", report.run},
                 {"time", report.time},
                 {"repository", report.repository},
                 {"branch", report.branch},
                 {"upstream", report.upstream},
                 {"old", report.old_head},
                 {"new", report.new_head},
                 {"base", report.base},
                 {"old_upstream", report.old_upstream},
                 {"new_upstream", report.new_upstream},
                 {"upstream_commits", report.upstream_commits},
                 {"upstream_files", report.upstream_files},
                 {"commits", report.commits},
                 {"staged", report.staged},
                 {"unstaged", report.unstaged},
                 {"untracked", report.untracked},
                 {"patches", list(report.patches, patch_json)},
                 {"conflicts", list(report.conflicts, conflict_json)},
                 {"warnings", list(report.warnings, warning_json)},
                 {"notes", report.notes},
                 {"verify", list(report.verify, verify_json)},
                 {"parked", report.parked},
                 {"saved", report.saved},
                 {"proof", report.proof ? proof_json(*report.proof) : Json()},
                 {"error", report.error},
                 {"last_run", report.last_run ? run_json(*report.last_run) : Json()},
                 {"waiting", report.waiting},
                 {"next", report.next}};
    return json;
}

/// Names arrive quoted; should one not be UTF-8 all the same, it must not cost the report.
std::string dump(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace

std::string render_json(const Report& report) {
    return dump(report_json(report));
}

std::string render_runs_json(const std::vector<RunSummary>& runs) {
    return dump({{"schema", schema_version}, {"version", version()}, {"runs", list(runs, run_json)}});
}

std::string render_error_json(std::string_view command, int exit_code, std::string_view message,
                              const std::vector<std::string>& causes, const std::vector<std::string>& hints) {
    constexpr int refused = 6;
    Report report;
    report.command = command;
    report.outcome = exit_code == refused ? Outcome::refused : Outcome::failed;
    report.exit_code = exit_code;
    report.error = message;
    report.next = hints;
    Json json = report_json(report);
    json["causes"] = causes;
    return dump(json);
}

} // namespace carry::report
