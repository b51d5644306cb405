#include "merge/resolution_store.hpp"

#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace carry::merge {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view preimage_name = "preimage";
constexpr std::string_view postimage_name = "postimage";

std::string file_name(std::string_view kind, int variant) {
    return std::string(kind) + (variant > 0 ? "." + std::to_string(variant) : std::string());
}

/// Variant of a file of this kind; nothing where the name is another's.
std::optional<int> variant_of(std::string_view name, std::string_view kind) {
    if (name == kind)
        return 0;
    if (!name.starts_with(kind) || name.size() < kind.size() + 2 || name[kind.size()] != '.')
        return std::nullopt;
    int variant = 0;
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + kind.size() + 1, end, variant);
    return error == std::errc{} && rest == end && variant > 0 ? std::optional(variant) : std::nullopt;
}

struct VariantFiles {
    bool preimage = false, postimage = false;
};

std::map<int, VariantFiles> variants_in(const fs::path& directory) {
    std::map<int, VariantFiles> variants;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
        const auto name = entry.path().filename().string();
        if (const auto before = variant_of(name, preimage_name))
            variants[*before].preimage = true;
        else if (const auto after = variant_of(name, postimage_name))
            variants[*after].postimage = true;
    }
    return variants;
}

std::optional<std::string> read_image(const fs::path& path) {
    const auto status = lstat_if_exists(path);
    if (!status || !S_ISREG(status->st_mode) || static_cast<std::uintmax_t>(status->st_size) > resolution_size_limit)
        return std::nullopt;
    return read_file_if_exists(path);
}

bool has_entries(const fs::path& directory) {
    std::error_code error;
    return fs::directory_iterator(directory, error) != fs::directory_iterator();
}

} // namespace

ResolutionStore::ResolutionStore(const git::Repository& repository)
    : m_own(repository.paths().common_dir / "carry" / "rr-cache"), m_target(m_own),
      m_format(repository.capabilities().object_format) {
    const auto of_git = repository.paths().common_dir / "rr-cache";
    std::error_code error;
    m_shared = repository.config().get_bool("rerere.enabled").value_or(fs::is_directory(of_git, error));
    if (m_shared)
        m_target = of_git;
}

bool ResolutionStore::is_id(std::string_view name) const {
    const std::size_t length = m_format == git::ObjectFormat::sha256 ? 64 : 40;
    return name.size() == length && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool ResolutionStore::empty() const {
    return !has_entries(m_target) && !has_entries(m_own);
}

std::vector<Resolution> ResolutionStore::read(const fs::path& directory, std::string_view id) const {
    std::vector<Resolution> found;
    const auto below = directory / id;
    for (const auto& [variant, files] : variants_in(below)) {
        if (!files.preimage || !files.postimage)
            continue;
        const auto before = below / file_name(preimage_name, variant);
        Resolution resolution;
        resolution.id = id;
        resolution.file = below / file_name(postimage_name, variant);
        const auto preimage = read_image(before);
        const auto postimage = read_image(resolution.file);
        const auto status = lstat_if_exists(before);
        if (!preimage || !postimage || !status)
            continue;
        resolution.preimage = *preimage;
        resolution.postimage = *postimage;
        resolution.recorded = status->st_mtim.tv_sec;
        found.push_back(std::move(resolution));
    }
    return found;
}

std::vector<Resolution> ResolutionStore::find(std::string_view id) const {
    auto found = read(m_target, id);
    if (m_shared)
        std::ranges::move(read(m_own, id), std::back_inserter(found));
    return found;
}

std::vector<Resolution> ResolutionStore::all() const {
    std::vector<Resolution> found;
    for (const auto& directory : {m_target, m_shared ? m_own : fs::path()}) {
        std::error_code error;
        if (directory.empty())
            continue;
        for (const auto& entry : fs::directory_iterator(directory, error)) {
            const auto name = entry.path().filename().string();
            if (is_id(name))
                std::ranges::move(read(directory, name), std::back_inserter(found));
        }
    }
    std::ranges::stable_sort(found, {}, &Resolution::id);
    return found;
}

void ResolutionStore::write(const Resolution& resolution, int variant) const {
    const auto directory = m_target / resolution.id;
    make_directories(directory, m_shared ? 0777 : 0700);
    const mode_t mode = m_shared ? 0666 : 0600;
    // A preimage alone is a conflict that waits, a postimage alone would be a stray.
    write_file_atomic(directory / file_name(preimage_name, variant), resolution.preimage, mode);
    write_file_atomic(directory / file_name(postimage_name, variant), resolution.postimage, mode);
}

/// Those that were recorded while git's rerere was off.
void ResolutionStore::adopt() {
    if (!m_shared || !has_entries(m_own))
        return;
    ResolutionStore own(*this);
    own.m_target = m_own;
    own.m_shared = false;
    for (const auto& resolution : own.all()) {
        insert(resolution);
        own.forget(resolution.id);
    }
}

void ResolutionStore::record(const Resolution& resolution) {
    adopt();
    const auto directory = m_target / resolution.id;
    int next = 0;
    for (const auto& [variant, files] : variants_in(directory)) {
        if (files.preimage && read_image(directory / file_name(preimage_name, variant)) == resolution.preimage) {
            if (!files.postimage || read_image(directory / file_name(postimage_name, variant)) != resolution.postimage)
                write(resolution, variant);
            return;
        }
        next = variant + 1;
    }
    write(resolution, next);
}

bool ResolutionStore::add(const Resolution& resolution) {
    adopt();
    return insert(resolution);
}

bool ResolutionStore::insert(const Resolution& resolution) const {
    const auto directory = m_target / resolution.id;
    int next = 0;
    for (const auto& [variant, files] : variants_in(directory)) {
        next = variant + 1;
        if (!files.preimage || read_image(directory / file_name(preimage_name, variant)) != resolution.preimage)
            continue;
        if (!files.postimage) {
            write(resolution, variant);
            return true;
        }
        if (read_image(directory / file_name(postimage_name, variant)) == resolution.postimage)
            return false;
    }
    write(resolution, next);
    return true;
}

std::size_t ResolutionStore::forget(const std::string& id) {
    std::size_t count = 0;
    for (const auto& resolution : find(id)) {
        auto before = resolution.file.filename().string();
        before.replace(0, postimage_name.size(), preimage_name);
        std::error_code ignored;
        count += fs::remove(resolution.file, ignored) ? 1U : 0U;
        fs::remove(resolution.file.parent_path() / before, ignored);
        fs::remove(resolution.file.parent_path(), ignored); // only where nothing else is in it
    }
    return count;
}

void ResolutionStore::touch(const Resolution& resolution) {
    if (!resolution.file.empty())
        utimensat(AT_FDCWD, resolution.file.c_str(), nullptr, 0);
}

} // namespace carry::merge
