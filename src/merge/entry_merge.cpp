#include "merge/entry_merge.hpp"

#include "base/text.hpp"
#include "merge/generated.hpp"
#include "merge/line_endings.hpp"

namespace carry::merge {

namespace {

enum class EntryType { file, link, submodule };

EntryType type_of(const git::TreeEntry& entry) {
    if (entry.is_link())
        return EntryType::link;
    return entry.is_gitlink() ? EntryType::submodule : EntryType::file;
}

std::string_view name_of_type(const git::TreeEntry& entry) {
    switch (type_of(entry)) {
    case EntryType::link:
        return "a link";
    case EntryType::submodule:
        return "a submodule";
    case EntryType::file:
        break;
    }
    return "a file";
}

Conflict conflict_of(const EntryMergeInput& input, ConflictKind kind, git::TreeEntry marked, std::string message) {
    return {.kind = kind,
            .stages = {input.base, input.upstream, input.local},
            .marked = marked,
            .message = std::move(message)};
}

/// What git-lfs stores in the place of a large file: a text whose lines mean nothing one by one.
bool is_lfs_pointer(std::string_view bytes) {
    constexpr std::size_t longest = 1024;
    return bytes.size() <= longest && bytes.starts_with("version https://git-lfs.github.com/spec/");
}

/// Contents of the base as far as it is a text to merge against.
std::string base_bytes(git::Repository& repository, const EntryMergeInput& input) {
    if (!input.base || !input.base->is_regular())
        return {};
    return repository.objects().require(input.base->id, git::ObjectType::blob, input.path);
}

/// Contents that both sides changed: an id, or a conflict with what to leave in the working tree.
struct ContentResult {
    bool clean = false;
    git::ObjectId id; ///< merged, or with markers
    bool binary = false;
    std::vector<HunkOutcome> hunks;
    std::string note;
    std::string trouble; ///< why a driver gave no result
};

ContentResult merge_as_text(git::Repository& repository, const EntryMergeInput& input, const std::string& base,
                            const std::string& upstream, const std::string& local) {
    auto options = input.markers;
    options.marker_size = input.driver.marker_size;
    if (input.driver.kind == MergeDriver::Kind::union_of_both)
        options.favor = git::MergeFavor::union_of_both;
    auto text = merge_text(base, upstream, local, options, {.deciding = input.rules, .path = input.path});
    if (!text)
        return {.id = input.upstream.id, .binary = true};
    if (!text->clean && input.resolutions != nullptr && input.resolutions->any())
        if (const auto resolved =
                input.resolutions->resolve(conflict_texts(base, upstream, local, options), options.marker_size))
            take_resolution(*text, *resolved, options.marker_size);
    return {.clean = text->clean,
            .id = repository.objects().write(git::ObjectType::blob, text->bytes),
            .hunks = std::move(text->hunks),
            .note = input.driver.kind == MergeDriver::Kind::union_of_both ? "both sides' lines kept (merge=union)"
                    : !text->note.empty()                                 ? text->note
                                                                          : input.driver.note};
}

ContentResult merge_by_driver(git::Repository& repository, const EntryMergeInput& input, const std::string& base,
                              const std::string& upstream, const std::string& local) {
    auto options = input.markers;
    options.marker_size = input.driver.marker_size;
    auto run = run_driver(repository, input.driver, {input.path, base, upstream, local, options});
    ContentResult result;
    result.binary = git::is_binary(local);
    if (run.verdict == DriverResult::Verdict::failed) {
        result.id = input.upstream.id;
        result.trouble = "merge driver " + quoted(input.driver.name) + " failed on " + quoted(input.path);
    } else {
        result.clean = run.verdict == DriverResult::Verdict::clean;
        result.id = repository.objects().write(git::ObjectType::blob, run.bytes);
        result.note = "merged by driver " + quoted(input.driver.name);
    }
    if (!result.binary)
        result.hunks = hunks_of(base, local, result.clean ? Fate::merged : Fate::conflict);
    if (result.clean || result.binary || !result.trouble.empty() || input.resolutions == nullptr)
        return result;
    if (const auto resolved = input.resolutions->resolve({run.bytes}, options.marker_size)) {
        TextMerge text{false, run.bytes, std::move(result.hunks)};
        take_resolution(text, *resolved, options.marker_size);
        result.clean = true;
        result.id = repository.objects().write(git::ObjectType::blob, text.bytes);
        result.hunks = std::move(text.hunks);
    }
    return result;
}

ContentResult merge_contents(git::Repository& repository, const EntryMergeInput& input) {
    if (input.driver.kind == MergeDriver::Kind::binary)
        return {.id = input.upstream.id, .binary = true};
    const auto base = base_bytes(repository, input);
    const auto upstream = repository.objects().require(input.upstream.id, git::ObjectType::blob, input.path);
    const auto local = repository.objects().require(input.local.id, git::ObjectType::blob, input.path);
    if (input.driver.kind == MergeDriver::Kind::external)
        return merge_by_driver(repository, input, base, upstream, local);
    if (is_lfs_pointer(upstream) || is_lfs_pointer(local))
        return {.id = input.upstream.id, .binary = true};
    return merge_as_text(repository, input, base, upstream, local);
}

/// Nothing where both sides set different modes.
std::optional<std::uint32_t> merge_modes(const EntryMergeInput& input) {
    const auto base = input.base && input.base->is_regular() ? input.base->mode : 0;
    if (input.upstream.mode == input.local.mode || input.upstream.mode == base)
        return input.local.mode;
    if (input.local.mode == base)
        return input.upstream.mode;
    return std::nullopt;
}

Conflict content_conflict(const EntryMergeInput& input, const ContentResult& content, std::uint32_t mode,
                          bool generated) {
    const auto path = quoted(input.path);
    if (!content.trouble.empty())
        return conflict_of(input, ConflictKind::content, input.upstream, content.trouble);
    const git::TreeEntry marked{mode, content.id};
    if (content.binary && input.base)
        return conflict_of(input, ConflictKind::binary, marked,
                           "both sides changed " + path + ", which is not merged as text");
    // Markers would make it unreadable to its program, which has to make it anew in any case.
    if (generated)
        return conflict_of(input, input.base ? ConflictKind::content : ConflictKind::both_added,
                           {mode, input.upstream.id}, "both sides changed the generated file " + path);
    auto conflict =
        input.base ? conflict_of(input, ConflictKind::content, marked, "both sides changed the same lines of " + path)
                   : conflict_of(input, ConflictKind::both_added, marked, "both sides added " + path);
    conflict.marker_size = input.driver.marker_size;
    return conflict;
}

EntryMergeResult merge_regular(git::Repository& repository, const EntryMergeInput& input) {
    const auto mode = merge_modes(input);
    EntryMergeResult result;
    ContentResult content{.clean = true};
    if (needs_driver(input.base, input.upstream, input.local)) {
        content = merge_contents(repository, input);
    } else {
        const bool upstream_same = input.base && input.base->is_regular() && input.base->id == input.upstream.id;
        content.id = upstream_same ? input.local.id : input.upstream.id;
        auto hunks = entry_hunks(repository, input.base, input.local, upstream_same ? Fate::kept : Fate::absorbed);
        content.hunks = std::move(hunks.hunks);
        content.binary = hunks.binary;
        content.note = std::move(hunks.note);
    }
    result.binary = content.binary;
    result.hunks = std::move(content.hunks);
    result.note = content.note;
    if (!content.clean) {
        const bool generated = is_generated(repository, input.path, input.upstream, input.driver.generated);
        if (generated)
            result.hunks.clear(); // the file is in conflict, whatever its lines are
        result.conflict = content_conflict(input, content, mode.value_or(input.upstream.mode), generated);
    } else if (!mode) {
        result.hunks.clear();
        result.conflict = conflict_of(input, ConflictKind::mode, {input.upstream.mode, content.id},
                                      "both sides added " + quoted(input.path) + " with different modes");
    } else {
        result.merged = git::TreeEntry{*mode, content.id};
    }
    return result;
}

EntryMergeResult merge_gitlinks(const EntryMergeInput& input) {
    EntryMergeResult result;
    if (input.base && input.base->is_gitlink() && input.gitlinks != nullptr && *input.gitlinks) {
        const auto id = (*input.gitlinks)({input.path, input.base->id, input.upstream.id, input.local.id});
        if (id) {
            result.merged = git::TreeEntry{git::mode::gitlink, *id};
            return result;
        }
    }
    result.conflict =
        conflict_of(input, ConflictKind::submodule, input.upstream,
                    "both sides moved the submodule " + quoted(input.path) + ", to " + input.local.id.short_hex() +
                        " here and to " + input.upstream.id.short_hex() + " upstream");
    return result;
}

EntryMergeResult take(git::Repository& repository, const EntryMergeInput& input, const git::TreeEntry& entry,
                      Fate fate) {
    auto hunks = entry_hunks(repository, input.base, input.local, fate);
    return {.merged = entry, .hunks = std::move(hunks.hunks), .binary = hunks.binary, .note = std::move(hunks.note)};
}

} // namespace

bool needs_driver(const std::optional<git::TreeEntry>& base, const git::TreeEntry& upstream,
                  const git::TreeEntry& local) {
    if (!upstream.is_regular() || !local.is_regular() || upstream.id == local.id)
        return false;
    return !base || !base->is_regular() || (base->id != upstream.id && base->id != local.id);
}

EntryHunks entry_hunks(git::Repository& repository, const std::optional<git::TreeEntry>& base,
                       const std::optional<git::TreeEntry>& local, Fate fate) {
    EntryHunks result;
    std::string bytes[2];
    const std::optional<git::TreeEntry>* versions[2] = {&base, &local};
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& entry = *versions[i];
        if (!entry)
            continue;
        if (!entry->is_regular())
            return result;
        const auto header = repository.objects().header(entry->id);
        if (header && header->size > hunk_size_limit)
            return result;
        bytes[i] = repository.objects().require(entry->id, git::ObjectType::blob);
        result.binary = result.binary || git::is_binary(bytes[i]) || is_lfs_pointer(bytes[i]);
    }
    if (result.binary)
        return result;
    if (base && local && differ_in_endings_only(bytes[0], bytes[1]))
        result.note = "only its line endings differ";
    else
        result.hunks = hunks_of(bytes[0], bytes[1], fate);
    return result;
}

EntryMergeResult merge_entries(git::Repository& repository, const EntryMergeInput& input) {
    if (input.upstream == input.local)
        return take(repository, input, input.upstream, Fate::absorbed);
    if (input.base && input.upstream == *input.base)
        return take(repository, input, input.local, Fate::kept);
    if (input.base && input.local == *input.base)
        return {.merged = input.upstream};

    const auto path = quoted(input.path);
    EntryMergeResult result;
    if (type_of(input.upstream) != type_of(input.local)) {
        const auto kind = input.base ? ConflictKind::type_changed : ConflictKind::both_added;
        result.conflict = conflict_of(input, kind, input.upstream,
                                      path + " is " + std::string(name_of_type(input.local)) + " here and " +
                                          std::string(name_of_type(input.upstream)) + " upstream");
        return result;
    }
    switch (type_of(input.local)) {
    case EntryType::submodule:
        return merge_gitlinks(input);
    case EntryType::link:
        result.conflict =
            conflict_of(input, input.base ? ConflictKind::binary : ConflictKind::both_added, input.upstream,
                        "both sides made the link " + path + " point to different places");
        return result;
    case EntryType::file:
        break;
    }
    return merge_regular(repository, input);
}

} // namespace carry::merge
