#include "base/text.hpp"
#include "report/json.hpp"
#include "report/render.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <array>
#include <limits>

namespace carry::report {
namespace {

using Value = nlohmann::json;

[[noreturn]] void malformed(std::string_view what) {
    throw Error(ErrorKind::failed, fmt::format("malformed report: {}", what));
}

/// One object of the document; fields that are missing keep their defaults, fields of a wrong type throw.
class Fields {
public:
    Fields(const Value& json, std::string_view where) : m_json(json), m_where(where) {
        if (!json.is_object())
            malformed(fmt::format("'{}' is no object", where));
    }

    /// The value, or nullptr where it is missing or null.
    [[nodiscard]] const Value* find(std::string_view key) const {
        const auto found = m_json.find(key);
        return found == m_json.end() || found->is_null() ? nullptr : &*found;
    }

    void read(std::string_view key, std::string& value) const {
        if (const Value* json = find(key)) {
            if (!json->is_string())
                wrong(key, "string");
            value = json->get<std::string>();
        }
    }

    /// Integers within the range of T.
    template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) void read(std::string_view key, T& value) const {
        const Value* json = find(key);
        if (json == nullptr)
            return;
        if (json->is_number_unsigned()) {
            const auto number = json->get<std::uint64_t>();
            if (number > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
                wrong(key, "number of that size");
            value = static_cast<T>(number);
        } else if (std::is_signed_v<T> && json->is_number_integer()) {
            const auto number = json->get<std::int64_t>();
            if (number < static_cast<std::int64_t>(std::numeric_limits<T>::min()))
                wrong(key, "number of that size");
            value = static_cast<T>(number);
        } else {
            wrong(key, "whole number");
        }
    }

    void read(std::string_view key, bool& value) const {
        if (const Value* json = find(key)) {
            if (!json->is_boolean())
                wrong(key, "boolean");
            value = json->get<bool>();
        }
    }

    void read(std::string_view key, double& value) const {
        if (const Value* json = find(key)) {
            if (!json->is_number())
                wrong(key, "number");
            value = json->get<double>();
        }
    }

    /// One of the words that to_string() has for `values`.
    template <typename T, std::size_t N>
    void read_word(std::string_view key, T& value, const std::array<T, N>& values) const {
        std::string word;
        read(key, word);
        if (word.empty())
            return;
        for (const T candidate : values) {
            if (to_string(candidate) == word) {
                value = candidate;
                return;
            }
        }
        malformed(fmt::format("'{}.{}' has the unknown value {}", m_where, key, quoted(word)));
    }

    template <typename T, typename F>
    void read_list(std::string_view key, std::vector<T>& values, F&& convert) const {
        const Value* json = find(key);
        if (json == nullptr)
            return;
        if (!json->is_array())
            wrong(key, "list");
        for (const auto& item : *json)
            values.push_back(convert(item));
    }

    void read(std::string_view key, std::vector<std::string>& values) const {
        read_list(key, values, [&](const Value& item) {
            if (!item.is_string())
                wrong(key, "list of strings");
            return item.get<std::string>();
        });
    }

private:
    [[noreturn]] void wrong(std::string_view key, std::string_view type) const {
        malformed(fmt::format("'{}.{}' is no {}", m_where, key, type));
    }

    const Value& m_json;
    std::string_view m_where;
};

constexpr std::array layers = {Layer::commit, Layer::staged, Layer::unstaged, Layer::untracked, Layer::ignored};
constexpr std::array fates = {Fate::kept,     Fate::moved,    Fate::merged, Fate::absorbed,
                              Fate::resolved, Fate::conflict, Fate::parked};
constexpr std::array conflict_kinds = {
    ConflictKind::content,          ConflictKind::binary,       ConflictKind::both_added,
    ConflictKind::deleted_upstream, ConflictKind::deleted_here, ConflictKind::renamed_twice,
    ConflictKind::type_changed,     ConflictKind::mode,         ConflictKind::directory_file,
    ConflictKind::submodule,        ConflictKind::in_the_way};
constexpr std::array outcomes = {Outcome::upgraded,  Outcome::up_to_date, Outcome::planned,       Outcome::stopped,
                                 Outcome::marked,    Outcome::parked,     Outcome::verify_failed, Outcome::undone,
                                 Outcome::continued, Outcome::recorded,   Outcome::shown,         Outcome::pruned,
                                 Outcome::exported,  Outcome::imported,   Outcome::applied,       Outcome::recovered,
                                 Outcome::refused,   Outcome::failed};

CommitRef commit_from(const Value& json) {
    const Fields fields(json, "commit");
    CommitRef commit;
    fields.read("id", commit.id);
    fields.read("subject", commit.subject);
    fields.read("author", commit.author);
    fields.read("date", commit.date);
    return commit;
}

void read_commit(const Fields& fields, std::string_view key, std::optional<CommitRef>& commit) {
    if (const Value* json = fields.find(key))
        commit = commit_from(*json);
}

void read_span(const Fields& fields, std::string_view key, std::optional<LineSpan>& span) {
    const Value* json = fields.find(key);
    if (json == nullptr)
        return;
    const Fields lines(*json, key);
    span.emplace();
    lines.read("first", span->first);
    lines.read("last", span->last);
}

HunkReport hunk_from(const Value& json) {
    const Fields fields(json, "hunks");
    HunkReport hunk;
    std::optional<LineSpan> old_lines;
    fields.read_word("fate", hunk.fate, fates);
    read_span(fields, "old_lines", old_lines);
    hunk.old_lines = old_lines.value_or(LineSpan{});
    read_span(fields, "new_lines", hunk.new_lines);
    fields.read("reason", hunk.reason);
    read_commit(fields, "by", hunk.by);
    return hunk;
}

PatchReport patch_from(const Value& json) {
    const Fields fields(json, "patches");
    PatchReport patch;
    fields.read_word("layer", patch.layer, layers);
    fields.read_word("fate", patch.fate, fates);
    fields.read("path", patch.path);
    fields.read("new_path", patch.new_path);
    fields.read("change", patch.change);
    read_commit(fields, "commit", patch.commit);
    fields.read("new_commit", patch.new_commit);
    fields.read_list("hunks", patch.hunks, hunk_from);
    read_commit(fields, "by", patch.by);
    fields.read("patch_file", patch.patch_file);
    fields.read("parked_as", patch.parked_as);
    fields.read("note", patch.note);
    fields.read("generated", patch.generated);
    return patch;
}

RuleProposal proposal_from(const Value& json) {
    const Fields fields(json, "proposals");
    RuleProposal proposal;
    fields.read("rule", proposal.rule);
    fields.read("precision", proposal.precision);
    fields.read("lines", proposal.lines);
    return proposal;
}

ConflictReport conflict_from(const Value& json) {
    const Fields fields(json, "conflicts");
    ConflictReport conflict;
    fields.read_word("layer", conflict.layer, layers);
    fields.read_word("kind", conflict.kind, conflict_kinds);
    fields.read("path", conflict.path);
    fields.read("new_path", conflict.new_path);
    read_commit(fields, "commit", conflict.commit);
    read_span(fields, "base", conflict.base);
    read_span(fields, "yours", conflict.yours);
    read_span(fields, "upstream", conflict.upstream);
    fields.read_list("culprits", conflict.culprits, commit_from);
    fields.read("message", conflict.message);
    fields.read("generated", conflict.generated);
    fields.read("hint", conflict.hint);
    fields.read_list("proposals", conflict.proposals, proposal_from);
    return conflict;
}

Warning warning_from(const Value& json) {
    const Fields fields(json, "warnings");
    Warning warning;
    fields.read("kind", warning.kind);
    fields.read("path", warning.path);
    fields.read("message", warning.message);
    return warning;
}

VerifyResult verify_from(const Value& json) {
    const Fields fields(json, "verify");
    VerifyResult result;
    fields.read("command", result.command);
    fields.read("exit_code", result.exit_code);
    fields.read("seconds", result.seconds);
    fields.read("output_tail", result.output_tail);
    return result;
}

RunSummary run_from(const Value& json) {
    const Fields fields(json, "last_run");
    RunSummary run;
    fields.read("id", run.id);
    fields.read("command", run.command);
    fields.read_word("outcome", run.outcome, outcomes);
    fields.read("exit_code", run.exit_code);
    fields.read("old_head", run.old_head);
    fields.read("new_head", run.new_head);
    fields.read("time", run.time);
    fields.read("state", run.state);
    fields.read("conflicts", run.conflicts);
    fields.read("patches", run.patches);
    return run;
}

UndoProof proof_from(const Value& json) {
    const Fields fields(json, "proof");
    UndoProof proof;
    fields.read("run", proof.run);
    fields.read("files", proof.files);
    fields.read("differs", proof.differs);
    return proof;
}

void require_schema(const Fields& fields) {
    int schema = 0;
    fields.read("schema", schema);
    if (schema < 1)
        malformed("'schema' is missing");
    if (schema > schema_version)
        throw Error(ErrorKind::failed,
                    fmt::format("the report has schema {}, this git-carry reads up to {}", schema, schema_version),
                    {"a newer git-carry wrote it: upgrade this one"});
}

void read_scalars(const Fields& fields, Report& report) {
    fields.read("command", report.command);
    fields.read_word("outcome", report.outcome, outcomes);
    fields.read("exit_code", report.exit_code);
    fields.read("run", report.run);
    fields.read("time", report.time);
    fields.read("repository", report.repository);
    fields.read("branch", report.branch);
    fields.read("upstream", report.upstream);
    fields.read("old", report.old_head);
    fields.read("new", report.new_head);
    fields.read("base", report.base);
    fields.read("old_upstream", report.old_upstream);
    fields.read("new_upstream", report.new_upstream);
    fields.read("upstream_commits", report.upstream_commits);
    fields.read("upstream_files", report.upstream_files);
    fields.read("commits", report.commits);
    fields.read("staged", report.staged);
    fields.read("unstaged", report.unstaged);
    fields.read("untracked", report.untracked);
    fields.read("error", report.error);
    fields.read("waiting", report.waiting);
}

} // namespace

Report parse_json(std::string_view text) {
    const Value json = Value::parse(text.begin(), text.end(), nullptr, false);
    if (json.is_discarded())
        malformed("it is not JSON");
    const Fields fields(json, "report");
    require_schema(fields);
    Report report;
    read_scalars(fields, report);
    fields.read_list("patches", report.patches, patch_from);
    fields.read_list("conflicts", report.conflicts, conflict_from);
    fields.read_list("warnings", report.warnings, warning_from);
    fields.read_list("verify", report.verify, verify_from);
    fields.read("notes", report.notes);
    fields.read("parked", report.parked);
    fields.read("saved", report.saved);
    fields.read("next", report.next);
    if (const Value* proof = fields.find("proof"))
        report.proof = proof_from(*proof);
    if (const Value* run = fields.find("last_run"))
        report.last_run = run_from(*run);
    return report;
}

} // namespace carry::report
