#include "pipeline/run_store.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "report/render.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace carry::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view k_submodules = "submodules";

} // namespace

std::string_view to_string(RunState state) {
    switch (state) {
    case RunState::open:
        return "open";
    case RunState::applying:
        return "applying";
    case RunState::verifying:
        return "verifying";
    case RunState::done:
        return "done";
    case RunState::waiting:
        return "waiting";
    case RunState::stopped:
        return "stopped";
    case RunState::rolled_back:
        return "rolled-back";
    }
    return "unknown";
}

RunStore::RunStore(git::RepositoryPaths paths) : m_paths(std::move(paths)), m_runs(m_paths.carry_dir() / "runs") {}

RunStore RunStore::nested(git::RepositoryPaths paths, const std::string& path) const {
    RunStore store(std::move(paths));
    store.m_runs = m_runs;
    store.m_share = m_share / k_submodules / path;
    return store;
}

std::vector<std::string> RunStore::submodules(const std::string& id) const {
    const auto top = directory(id) / k_submodules;
    std::vector<std::string> paths;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(top, error), end; !error && entry != end; entry.increment(error)) {
        if (!fs::exists(entry->path() / "snapshot.json"))
            continue;
        paths.push_back(entry->path().lexically_relative(top).native());
        entry.disable_recursion_pending();
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

fs::path RunStore::root() const {
    return m_paths.carry_dir();
}

fs::path RunStore::directory(const std::string& id) const {
    return m_share.empty() ? m_runs / id : m_runs / id / m_share;
}

RunRecord RunStore::create(const std::string& command, std::int64_t time) {
    RunRecord record;
    // Ids sort by age, also for two runs within one second: a new id is always above the newest.
    const auto existing = all();
    if (!existing.empty()) // the clock may have gone back, by years
        time = std::max(time, existing.back().time);
    do {
        record.id = fmt::format("{}-{}", compact_utc(time), random_suffix(4));
        if (!existing.empty() && record.id < existing.back().id &&
            compact_utc(time) <= existing.back().id.substr(0, 16))
            time += 1;
    } while (fs::exists(m_runs / record.id) || (!existing.empty() && record.id < existing.back().id));
    record.command = command;
    record.time = time;
    make_directories(m_runs / record.id, 0700);
    save(record);
    return record;
}

void RunStore::discard(const std::string& id) {
    std::error_code ignored;
    fs::remove_all(m_runs / id, ignored);
}

std::vector<RunRecord> RunStore::all() const {
    std::vector<RunRecord> records;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(m_runs, error)) {
        try {
            records.push_back(load(entry.path().filename().string()));
        } catch (const Error&) {
            continue; // a directory that somebody else put there, or one whose record was never written
        }
    }
    std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return records;
}

std::string RunStore::find(const std::string& prefix) const {
    std::vector<std::string> found;
    for (const auto& record : all())
        if (record.id == prefix || (record.id.rfind(prefix, 0) == 0 && !prefix.empty()))
            found.push_back(record.id);
    if (found.empty())
        throw Error(ErrorKind::usage, fmt::format("there is no run {}", quoted(prefix)),
                    {"git carry runs   lists the runs"});
    if (found.size() > 1)
        throw Error(ErrorKind::usage, fmt::format("{} runs start with {}", found.size(), quoted(prefix)),
                    {"git carry runs   lists the runs"});
    return found.front();
}

std::optional<RunRecord> RunStore::last_changed() const {
    auto records = all();
    for (auto it = records.rbegin(); it != records.rend(); ++it)
        if (it->changed && it->state != RunState::rolled_back)
            return *it;
    return std::nullopt;
}

std::optional<std::string> RunStore::current() const {
    const auto text = read_file_if_exists(root() / "current");
    if (!text || trim(*text).empty())
        return std::nullopt;
    return std::string(trim(*text));
}

void RunStore::set_current(const std::optional<std::string>& id) {
    if (id) {
        write_file_atomic(root() / "current", *id + "\n");
        return;
    }
    std::error_code ignored;
    fs::remove(root() / "current", ignored);
}

void RunStore::save_moves(const std::string& id, const std::vector<transaction::CheckoutMove>& moves) {
    write_file_atomic(directory(id) / "transaction", transaction::serialize(moves));
}

std::vector<transaction::CheckoutMove> RunStore::load_moves(const std::string& id) const {
    const auto text = read_file_if_exists(directory(id) / "transaction");
    if (!text)
        return {};
    return transaction::parse_moves(*text);
}

std::vector<transaction::CheckoutMove> RunStore::load_all_moves(const std::string& id) const {
    auto moves = load_moves(id);
    for (const auto& path : submodules(id))
        for (auto& move : nested(m_paths, path).load_all_moves(id))
            moves.push_back(std::move(move));
    return moves;
}

void RunStore::save_report(const std::string& id, const Report& report) {
    write_file_atomic(directory(id) / "report.json", report::render_json(report));
    write_file_atomic(directory(id) / "report.md", report::render_markdown(report));
}

std::optional<Report> RunStore::load_report(const std::string& id) const {
    const auto text = read_file_if_exists(directory(id) / "report.json");
    if (!text)
        return std::nullopt;
    return report::parse_json(*text);
}

} // namespace carry::pipeline
