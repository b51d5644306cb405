#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "git/commit.hpp"
#include "patch/bundle.hpp"
#include "patch/changes.hpp"
#include "patch/commit_mail.hpp"
#include "patch/names.hpp"
#include "patch/patch.hpp"
#include "patch/series.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <map>

namespace carry::patch {

namespace {

/// Not synced: a patch is made again from the objects, which are.
void write_new_file(const std::filesystem::path& path, std::string_view bytes, mode_t mode) {
    const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file)
        throw_errno("write", path);
    write_all(file.get(), bytes, path);
}

/// git holds several versions of what it writes into a binary patch, and so does who reads it.
constexpr std::uint64_t largest_blob = std::uint64_t{32} << 20;

/// The changes that make one patch file: mostly one.
struct Group {
    std::string name;
    std::vector<std::size_t> members;         ///< indexes of changes
    std::map<std::size_t, std::string> texts; ///< those that have come in so far
    bool gnu_patch = true;
};

class SeriesWriter {
public:
    SeriesWriter(git::Repository& repository, const git::ObjectId& base, std::string upstream, std::int64_t time,
                 std::filesystem::path directory, mode_t mode)
        : m_repository(repository), m_base(base), m_upstream(std::move(upstream)), m_time(time),
          m_directory(std::move(directory)), m_mode(mode) {}

    void add_commit(const LinkToWrite& link);
    void add_changes(const LinkToWrite& link);
    std::vector<PatchFile> finish();

private:
    /// DEP-3: where it comes from, whether it was sent upstream, when it was last touched.
    [[nodiscard]] std::string dep3() const {
        const auto origin =
            m_base.is_null() ? std::string() : ", base " + m_base.hex() + " of " + quote_path(m_upstream);
        return fmt::format("Origin: other{}\nForwarded: no\nLast-Update: {}\n", origin, utc_date(m_time));
    }
    [[nodiscard]] git::ObjectId tree_or_empty(const git::ObjectId& tree) {
        return tree.is_null() ? m_repository.objects().write(git::ObjectType::tree, {}) : tree;
    }
    std::vector<Group> plan_groups(const std::vector<PathChange>& changes);
    git::ObjectId without_large(const git::ObjectId& before, const git::ObjectId& after, Layer layer);
    SeriesEntry finish_group(const Group& group, const std::vector<PathChange>& changes, Layer layer);

    git::Repository& m_repository;
    git::ObjectId m_base;
    std::string m_upstream;
    std::int64_t m_time;
    std::filesystem::path m_directory;
    mode_t m_mode;
    std::size_t m_count = 0;
    std::vector<SeriesEntry> m_entries;
};

void SeriesWriter::add_commit(const LinkToWrite& link) {
    const auto& program = m_repository.program();
    const auto commit = git::read_commit(m_repository.objects(), link.commit);
    const auto before = tree_or_empty(link.before_tree);
    const auto after = tree_or_empty(link.after_tree);
    SeriesEntry entry;
    entry.file.layer = Layer::commit;
    entry.file.commit = link.commit;
    entry.file.title = commit.subject();
    entry.file.name = patch_name_of_subject(++m_count, entry.file.title);
    entry.file.changes = list_changes(program, before, after);
    entry.file.gnu_patch = !entry.file.changes.empty();
    std::string diff;
    read_patch_texts(program, before, after, entry.file.changes, [&](std::size_t index, std::string&& text) {
        entry.file.gnu_patch = entry.file.gnu_patch && gnu_patch_can(entry.file.changes[index], text);
        diff += text;
    });
    const auto mail = write_commit_mail(program, link.commit, commit, dep3(), diff);
    write_new_file(m_directory / entry.file.name, mail.text, m_mode);
    if (!mail.faithful) {
        entry.file.bundle = with_extension(entry.file.name, ".bundle");
        write_bundle(m_repository, m_base, link.commit, m_directory / entry.file.bundle);
    }
    if (!mail.plain && !diff.empty()) {
        entry.diff = with_extension(entry.file.name, ".diff");
        write_new_file(m_directory / entry.diff, diff, m_mode);
    }
    m_entries.push_back(std::move(entry));
}

std::vector<Group> SeriesWriter::plan_groups(const std::vector<PathChange>& changes) {
    std::vector<Group> groups;
    for (auto& members : application_order(changes)) {
        const auto& first = changes[members.front()];
        Group group;
        group.name = patch_name_of_path(++m_count, first.new_path.empty() ? first.old_path : first.new_path);
        group.members = std::move(members);
        groups.push_back(std::move(group));
    }
    return groups;
}

std::string describe(const PathChange& change, Layer layer) {
    const auto what = [&] {
        if (change.old_path.empty())
            return "new file " + quote_path(change.new_path);
        if (change.new_path.empty())
            return "deletion of " + quote_path(change.old_path);
        if (change.old_path != change.new_path)
            return "rename of " + quote_path(change.old_path) + " to " + quote_path(change.new_path);
        return "change of " + quote_path(change.new_path);
    };
    return std::string(to_string(layer)) + " " + what();
}

SeriesEntry SeriesWriter::finish_group(const Group& group, const std::vector<PathChange>& changes, Layer layer) {
    SeriesEntry entry;
    entry.file.name = group.name;
    entry.file.layer = layer;
    entry.file.gnu_patch = group.gnu_patch;
    std::string diff;
    std::vector<std::string> descriptions;
    for (const auto index : group.members) {
        entry.file.changes.push_back(changes[index]);
        descriptions.push_back(describe(changes[index], layer));
        diff += group.texts.at(index);
    }
    const auto& first = entry.file.changes.front();
    entry.file.title = first.new_path.empty() ? first.old_path : first.new_path;
    if (group.members.size() == 1) {
        entry.before = first.before ? first.before->id : git::ObjectId();
        entry.after = first.after ? first.after->id : git::ObjectId();
    }
    write_new_file(m_directory / group.name,
                   "Description: " + join(descriptions, ", ") + "\n" + dep3() + "---\n" + diff, m_mode);
    return entry;
}

/// `after` without what is too large for a patch; the series names it instead. What only moved is none of that.
git::ObjectId SeriesWriter::without_large(const git::ObjectId& before, const git::ObjectId& after, Layer layer) {
    auto& store = m_repository.objects();
    const auto is_large = [&](const std::optional<git::TreeEntry>& entry) {
        const auto header = entry && entry->is_regular() ? store.header(entry->id) : std::nullopt;
        return header && header->size > largest_blob;
    };
    std::vector<git::TreeChange> large;
    std::map<git::ObjectId, int> sides; ///< of a blob that only moved: both
    for (auto& change : m_repository.trees().diff(before, after)) {
        if ((!is_large(change.before) && !is_large(change.after)) ||
            (change.before && change.after && change.before->id == change.after->id))
            continue;
        if (!change.before != !change.after)
            sides[change.before ? change.before->id : change.after->id] |= change.before ? 1 : 2;
        large.push_back(std::move(change));
    }
    git::TreeEdits edits;
    for (const auto& change : large) {
        if (!change.before != !change.after && sides[change.before ? change.before->id : change.after->id] == 3)
            continue;
        edits[change.path] = change.before;
        SeriesEntry entry;
        entry.file.layer = layer;
        entry.file.title = change.path;
        entry.file.too_large = true;
        entry.before = change.before ? change.before->id : git::ObjectId();
        entry.after = change.after ? change.after->id : git::ObjectId();
        m_entries.push_back(std::move(entry));
    }
    return edits.empty() ? after : m_repository.trees().edit(after, edits);
}

void SeriesWriter::add_changes(const LinkToWrite& link) {
    const auto& program = m_repository.program();
    const auto before = tree_or_empty(link.before_tree);
    const auto after = without_large(before, tree_or_empty(link.after_tree), link.layer);
    const auto changes = list_changes(program, before, after);
    auto groups = plan_groups(changes);
    std::vector<Group*> group_of(changes.size());
    for (auto& group : groups) {
        for (const auto index : group.members)
            group_of[index] = &group;
    }
    // git gives them in the order of their names; each goes to its place in the order of application.
    const auto first_entry = m_entries.size();
    m_entries.resize(first_entry + groups.size());
    read_patch_texts(program, before, after, changes, [&](std::size_t index, std::string&& text) {
        auto& group = *group_of[index];
        group.gnu_patch = group.gnu_patch && gnu_patch_can(changes[index], text);
        group.texts.emplace(index, std::move(text));
        if (group.texts.size() < group.members.size())
            return;
        const auto place = static_cast<std::size_t>(&group - groups.data());
        m_entries[first_entry + place] = finish_group(group, changes, link.layer);
        group.texts.clear();
    });
}

std::vector<PatchFile> SeriesWriter::finish() {
    write_file_atomic(m_directory / "series", write_series_text(m_entries, m_base, m_upstream), m_mode & 0644U);
    std::vector<PatchFile> files;
    for (auto& entry : m_entries)
        files.push_back(std::move(entry.file));
    return files;
}

} // namespace

std::vector<PatchFile> write_series(git::Repository& repository, const std::vector<LinkToWrite>& links,
                                    const git::ObjectId& base, const std::string& upstream, std::int64_t time,
                                    const std::filesystem::path& directory, mode_t mode) {
    make_directories(directory);
    repository.objects(); // makes the private object directory: git with one that is missing finds no repository
    SeriesWriter writer(repository, base, upstream, time, directory, mode);
    for (const auto& link : links) {
        if (!link.commit.is_null())
            writer.add_commit(link);
        else if (link.before_tree != link.after_tree)
            writer.add_changes(link);
    }
    return writer.finish();
}

} // namespace carry::patch
