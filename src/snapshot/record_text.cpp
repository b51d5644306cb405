#include "snapshot/record_text.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace carry::snapshot {

namespace {

std::uint32_t mode_of(const std::optional<git::TreeEntry>& entry) {
    return entry ? entry->mode : 0;
}

std::string id_of(const std::optional<git::TreeEntry>& entry, git::ObjectFormat format) {
    return entry && !entry->id.is_null() ? entry->id.hex() : git::zero_hex(format);
}

char unmerged_letter(const std::optional<git::TreeEntry>& side, const UnmergedStatus& entry) {
    if (!side)
        return 'D';
    return entry.base ? 'U' : 'A';
}

/// git's two letters: DD AU UD UA DU AA UU.
std::string unmerged_letters(const UnmergedStatus& entry) {
    if (!entry.base && (!entry.ours || !entry.theirs))
        return entry.ours ? "AU" : "UA";
    return {unmerged_letter(entry.ours, entry), unmerged_letter(entry.theirs, entry)};
}

} // namespace

std::string encode_text(std::string_view bytes) {
    if (is_utf8(bytes) && !bytes.starts_with('"'))
        return std::string(bytes);
    return quote_path(bytes);
}

std::string decode_text(const std::string& text) {
    return text.starts_with('"') ? unquote_path(text) : text;
}

std::string porcelain_text(const Status& status, git::ObjectFormat format) {
    std::string text;
    const auto out = std::back_inserter(text);
    for (const auto& entry : status.entries)
        fmt::format_to(out, "1 {}{} {} {:06o} {:06o} {:06o} {} {} {}\n", entry.index, entry.worktree, entry.submodule,
                       mode_of(entry.head_entry), mode_of(entry.index_entry), entry.worktree_mode,
                       id_of(entry.head_entry, format), id_of(entry.index_entry, format), quote_path(entry.path));
    for (const auto& entry : status.unmerged)
        fmt::format_to(out, "u {} N... {:06o} {:06o} {:06o} {:06o} {} {} {} {}\n", unmerged_letters(entry),
                       mode_of(entry.base), mode_of(entry.ours), mode_of(entry.theirs), entry.worktree_mode,
                       id_of(entry.base, format), id_of(entry.ours, format), id_of(entry.theirs, format),
                       quote_path(entry.path));
    for (const auto* list : {&status.untracked, &status.nested}) {
        for (const auto& path : *list)
            fmt::format_to(out, "? {}\n", quote_path(path));
    }
    return text;
}

} // namespace carry::snapshot
