// run.json and bases.json: the small files that a later command reads back.
#include "base/file.hpp"
#include "base/text.hpp"
#include "pipeline/chain_json.hpp"
#include "pipeline/run_store.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace carry::pipeline {

namespace {

using nlohmann::json;

constexpr int k_schema = 1;

template <class Enum, std::size_t N>
Enum enum_from(const std::string& text, const std::array<Enum, N>& values) {
    for (const auto value : values)
        if (to_string(value) == text)
            return value;
    throw Error(ErrorKind::failed, fmt::format("a run record holds the unknown word {}", quoted(text)));
}

constexpr std::array k_states{RunState::open,    RunState::applying, RunState::verifying,  RunState::done,
                              RunState::waiting, RunState::stopped,  RunState::rolled_back};
json to_json(const PendingConflict& conflict) {
    return {{"path", path_to_json(conflict.path)}, {"base", conflict.base.hex()},
            {"upstream", conflict.upstream.hex()}, {"local", conflict.local.hex()},
            {"marked", conflict.marked.hex()},     {"marker_size", conflict.marker_size}};
}

PendingConflict conflict_from(const json& value) {
    PendingConflict conflict;
    conflict.path = path_from_json(value.at("path").get<std::string>());
    conflict.base = id_from_json(value.at("base"));
    conflict.upstream = id_from_json(value.at("upstream"));
    conflict.local = id_from_json(value.at("local"));
    conflict.marked = id_from_json(value.at("marked"));
    conflict.marker_size = value.at("marker_size").get<unsigned short>();
    return conflict;
}

json to_json(const Pending& pending) {
    json paths = json::array();
    for (const auto& item : pending.paths)
        paths.push_back({{"path", path_to_json(item.path)}, {"layer", to_string(item.layer)}});
    json conflicts = json::array();
    for (const auto& conflict : pending.conflicts)
        conflicts.push_back(to_json(conflict));
    json links = json::array();
    for (const auto& link : pending.links)
        links.push_back(link_to_json(link));
    json added = json::array();
    for (const auto& path : pending.intent_to_add)
        added.push_back(path_to_json(path));
    json submodules = json::array();
    for (const auto& [path, waiting] : pending.submodules)
        submodules.push_back({{"path", path_to_json(path)}, {"pending", to_json(waiting)}});
    json rewritten = json::array();
    for (const auto& [before, after] : pending.rewritten)
        rewritten.push_back({before.hex(), after.hex()});
    return {{"origin", pending.origin},
            {"base", pending.base.hex()},
            {"target", pending.target.hex()},
            {"links", links},
            {"paths", paths},
            {"conflicts", conflicts},
            {"staged_tree", pending.staged_tree.hex()},
            {"intent_to_add", added},
            {"submodules", submodules},
            {"rewritten", rewritten}};
}

/// Submodules in submodules.
constexpr int most_nested = 64;

Pending pending_from(const json& value, int depth = 0) {
    if (depth > most_nested)
        throw Error(ErrorKind::failed, "a run record holds too many submodules inside each other");
    Pending pending;
    pending.origin = value.at("origin").get<std::string>();
    pending.base = id_from_json(value.at("base"));
    pending.target = id_from_json(value.at("target"));
    for (const auto& link : value.at("links"))
        pending.links.push_back(link_from_json(link));
    for (const auto& item : value.at("paths"))
        pending.paths.push_back(
            {path_from_json(item.at("path").get<std::string>()), layer_from_json(item.at("layer"))});
    if (const auto conflicts = value.find("conflicts"); conflicts != value.end())
        for (const auto& item : *conflicts)
            pending.conflicts.push_back(conflict_from(item));
    pending.staged_tree = id_from_json(value.at("staged_tree"));
    for (const auto& path : value.at("intent_to_add"))
        pending.intent_to_add.push_back(path_from_json(path.get<std::string>()));
    for (const auto& item : value.value("submodules", json::array()))
        pending.submodules.push_back(
            {path_from_json(item.at("path").get<std::string>()), pending_from(item.at("pending"), depth + 1)});
    for (const auto& pair : value.value("rewritten", json::array()))
        pending.rewritten.emplace_back(id_from_json(pair.at(0)), id_from_json(pair.at(1)));
    return pending;
}

} // namespace

void RunStore::save(const RunRecord& record) {
    const json value{{"schema", k_schema},
                     {"id", record.id},
                     {"command", record.command},
                     {"state", to_string(record.state)},
                     {"lands_as", to_string(record.lands_as)},
                     {"time", record.time},
                     {"exit_code", record.exit_code},
                     {"old_head", record.old_head.hex()},
                     {"new_head", record.new_head.hex()},
                     {"target_name", path_to_json(record.target_name)},
                     {"settles", record.settles},
                     {"pending", record.pending ? to_json(*record.pending) : json()},
                     {"changed", record.changed},
                     {"parked", record.parked}};
    write_file_atomic(m_runs / record.id / "run.json", value.dump(2) + "\n");
}

RunRecord RunStore::load(const std::string& id) const {
    const auto text = read_file_if_exists(m_runs / id / "run.json");
    if (!text)
        throw Error(ErrorKind::usage, fmt::format("there is no run {}", quoted(id)),
                    {"git carry runs   lists the runs"});
    try {
        const auto value = json::parse(*text);
        if (value.at("schema").get<int>() > k_schema)
            throw Error(ErrorKind::failed, fmt::format("run {} was recorded by a newer git-carry", quoted(id)));
        RunRecord record;
        record.id = value.at("id").get<std::string>();
        if (record.id != id)
            throw Error(ErrorKind::failed, fmt::format("the record of run {} is another run's", quoted(id)));
        record.command = value.at("command").get<std::string>();
        record.state = enum_from(value.at("state").get<std::string>(), k_states);
        record.lands_as = enum_from(value.at("lands_as").get<std::string>(), k_states);
        record.time = value.at("time").get<std::int64_t>();
        record.exit_code = value.at("exit_code").get<int>();
        record.old_head = id_from_json(value.at("old_head"));
        record.new_head = id_from_json(value.at("new_head"));
        record.target_name = path_from_json(value.at("target_name").get<std::string>());
        record.settles = value.at("settles").get<std::vector<std::string>>();
        if (!value.at("pending").is_null())
            record.pending = pending_from(value.at("pending"));
        record.changed = value.at("changed").get<bool>();
        record.parked = value.at("parked").get<bool>();
        return record;
    } catch (const json::exception& error) {
        throw Error(ErrorKind::failed, fmt::format("the record of run {} cannot be read", quoted(id)))
            .because(error.what());
    }
}

std::optional<git::ObjectId> RunStore::last_base(const std::string& branch) const {
    const auto text = read_file_if_exists(root() / "bases.json");
    if (!text)
        return std::nullopt;
    const auto value = json::parse(*text, nullptr, false);
    const auto key = path_to_json(branch);
    if (!value.is_object() || !value.contains(key) || !value[key].is_string())
        return std::nullopt;
    return id_from_json(value[key]);
}

void RunStore::set_last_base(const std::string& branch, const git::ObjectId& id) {
    const auto text = read_file_if_exists(root() / "bases.json");
    auto value = text ? json::parse(*text, nullptr, false) : json::object();
    if (!value.is_object())
        value = json::object();
    value[path_to_json(branch)] = id.hex();
    write_file_atomic(root() / "bases.json", value.dump(2) + "\n");
}

} // namespace carry::pipeline
