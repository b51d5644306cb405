#include "disk_model.hpp"

#include "base/file.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace carry::crash {
namespace {

namespace fs = std::filesystem;

constexpr auto never = std::numeric_limits<std::size_t>::max();

bool changes_names(const DiskEvent& event) {
    return event.action != "data" && !event.action.ends_with("sync") && event.action != "syncfs";
}

std::string directory_of(const std::string& path) {
    return path.substr(0, path.rfind('/'));
}

std::string take_field(std::string_view& rest) {
    const auto colon = rest.find(':');
    const auto size = static_cast<std::size_t>(std::stoul(std::string(rest.substr(0, colon))));
    std::string field(rest.substr(colon + 1, size));
    rest.remove_prefix(colon + 1 + size);
    return field;
}

bool makes_sure(const DiskEvent& later, const DiskEvent& event) {
    if (later.action == "syncfs")
        return true;
    if (event.action == "data")
        return later.action == "sync" && later.file == event.file;
    return later.action == "dirsync" &&
           (later.path == directory_of(event.path) || (!event.to.empty() && later.path == directory_of(event.to)));
}

} // namespace

DiskModel::DiskModel(fs::path root) : m_root(std::move(root)) {
    const auto add = [&](const fs::path& path) {
        const auto status = lstat_if_exists(path).value();
        Node node;
        node.data.mode = status.st_mode & 07777U;
        if (S_ISDIR(status.st_mode)) {
            node.kind = 'd';
        } else if (S_ISLNK(status.st_mode)) {
            node.kind = 'l';
            node.data.bytes = read_link(path);
        } else {
            const auto [known, is_new] = m_files.emplace(status.st_ino, m_next_file);
            m_next_file += is_new ? 1 : 0;
            node.file = known->second;
            m_first_data[node.file] = {node.data.mode, read_file(path)};
        }
        m_first[path.native()] = node;
    };
    add(m_root);
    for (const auto& entry : fs::recursive_directory_iterator(m_root))
        add(entry.path());
}

void DiskModel::read_log(const fs::path& log) {
    const std::string text = read_file(log);
    for (std::string_view rest = text; !rest.empty();) {
        DiskEvent event;
        event.action = take_field(rest);
        event.path = take_field(rest);
        event.to = take_field(rest);
        const auto inode = static_cast<ino_t>(std::stoull(take_field(rest)));
        event.mode = static_cast<mode_t>(std::stoul(take_field(rest)));
        event.bytes = take_field(rest);
        if (event.action == "make") { // an inode's number may have been another file's
            m_files[inode] = m_next_file++;
            event.file = m_files[inode];
            m_events.push_back(event);
            event.action = "data";
        } else if (inode != 0) {
            const auto known = m_files.find(inode);
            if (known == m_files.end())
                continue; // made elsewhere
            event.file = known->second;
        }
        m_events.push_back(event);
    }
    for (std::size_t n = 0; n < m_events.size(); ++n) {
        const auto from = m_events.begin() + static_cast<std::ptrdiff_t>(n) + 1;
        const auto sure =
            std::find_if(from, m_events.end(), [&](const auto& later) { return makes_sure(later, m_events[n]); });
        m_sure_from.push_back(sure == m_events.end() ? never : static_cast<std::size_t>(sure - m_events.begin()));
    }
}

bool DiskModel::is_unsure(std::size_t event, std::size_t count) const {
    return changes_names(m_events[event]) && m_sure_from[event] >= count;
}

void DiskModel::apply(Names& names, const DiskEvent& event) const {
    const auto move = [&](const std::string& from, const std::string& to) {
        if (auto node = names.extract(from)) {
            names.erase(to);
            node.key() = to;
            names.insert(std::move(node));
        }
    };
    if (event.action == "make")
        names[event.path] = {'f', event.file, {}};
    else if (event.action == "mkdir")
        names[event.path] = {'d', 0, {event.mode, {}}};
    else if (event.action == "symlink")
        names[event.path] = {'l', 0, {event.mode, event.bytes}};
    else if (event.action == "link" && names.contains(event.path))
        names[event.to] = names[event.path];
    else if (event.action == "rename")
        move(event.path, event.to);
    else if (event.action == "exchange" && names.contains(event.path) && names.contains(event.to))
        std::swap(names[event.path], names[event.to]);
    else if (event.action == "unlink" || event.action == "rmdir")
        names.erase(event.path);
}

DiskModel::Names DiskModel::names_at(std::size_t count, const PowerCut& cut) const {
    Names names = m_first;
    for (std::size_t n = 0; n < count; ++n)
        if (changes_names(m_events[n]) && (!is_unsure(n, count) || cut.keeps_name(n)))
            apply(names, m_events[n]);
    return names;
}

std::map<int, DiskModel::Data> DiskModel::data_at(std::size_t count, const PowerCut& cut) const {
    std::map<int, Data> sure = m_first_data;
    std::map<int, Data> last;
    for (std::size_t n = 0; n < count; ++n) {
        if (m_events[n].action == "make")
            last.try_emplace(m_events[n].file, Data{m_events[n].mode, {}}); // the power goes before the first byte
        if (m_events[n].action != "data")
            continue;
        last[m_events[n].file] = {m_events[n].mode, m_events[n].bytes};
        if (m_sure_from[n] < count)
            sure[m_events[n].file] = last[m_events[n].file];
    }
    for (auto& [file, data] : last) {
        const auto known = sure.find(file);
        if (known != sure.end() && known->second.bytes == data.bytes && known->second.mode == data.mode)
            continue;
        const double part = cut.keeps_bytes(file);
        if (part <= 0 && known != sure.end())
            data = known->second;
        else if (part < 1)
            data.bytes.resize(static_cast<std::size_t>(static_cast<double>(data.bytes.size()) * std::max(part, 0.0)));
    }
    last.insert(sure.begin(), sure.end());
    return last;
}

void DiskModel::materialise(std::size_t count, const PowerCut& cut) const {
    const auto names = names_at(count, cut);
    const auto data = data_at(count, cut);
    fs::remove_all(m_root);
    std::map<int, std::string> written;
    for (const auto& [path, node] : names) { // a directory sorts before what is in it
        if (path != m_root.native() && !fs::is_directory(fs::symlink_status(directory_of(path))))
            continue;
        if (node.kind == 'd') {
            fs::create_directory(path);
        } else if (node.kind == 'l') {
            fs::create_symlink(node.data.bytes, path);
        } else if (const auto [first, is_new] = written.emplace(node.file, path); !is_new) {
            fs::create_hard_link(first->second, path);
        } else {
            const auto& content = data.at(node.file);
            std::ofstream(path, std::ios::binary) << content.bytes;
            fs::permissions(path, static_cast<fs::perms>(content.mode));
        }
    }
    for (auto at = names.rbegin(); at != names.rend(); ++at)
        if (at->second.kind == 'd' && fs::exists(at->first))
            fs::permissions(at->first, static_cast<fs::perms>(at->second.data.mode));
}

} // namespace carry::crash
