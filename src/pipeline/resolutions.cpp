// import, export and the list of what is remembered. What comes from elsewhere is checked before it is taken in.
#include "pipeline/resolutions.hpp"

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "git/buffers.hpp"
#include "merge/conflict_image.hpp"
#include "merge/resolution_store.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace carry::pipeline {

namespace {

namespace fs = std::filesystem;
using merge::Resolution;
using merge::ResolutionStore;

constexpr std::size_t most_resolutions = 10'000;
constexpr std::size_t most_bytes = std::size_t{256} << 20;
constexpr std::string_view folder = "resolutions";

/// What is wrong with it; empty: nothing.
std::string fault_of(const Resolution& resolution, git::ObjectFormat format) {
    const auto size = merge::marker_size_of_image(resolution.preimage);
    const auto image = size ? merge::conflict_image(resolution.preimage, *size, merge::MarkerForm::bare) : std::nullopt;
    if (!image || image->conflicts.empty() || image->bytes != resolution.preimage)
        return "its preimage holds no conflict as git records it";
    if (image->id(format) != resolution.id)
        return "its preimage is another conflict's";
    if (resolution.postimage.find('\0') != std::string::npos || merge::holds_conflict(resolution.postimage, *size))
        return "its postimage resolves nothing";
    return {};
}

/// Reads a directory of somebody else's: no link is followed, nothing but regular files of a bounded size is read.
class Reader {
public:
    Reader(const ResolutionStore& store, fs::path root) : m_store(store), m_root(std::move(root)), m_tree(m_root) {}

    std::vector<Resolution> read(std::vector<Warning>& warnings) {
        std::vector<Resolution> found;
        for (const auto& id : names_in(m_root)) {
            if (!m_store.is_id(id))
                continue;
            for (const auto& name : names_in(m_root / id)) {
                if (name != "preimage" && !name.starts_with("preimage."))
                    continue;
                const auto path = fmt::format("{}/{}", id, name);
                Resolution resolution{.id = id};
                auto fault = read_pair(id, name.substr(std::string_view("preimage").size()), resolution);
                if (fault.empty())
                    fault = fault_of(resolution, m_store.format());
                if (fault.empty())
                    found.push_back(std::move(resolution));
                else
                    warnings.push_back({"bad-resolution", quote_path(path), "not taken: " + fault});
            }
            refuse_too_much(found.size() + warnings.size());
        }
        return found;
    }

private:
    static std::set<std::string> names_in(const fs::path& directory) {
        std::set<std::string> names;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(directory, error))
            names.insert(entry.path().filename().string());
        return names;
    }

    std::string read_pair(const std::string& id, const std::string& variant, Resolution& resolution) {
        const auto preimage = read_file(id + "/preimage" + variant);
        const auto postimage = read_file(id + "/postimage" + variant);
        if (!preimage || !postimage)
            return "preimage and postimage must be files of at most 16 MiB";
        m_bytes += preimage->size() + postimage->size();
        resolution.preimage = *preimage;
        resolution.postimage = *postimage;
        return {};
    }

    std::optional<std::string> read_file(const std::string& path) {
        const auto status = m_tree.status(path);
        if (!status || !S_ISREG(status->st_mode) ||
            static_cast<std::uintmax_t>(status->st_size) > merge::resolution_size_limit)
            return std::nullopt;
        return m_tree.read(path);
    }

    void refuse_too_much(std::size_t count) const {
        if (count > most_resolutions || m_bytes > most_bytes)
            throw Error(ErrorKind::refused,
                        fmt::format("{} holds more than {} resolutions or {} bytes", quoted(m_root.string()),
                                    most_resolutions, most_bytes),
                        {"git carry import   takes smaller directories one by one"});
    }

    const ResolutionStore& m_store;
    fs::path m_root;
    DirectoryTree m_tree;
    std::size_t m_bytes = 0;
};

std::string first_words(std::string_view side) {
    constexpr std::size_t most = 48;
    for (const auto line : split_lines(side))
        if (const auto text = trim(line); !text.empty())
            return quoted(text.substr(0, most));
    return "nothing";
}

/// "1a2b3c4d5  2026-03-08  2 conflicts, the first between 'limit = 1' and 'limit = 2'"
std::string line_of(const Resolution& resolution) {
    std::string text = resolution.id.substr(0, 9) + "  " + utc_date(resolution.recorded);
    const auto size = merge::marker_size_of_image(resolution.preimage);
    const auto image = size ? merge::conflict_image(resolution.preimage, *size, merge::MarkerForm::bare) : std::nullopt;
    if (!image || image->conflicts.empty())
        return text;
    const std::string_view first = image->conflicts.front();
    const auto middle = first.find('\0');
    return text + fmt::format("  {}, {}between {} and {}", count_of(image->conflicts.size(), "conflict"),
                              image->conflicts.size() > 1 ? "the first " : "", first_words(first.substr(0, middle)),
                              first_words(first.substr(middle + 1, first.size() - middle - 2)));
}

/// Ids that start so; throws Error{usage} where that is not one.
std::string id_of(const std::vector<Resolution>& all, const std::string& prefix) {
    std::set<std::string> ids;
    for (const auto& resolution : all)
        if (resolution.id.starts_with(prefix))
            ids.insert(resolution.id);
    if (ids.size() != 1 || prefix.empty())
        throw Error(ErrorKind::usage,
                    fmt::format("{} resolution begins with {}", ids.empty() ? "no" : "more than one", quoted(prefix)),
                    {"git carry resolutions   lists what is remembered"});
    return *ids.begin();
}

Report report_about(const char* command) {
    Report report;
    report.command = command;
    report.time = now_seconds();
    return report;
}

} // namespace

std::size_t export_resolutions(Workspace& workspace, const fs::path& directory) {
    if (!workspace.settings().resolutions)
        return 0;
    const auto all = ResolutionStore(workspace.repository()).all();
    std::map<std::string, int> variants;
    for (const auto& resolution : all) {
        const auto number = variants[resolution.id]++;
        const auto suffix = number > 0 ? "." + std::to_string(number) : std::string();
        const auto target = directory / folder / resolution.id;
        make_directories(target, 0777);
        write_file_atomic(target / ("preimage" + suffix), resolution.preimage, 0666);
        write_file_atomic(target / ("postimage" + suffix), resolution.postimage, 0666);
    }
    return all.size();
}

} // namespace carry::pipeline

namespace carry {

Report import_resolutions(const Request& request, const std::filesystem::path& directory) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, Access::change);
    std::error_code error;
    const auto beside = directory / folder;
    const auto root = std::filesystem::is_directory(beside, error) ? beside : directory;
    if (!std::filesystem::is_directory(root, error))
        throw Error(ErrorKind::usage, fmt::format("{} is no directory", quoted(directory.string())),
                    {"git carry export DIR   writes one on the other side"});
    ResolutionStore store(workspace.repository());
    auto report = report_about("import");
    const auto found = Reader(store, root).read(report.warnings);
    if (found.empty())
        throw Error(ErrorKind::usage, fmt::format("{} holds no resolutions", quoted(directory.string())),
                    {"git carry export DIR   writes them on the other side"});
    std::size_t taken = 0;
    for (const auto& resolution : found)
        taken += store.add(resolution) ? 1U : 0U;
    report.outcome = Outcome::imported;
    report.notes.push_back(
        fmt::format("{} taken, {} known already", count_of(taken, "resolution"), found.size() - taken));
    report.next = {"git carry resolutions   lists them"};
    return report;
}

Report resolutions(const Request& request, const std::vector<std::string>& forget) {
    using namespace pipeline;
    auto workspace = Workspace::open(request, forget.empty() ? Access::look : Access::change);
    ResolutionStore store(workspace.repository());
    const auto all = store.all();
    auto report = report_about("resolutions");
    report.outcome = forget.empty() ? Outcome::shown : Outcome::pruned;
    if (forget.empty()) {
        for (const auto& resolution : all)
            report.notes.push_back(line_of(resolution));
        return report;
    }
    std::set<std::string> ids;
    for (const auto& prefix : forget)
        ids.insert(id_of(all, prefix));
    for (const auto& id : ids) {
        store.forget(id);
        report.notes.push_back(fmt::format("resolution {} is forgotten", id.substr(0, 9)));
    }
    return report;
}

} // namespace carry
