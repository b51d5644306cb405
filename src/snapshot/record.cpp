#include "snapshot/record.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "snapshot/record_text.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carry::snapshot {

namespace {

using json = nlohmann::json;

constexpr int schema_version = 1;

// --- writing: values to JSON ---

json to_json(const git::ObjectId& id) {
    return id.is_null() ? json(nullptr) : json(id.hex());
}

json to_json(const std::optional<git::TreeEntry>& entry) {
    if (!entry)
        return nullptr;
    return {{"mode", fmt::format("{:06o}", entry->mode)}, {"id", to_json(entry->id)}};
}

json to_json(const std::vector<std::string>& texts) {
    auto array = json::array();
    for (const auto& text : texts)
        array.push_back(encode_text(text));
    return array;
}

json to_json(const Status& status) {
    auto entries = json::array();
    for (const auto& entry : status.entries)
        entries.push_back({{"path", encode_text(entry.path)},
                           {"index", std::string(1, entry.index)},
                           {"worktree", std::string(1, entry.worktree)},
                           {"head_entry", to_json(entry.head_entry)},
                           {"index_entry", to_json(entry.index_entry)},
                           {"worktree_mode", fmt::format("{:06o}", entry.worktree_mode)},
                           {"submodule", entry.submodule}});
    auto unmerged = json::array();
    for (const auto& entry : status.unmerged)
        unmerged.push_back({{"path", encode_text(entry.path)},
                            {"base", to_json(entry.base)},
                            {"ours", to_json(entry.ours)},
                            {"theirs", to_json(entry.theirs)},
                            {"worktree_mode", fmt::format("{:06o}", entry.worktree_mode)}});
    return {{"entries", std::move(entries)},
            {"unmerged", std::move(unmerged)},
            {"untracked", to_json(status.untracked)},
            {"nested", to_json(status.nested)}};
}

json to_json(const git::Head& head) {
    return {{"branch", head.branch ? json(encode_text(*head.branch)) : json(nullptr)},
            {"commit", to_json(head.commit)}};
}

json to_json(const std::optional<git::Upstream>& upstream) {
    if (!upstream)
        return nullptr;
    return {{"remote", encode_text(upstream->remote)},
            {"merge_ref", encode_text(upstream->merge_ref)},
            {"tracking_ref", encode_text(upstream->tracking_ref)}};
}

json to_json(const FileStamp& stamp) {
    return {{"device", stamp.device},     {"inode", stamp.inode},       {"size", stamp.size},
            {"mtime_ns", stamp.mtime_ns}, {"ctime_ns", stamp.ctime_ns}, {"mode", stamp.mode}};
}

json to_json(const Snapshot& snapshot) {
    auto raw = json::object();
    for (const auto& [path, id] : snapshot.raw)
        raw[encode_text(path)] = to_json(id);
    auto stamps = json::object();
    for (const auto& [path, stamp] : snapshot.stamps)
        stamps[encode_text(path)] = to_json(stamp);
    auto remotes = json::array();
    for (const auto& [name, url] : snapshot.remotes)
        remotes.push_back({{"name", encode_text(name)}, {"url", encode_text(url)}});
    return {{"schema", schema_version},
            {"time", iso_utc(snapshot.time)},
            {"seconds", snapshot.time},
            {"head", to_json(snapshot.head)},
            {"upstream", to_json(snapshot.upstream)},
            {"trees",
             {{"head", to_json(snapshot.head_tree)},
              {"staged", to_json(snapshot.staged_tree)},
              {"unstaged", to_json(snapshot.unstaged_tree)},
              {"untracked", to_json(snapshot.untracked_tree)}}},
            {"index", to_json(snapshot.index_blob)},
            {"index_time", snapshot.index_time},
            {"status", to_json(snapshot.status)},
            {"flags",
             {{"skip_worktree", to_json(snapshot.flags.skip_worktree)},
              {"assume_unchanged", to_json(snapshot.flags.assume_unchanged)}}},
            {"raw", std::move(raw)},
            {"stamps", std::move(stamps)},
            {"intent_to_add", to_json(snapshot.intent_to_add)},
            {"left_out", to_json(snapshot.left_out)},
            {"hidden_edits", to_json(snapshot.hidden_edits)},
            {"stashes", to_json(snapshot.stashes)},
            {"remotes", std::move(remotes)},
            {"submodules", to_json(snapshot.submodules)},
            {"log", to_json(snapshot.log)}};
}

// --- reading: JSON to values; at() and get<>() throw on whatever is missing or of another type ---

std::string text_of(const json& value) {
    return decode_text(value.get_ref<const std::string&>());
}

git::ObjectId id_of(const json& value) {
    return value.is_null() ? git::ObjectId() : git::ObjectId::from_hex(value.get_ref<const std::string&>());
}

std::uint32_t mode_of(const json& value) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() != 6 || text.find_first_not_of("01234567") != std::string::npos)
        throw Error(ErrorKind::failed, "not a mode: " + quoted(text));
    return static_cast<std::uint32_t>(std::stoul(text, nullptr, 8));
}

char letter_of(const json& value) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() != 1)
        throw Error(ErrorKind::failed, "not one letter: " + quoted(text));
    return text[0];
}

std::optional<git::TreeEntry> entry_of(const json& value) {
    if (value.is_null())
        return std::nullopt;
    return git::TreeEntry{mode_of(value.at("mode")), id_of(value.at("id"))};
}

std::vector<std::string> texts_of(const json& value) {
    std::vector<std::string> texts;
    for (const auto& element : value.get_ref<const json::array_t&>())
        texts.push_back(text_of(element));
    return texts;
}

Status status_of(const json& value) {
    Status status;
    for (const auto& element : value.at("entries").get_ref<const json::array_t&>()) {
        StatusEntry entry;
        entry.path = text_of(element.at("path"));
        entry.index = letter_of(element.at("index"));
        entry.worktree = letter_of(element.at("worktree"));
        entry.head_entry = entry_of(element.at("head_entry"));
        entry.index_entry = entry_of(element.at("index_entry"));
        entry.worktree_mode = mode_of(element.at("worktree_mode"));
        entry.submodule = element.at("submodule").get<std::string>();
        status.entries.push_back(std::move(entry));
    }
    for (const auto& element : value.at("unmerged").get_ref<const json::array_t&>()) {
        UnmergedStatus entry;
        entry.path = text_of(element.at("path"));
        entry.base = entry_of(element.at("base"));
        entry.ours = entry_of(element.at("ours"));
        entry.theirs = entry_of(element.at("theirs"));
        entry.worktree_mode = mode_of(element.at("worktree_mode"));
        status.unmerged.push_back(std::move(entry));
    }
    status.untracked = texts_of(value.at("untracked"));
    status.nested = texts_of(value.at("nested"));
    return status;
}

FileStamp stamp_of(const json& value) {
    return {.device = value.at("device").get<std::uint64_t>(),
            .inode = value.at("inode").get<std::uint64_t>(),
            .size = value.at("size").get<std::uint64_t>(),
            .mtime_ns = value.at("mtime_ns").get<std::int64_t>(),
            .ctime_ns = value.at("ctime_ns").get<std::int64_t>(),
            .mode = value.at("mode").get<std::uint32_t>()};
}

void read_places(const json& value, Snapshot& snapshot) {
    const auto& head = value.at("head");
    if (!head.at("branch").is_null())
        snapshot.head.branch = text_of(head.at("branch"));
    snapshot.head.commit = id_of(head.at("commit"));
    if (const auto& upstream = value.at("upstream"); !upstream.is_null())
        snapshot.upstream = git::Upstream{text_of(upstream.at("remote")), text_of(upstream.at("merge_ref")),
                                          text_of(upstream.at("tracking_ref"))};
    const auto& trees = value.at("trees");
    snapshot.head_tree = id_of(trees.at("head"));
    snapshot.staged_tree = id_of(trees.at("staged"));
    snapshot.unstaged_tree = id_of(trees.at("unstaged"));
    snapshot.untracked_tree = id_of(trees.at("untracked"));
    snapshot.index_blob = id_of(value.at("index"));
    snapshot.index_time = value.at("index_time").get<std::uint64_t>();
}

Snapshot snapshot_of(const json& value) {
    if (const auto schema = value.at("schema").get<int>(); schema != schema_version)
        throw Error(ErrorKind::failed, fmt::format("schema {} is not known here", schema))
            .hint("use the git-carry that wrote it, or a newer one");
    Snapshot snapshot;
    snapshot.time = value.at("seconds").get<std::int64_t>();
    read_places(value, snapshot);
    snapshot.status = status_of(value.at("status"));
    snapshot.flags.skip_worktree = texts_of(value.at("flags").at("skip_worktree"));
    snapshot.flags.assume_unchanged = texts_of(value.at("flags").at("assume_unchanged"));
    for (const auto& [path, id] : value.at("raw").get_ref<const json::object_t&>())
        snapshot.raw.emplace(decode_text(path), id_of(id));
    for (const auto& [path, stamp] : value.at("stamps").get_ref<const json::object_t&>())
        snapshot.stamps.emplace(decode_text(path), stamp_of(stamp));
    snapshot.intent_to_add = texts_of(value.at("intent_to_add"));
    snapshot.left_out = texts_of(value.at("left_out"));
    snapshot.hidden_edits = texts_of(value.at("hidden_edits"));
    snapshot.stashes = texts_of(value.at("stashes"));
    for (const auto& remote : value.at("remotes").get_ref<const json::array_t&>())
        snapshot.remotes.emplace_back(text_of(remote.at("name")), text_of(remote.at("url")));
    snapshot.submodules = texts_of(value.at("submodules"));
    snapshot.log = texts_of(value.at("log"));
    return snapshot;
}

} // namespace

void write_record(const Snapshot& snapshot, const std::filesystem::path& run_directory, git::ObjectStore& store) {
    make_directories(run_directory);
    write_file_atomic(run_directory / "snapshot.json", to_json(snapshot).dump(1) + "\n");
    write_file_atomic(run_directory / "status.txt", porcelain_text(snapshot.status, store.format()));
    write_file_atomic(run_directory / "log.txt", snapshot.log.empty() ? "" : join(snapshot.log, "\n") + "\n");
    if (!snapshot.index_blob.is_null())
        write_file_atomic(run_directory / "index",
                          store.require(snapshot.index_blob, git::ObjectType::blob, "the index"));
}

Snapshot read_record(const std::filesystem::path& run_directory) {
    const auto file = run_directory / "snapshot.json";
    const auto text = read_file_if_exists(file);
    if (!text)
        throw Error(ErrorKind::failed, "there is no record at " + quoted(file.native()));
    const auto malformed = [&](std::string_view cause) {
        return Error(ErrorKind::failed, "the record " + quoted(file.native()) + " cannot be read")
            .because(std::string(cause));
    };
    try {
        return snapshot_of(json::parse(*text));
    } catch (const json::exception& error) {
        throw malformed(error.what());
    } catch (const Error& error) {
        auto whole = malformed(error.message());
        for (const auto& hint : error.hints())
            whole.hint(hint);
        throw whole;
    }
}

} // namespace carry::snapshot
