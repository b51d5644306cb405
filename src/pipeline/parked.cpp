#include "pipeline/parked.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "patch/patch.hpp"
#include "pipeline/chain_json.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace carry::pipeline {

namespace {

using merge::ChainLink;
using nlohmann::json;
namespace fs = std::filesystem;

constexpr int k_parked_schema = 1;
constexpr std::size_t k_name_length = 48;

std::string safe_name(std::string_view title) {
    std::string name;
    for (const char c : title) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
        if (plain && !(c == '.' && name.empty()))
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    name = name.substr(0, k_name_length);
    while (!name.empty() && (name.back() == '-' || name.back() == '.'))
        name.pop_back();
    return name.empty() ? "patch" : name;
}

json to_json(const ParkedPatch& patch) {
    json links = json::array();
    for (const auto& link : patch.links)
        links.push_back(link_to_json(link));
    json paths = json::array();
    for (const auto& path : patch.paths)
        paths.push_back(path_to_json(path));
    return {{"schema", k_parked_schema},
            {"name", patch.name},
            {"title", path_to_json(patch.title)},
            {"links", links},
            {"paths", paths},
            {"base", patch.base.hex()},
            {"run", patch.run}};
}

ParkedPatch patch_from(const json& value) {
    ParkedPatch patch;
    patch.name = value.at("name").get<std::string>();
    patch.title = path_from_json(value.at("title").get<std::string>());
    patch.base = id_from_json(value.at("base"));
    patch.run = value.at("run").get<std::string>();
    for (const auto& item : value.at("links"))
        patch.links.push_back(link_from_json(item));
    for (const auto& item : value.at("paths"))
        patch.paths.push_back(path_from_json(item.get<std::string>()));
    return patch;
}

/// The change of a link on some paths only, as two full trees.
ChainLink restrict_link(git::Repository& repository, const merge::LinkOutcome& link,
                        const std::set<std::string>& paths) {
    git::TreeEdits edits;
    for (const auto& outcome : link.merge.paths) {
        if (!paths.count(outcome.display_path()))
            continue;
        if (!outcome.old_path.empty() && outcome.old_path != outcome.path)
            edits[outcome.old_path] = std::nullopt;
        if (!outcome.path.empty())
            edits[outcome.path] = outcome.local;
    }
    auto restricted = link.link;
    restricted.after = repository.trees().edit(link.link.before, edits);
    return restricted;
}

std::string unique_name(const std::string& title, std::set<std::string>& taken) {
    const auto name = safe_name(title);
    auto candidate = name;
    for (int n = 2; !taken.insert(candidate).second; ++n)
        candidate = fmt::format("{}-{}", name, n);
    return candidate;
}

class Collector {
public:
    Collector(git::Repository& repository, git::ObjectId base, std::string run, const std::vector<ParkedPatch>& before)
        : m_repository(repository), m_base(base), m_run(std::move(run)) {
        for (const auto& patch : before) {
            m_old[patch.name] = patch;
            m_taken.insert(patch.name);
        }
    }

    void add(const merge::LinkOutcome& link) {
        if (!link.link.parked_name.empty()) {
            m_tried.insert(link.link.parked_name);
            if (link.set_aside || !link.set_aside_paths.empty())
                m_again.insert(link.link.parked_name);
        } else if (link.set_aside)
            add_commit(link);
        else
            for (const auto& path : link.set_aside_paths)
                add_path(link, path);
    }

    std::vector<ParkedPatch> result() {
        std::vector<ParkedPatch> all;
        for (const auto& [name, patch] : m_old)
            if (m_again.count(name) || !m_tried.count(name))
                all.push_back(patch);
        all.insert(all.end(), m_commits.begin(), m_commits.end());
        for (auto& [path, patch] : m_paths)
            all.push_back(std::move(patch));
        return all;
    }

private:
    void add_commit(const merge::LinkOutcome& link) {
        ParkedPatch patch;
        patch.title = link.link.label;
        const auto space = patch.title.find(' ');
        patch.name = unique_name(space == std::string::npos ? patch.title : patch.title.substr(space + 1), m_taken);
        patch.base = m_base;
        patch.run = m_run;
        patch.links = {link.link};
        patch.links.front().parked_name = patch.name;
        for (const auto& outcome : link.merge.paths)
            patch.paths.push_back(outcome.display_path());
        m_commits.push_back(std::move(patch));
    }

    void add_path(const merge::LinkOutcome& link, const std::string& path) {
        auto& patch = m_paths[path];
        if (patch.name.empty()) {
            patch.name = unique_name(path, m_taken);
            patch.title = path;
            patch.paths = {path};
            patch.base = m_base;
            patch.run = m_run;
        }
        auto restricted = restrict_link(m_repository, link, {path});
        restricted.parked_name = patch.name;
        patch.links.push_back(std::move(restricted));
    }

    git::Repository& m_repository;
    git::ObjectId m_base;
    std::string m_run;
    std::map<std::string, ParkedPatch> m_old;
    std::set<std::string> m_taken, m_tried, m_again;
    std::vector<ParkedPatch> m_commits;
    std::map<std::string, ParkedPatch> m_paths;
};

} // namespace

std::vector<ParkedPatch> load_parked(const RunStore& runs) {
    std::vector<ParkedPatch> parked;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(runs.root() / "parked", error)) {
        const auto text = read_file_if_exists(entry.path() / "parked.json");
        if (!text)
            continue;
        try {
            parked.push_back(patch_from(json::parse(*text)));
        } catch (const json::exception& cause) {
            throw Error(ErrorKind::failed,
                        fmt::format("the parked patch {} cannot be read", quoted(entry.path().string())))
                .because(cause.what());
        }
    }
    std::sort(parked.begin(), parked.end(),
              [](const auto& a, const auto& b) { return a.run != b.run ? a.run < b.run : a.name < b.name; });
    return parked;
}

std::vector<ParkedPatch> parked_from(Workspace& workspace, const merge::RebasedChain& chain, const git::ObjectId& base,
                                     const std::string& run, const std::vector<ParkedPatch>& before) {
    Collector collector(workspace.repository(), base, run, before);
    for (const auto& link : chain.links)
        collector.add(link);
    return collector.result();
}

void stage_parked(Workspace& workspace, const std::string& id, const std::vector<ParkedPatch>& parked) {
    auto& repository = workspace.repository();
    json all = json::array();
    std::vector<git::ObjectId> keep, have;
    for (const auto& patch : parked) {
        all.push_back(to_json(patch));
        if (patch.run != id)
            continue;               // kept since it was set aside
        have.push_back(patch.base); // a ref of the run keeps it
        for (const auto& link : patch.links)
            for (const auto& object : {link.before, link.after, link.commit})
                keep.push_back(object);
    }
    git::keep_objects(repository.program(), keep, have);
    git::sync_private_objects(repository.paths());
    write_file_atomic(workspace.runs().directory(id) / "parked.json", all.dump(2) + "\n");
}

void record_parked_before(Workspace& workspace, const std::string& id) {
    json all = json::array();
    for (const auto& patch : load_parked(workspace.runs()))
        all.push_back(to_json(patch));
    write_file_atomic(workspace.runs().directory(id) / "parked-before.json", all.dump(2) + "\n");
}

void stage_parked_before(Workspace& workspace, const std::string& id, const std::string& target) {
    if (const auto text = read_file_if_exists(workspace.runs().directory(target) / "parked-before.json"))
        write_file_atomic(workspace.runs().directory(id) / "parked.json", *text);
}

void install_parked(Workspace& workspace, const std::string& id) {
    const auto text = read_file_if_exists(workspace.runs().directory(id) / "parked.json");
    if (!text)
        return;
    const auto root = workspace.runs().root() / "parked";
    std::set<std::string> names;
    for (const auto& value : json::parse(*text)) {
        const auto patch = patch_from(value);
        names.insert(patch.name);
        const auto record = value.dump(2) + "\n";
        if (read_file_if_exists(root / patch.name / "parked.json") == record)
            continue;
        std::error_code ignored;
        fs::remove_all(root / patch.name, ignored);
        make_directories(root / patch.name, 0700);
        std::vector<patch::LinkToWrite> links;
        for (const auto& link : patch.links)
            links.push_back({link.layer, link.before, link.after, link.commit});
        patch::write_series(workspace.repository(), links, patch.base, "upstream", workspace.runs().load(id).time,
                            root / patch.name, 0600);
        write_file_atomic(root / patch.name / "parked.json", record);
    }
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root, error))
        if (!names.count(entry.path().filename().string())) {
            std::error_code ignored;
            fs::remove_all(entry.path(), ignored);
        }
}

bool only_parked_conflicts(const merge::RebasedChain& chain) {
    return std::all_of(chain.links.begin(), chain.links.end(), [](const auto& link) {
        return !link.link.parked_name.empty() ||
               (link.merge.clean() && !link.set_aside && link.set_aside_paths.empty());
    });
}

bool is_part_of(const Workspace& workspace, const ParkedPatch& patch, const PatchReport& entry) {
    return std::any_of(patch.links.begin(), patch.links.end(), [&](const ChainLink& link) {
        if (link.layer != entry.layer)
            return false;
        if (link.layer == Layer::commit)
            return entry.commit && entry.commit->id == link.commit.hex();
        return std::any_of(patch.paths.begin(), patch.paths.end(),
                           [&](const auto& path) { return workspace.shown(path) == entry.path; });
    });
}

} // namespace carry::pipeline
