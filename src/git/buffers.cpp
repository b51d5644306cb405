#include "git/buffers.hpp"

#include "git/handle.hpp"
#include "git/library.hpp"

#include <algorithm>

namespace carry::git {
namespace {

constexpr std::size_t binary_probe = 8000;
// git's MAX_XDIFF_SIZE: beyond it xdiff's arithmetic is not safe.
constexpr std::size_t max_xdiff_size = std::size_t{1023} * 1024 * 1024;

std::size_t count_lines(std::string_view bytes) {
    const auto newlines = static_cast<std::size_t>(std::ranges::count(bytes, '\n'));
    return newlines + (!bytes.empty() && bytes.back() != '\n' ? 1U : 0U);
}

/// A hunk header's numbers: 1-based, and the line before where the count is zero.
LineRange range(int start, int lines) {
    const auto first = static_cast<std::size_t>(start);
    return {lines == 0 ? first : first - 1, static_cast<std::size_t>(lines)};
}

git_merge_file_input input(std::string_view bytes) {
    git_merge_file_input result = GIT_MERGE_FILE_INPUT_INIT;
    result.ptr = bytes.empty() ? "" : bytes.data();
    result.size = bytes.size();
    return result;
}

git_merge_file_favor_t favor(MergeFavor value) {
    switch (value) {
    case MergeFavor::none:
        return GIT_MERGE_FILE_FAVOR_NORMAL;
    case MergeFavor::ours:
        return GIT_MERGE_FILE_FAVOR_OURS;
    case MergeFavor::theirs:
        return GIT_MERGE_FILE_FAVOR_THEIRS;
    case MergeFavor::union_of_both:
        return GIT_MERGE_FILE_FAVOR_UNION;
    }
    return GIT_MERGE_FILE_FAVOR_NORMAL;
}

std::uint32_t style(ConflictStyle value) {
    switch (value) {
    case ConflictStyle::merge:
        return GIT_MERGE_FILE_STYLE_MERGE;
    case ConflictStyle::diff3:
        return GIT_MERGE_FILE_STYLE_DIFF3;
    case ConflictStyle::zdiff3:
        return GIT_MERGE_FILE_STYLE_ZDIFF3;
    }
    return GIT_MERGE_FILE_DEFAULT;
}

} // namespace

bool is_binary(std::string_view bytes) {
    return bytes.substr(0, binary_probe).find('\0') != std::string_view::npos;
}

std::vector<LineChange> diff_lines(std::string_view before, std::string_view after) {
    if (before == after)
        return {};
    if (before.size() > max_xdiff_size || after.size() > max_xdiff_size)
        return {{{0, count_lines(before)}, {0, count_lines(after)}}};
    ensure_library();
    git_diff_options options = GIT_DIFF_OPTIONS_INIT;
    options.context_lines = 0;
    options.interhunk_lines = 0;
    options.flags = GIT_DIFF_FORCE_TEXT;
    git_patch* raw = nullptr;
    check(git_patch_from_buffers(&raw, before.empty() ? "" : before.data(), before.size(), nullptr,
                                 after.empty() ? "" : after.data(), after.size(), nullptr, &options),
          "compare two files");
    const PatchHandle patch(raw);
    std::vector<LineChange> changes(git_patch_num_hunks(raw));
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const git_diff_hunk* hunk = nullptr;
        check(git_patch_get_hunk(&hunk, nullptr, raw, i), "compare two files");
        changes[i] = {range(hunk->old_start, hunk->old_lines), range(hunk->new_start, hunk->new_lines)};
    }
    return changes;
}

std::optional<MergedBuffer> merge_buffers(std::string_view base, std::string_view ours, std::string_view theirs,
                                          const MergeOptions& options) {
    for (const auto side : {base, ours, theirs})
        if (is_binary(side) || side.size() > max_xdiff_size)
            return std::nullopt;
    ensure_library();
    git_merge_file_options settings = GIT_MERGE_FILE_OPTIONS_INIT;
    settings.favor = favor(options.favor);
    settings.flags = style(options.style);
    settings.ancestor_label = options.base_label.c_str();
    settings.our_label = options.ours_label.c_str();
    settings.their_label = options.theirs_label.c_str();
    settings.marker_size = options.marker_size;
    const auto base_input = input(base);
    const auto ours_input = input(ours);
    const auto theirs_input = input(theirs);
    MergeFileResult result;
    check(git_merge_file(result.get(), &base_input, &ours_input, &theirs_input, &settings), "merge three files");
    return MergedBuffer{result->automergeable != 0,
                        result->ptr != nullptr ? std::string(result->ptr, result->len) : std::string()};
}

} // namespace carry::git
