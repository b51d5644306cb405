#include "pipeline/undo_proof.hpp"

#include "base/file.hpp"
#include "git/digest.hpp"
#include "pipeline/chain_json.hpp"
#include "transaction/apply.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>

namespace carry::pipeline {

namespace {

using nlohmann::json;
using transaction::FileKind;
using transaction::FileState;

constexpr int k_schema = 1;

using States = std::map<std::string, FileState>;

/// What a path is told by: kind, bytes and, of a file, its mode.
std::string state_line(const std::string& path, const FileState& state) {
    if (state.kind == FileKind::absent)
        return "absent " + path + '\0';
    if (state.kind == FileKind::link)
        return fmt::format("link {} {}{}", state.content.hex(), path, '\0');
    const auto mode = state.metadata ? state.metadata->mode : (state.executable ? 0755U : 0644U);
    return fmt::format("file {:04o} {} {}{}", mode, state.content.hex(), path, '\0');
}

std::string digest_of(Workspace& workspace, const States& states) {
    std::string text;
    for (const auto& [path, state] : states)
        text += state_line(path, state);
    return git::digest_hex(workspace.repository().capabilities().object_format, text);
}

States states_before(const std::vector<transaction::CheckoutMove>& moves) {
    States states;
    for (const auto& move : moves)
        for (const auto& transition : move.transitions)
            states[transition.path] = transition.before;
    return states;
}

States read_states(Workspace& workspace, const States& paths) {
    auto& repository = workspace.repository();
    States states;
    for (const auto& [path, state] : paths)
        states[path] = transaction::read_state(repository.paths(), path, repository.objects());
    return states;
}

/// A wanted state without metadata takes any mode.
bool is_as_wanted(const FileState& wanted, const FileState& found) {
    const bool same_mode = wanted.kind != FileKind::regular || !wanted.metadata || !found.metadata ||
                           wanted.metadata->mode == found.metadata->mode;
    return same_mode && wanted.kind == found.kind && wanted.content == found.content &&
           (wanted.kind != FileKind::regular || wanted.executable == found.executable);
}

std::filesystem::path fingerprint_file(Workspace& workspace, const std::string& run) {
    return workspace.runs().directory(run) / "fingerprint.json";
}

git::ObjectId present_index(Workspace& workspace) {
    auto& repository = workspace.repository();
    const auto bytes = read_file_if_exists(repository.paths().git_dir / "index");
    return bytes ? repository.objects().write(git::ObjectType::blob, *bytes) : git::ObjectId{};
}

std::optional<json> read_fingerprint(Workspace& workspace, const std::string& run) {
    const auto text = read_file_if_exists(fingerprint_file(workspace, run));
    if (!text)
        return std::nullopt;
    auto value = json::parse(*text, nullptr, false);
    return value.is_object() ? std::optional(std::move(value)) : std::nullopt;
}

} // namespace

void keep_fingerprint(Workspace& workspace, const std::string& run, const snapshot::Snapshot& snapshot,
                      const transaction::CheckoutMove& move) {
    const auto states = states_before({move});
    const json value{{"schema", k_schema},
                     {"branch", path_to_json(snapshot.head.branch.value_or(""))},
                     {"head", snapshot.head.commit.hex()},
                     {"index", snapshot.index_blob.hex()},
                     {"files", states.size()},
                     {"digest", digest_of(workspace, states)}};
    write_file_atomic(fingerprint_file(workspace, run), value.dump(2) + "\n");
}

void prove_undone(Workspace& workspace, const std::string& run, const snapshot::Snapshot& then,
                  const transaction::CheckoutMove& done, UndoProof& proof) {
    const auto differs = [&](const std::string& what) { proof.differs.push_back(what); };
    const auto shown_part = [&](const std::string& part) {
        return workspace.prefix().empty() ? part : fmt::format("{} of {}", part, workspace.shown({}));
    };
    const auto head = workspace.repository().head();
    const auto index = present_index(workspace);
    const auto by_run = states_before(workspace.runs().load_moves(run));
    const auto found = read_states(workspace, by_run);
    auto head_holds = head.commit == then.head.commit && head.branch == then.head.branch;
    auto index_holds = index == then.index_blob;
    bool record_holds = true;
    if (const auto kept = read_fingerprint(workspace, run)) {
        head_holds = head_holds && kept->value("head", "") == head.commit.hex() &&
                     kept->value("branch", "") == path_to_json(head.branch.value_or(""));
        index_holds = index_holds && kept->value("index", "") == index.hex();
        record_holds = kept->value("digest", "") == digest_of(workspace, found);
    }
    if (!head_holds)
        differs(shown_part("HEAD"));
    if (!index_holds)
        differs(shown_part("the index"));

    const auto named_before = proof.differs.size();
    proof.files += by_run.size();
    for (const auto& [path, wanted] : by_run)
        if (!is_as_wanted(wanted, found.at(path)))
            differs(workspace.shown(path));
    if (!record_holds && proof.differs.size() == named_before)
        differs(shown_part("the record of the files"));

    // what later runs or the user changed beyond that
    States beyond;
    for (const auto& transition : done.transitions)
        if (!by_run.contains(transition.path))
            beyond[transition.path] = transition.after;
    proof.files += beyond.size();
    for (const auto& [path, state] : read_states(workspace, beyond))
        if (!is_as_wanted(beyond.at(path), state))
            differs(workspace.shown(path));
}

} // namespace carry::pipeline
