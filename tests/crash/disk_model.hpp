/// What a disk holds after a power cut, from a log of what was done to it: bytes of a file are sure only after its
/// fsync, names in a directory only after the directory's.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carry::crash {

/// One thing that was done; `file` tells files apart, whatever they are called.
struct DiskEvent {
    std::string action; ///< make mkdir symlink data sync dirsync syncfs rename exchange link unlink rmdir
    std::string path, to;
    int file = 0;
    mode_t mode = 0;
    std::string bytes;
};

/// What becomes of that which nothing has made sure.
struct PowerCut {
    /// Whether the change of names by the event of this number has reached the disk.
    std::function<bool(std::size_t event)> keeps_name = [](std::size_t) { return true; };
    /// How much of a file's bytes has: 0 to 1. Less than all where the file was not synced since.
    std::function<double(int file)> keeps_bytes = [](int) { return 0.0; };
};

class DiskModel {
public:
    /// `root` as it is now, all of it sure.
    explicit DiskModel(std::filesystem::path root);
    /// What a recorder wrote since then.
    void read_log(const std::filesystem::path& log);

    [[nodiscard]] const std::vector<DiskEvent>& events() const noexcept { return m_events; }
    /// The disk when the first `count` events had happened; `root` is wiped and written anew.
    void materialise(std::size_t count, const PowerCut& cut) const;
    /// The event changes names and nothing up to `count` has made it sure.
    [[nodiscard]] bool is_unsure(std::size_t event, std::size_t count) const;

private:
    struct Data {
        mode_t mode = 0;
        std::string bytes;
    };
    struct Node {
        char kind = 'f'; ///< f, d, l
        int file = 0;
        Data data; ///< of directories and links
    };
    using Names = std::map<std::string, Node>;

    void apply(Names& names, const DiskEvent& event) const;
    [[nodiscard]] std::map<int, Data> data_at(std::size_t count, const PowerCut& cut) const;
    [[nodiscard]] Names names_at(std::size_t count, const PowerCut& cut) const;

    std::filesystem::path m_root;
    Names m_first;
    std::map<int, Data> m_first_data;
    std::map<ino_t, int> m_files;
    int m_next_file = 1;
    std::vector<DiskEvent> m_events;
    std::vector<std::size_t> m_sure_from; ///< for each event: the number of the one that makes it sure
};

} // namespace carry::crash
