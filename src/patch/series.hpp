/// The series file: quilt's format, with git-carry's words in comments.
///
///     # git-carry series 1
///     # base 1a2b… of origin/main
///     0001-fix-the-scale.patch # layer=commit commit=9f3c…
///     # git-only: 0002-logo.png.patch # layer=staged before=77aa… after=88bb…
///     # mail: 0003-dos-file.patch # layer=commit commit=… bundle=0003-dos-file.bundle diff=0003-dos-file.diff
///     0003-dos-file.diff # plain form of 0003-dos-file.patch
///     # too large: model.bin # layer=untracked after=…
///
/// quilt applies the lines that are no comments. A `git-only` patch cannot be expressed for GNU patch (binary files,
/// links, submodules). A `mail` is for `git am` alone (its lines are encoded, or its message looks like a diff); its
/// plain form, for GNU patch, is the next line. What is `too large` for a patch is named, and has to be copied by hand.
/// A `bundle` holds a commit that `git am` would not reproduce exactly: `git fetch FILE refs/heads/carried`.
#pragma once

#include "patch/patch.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carry::patch {

struct SeriesEntry {
    PatchFile file;              ///< name, layer, commit, gnu_patch, bundle
    std::string diff;            ///< name of the plain form beside it; may be empty
    git::ObjectId before, after; ///< blobs, where the patch changes one path
    int strip = 1;               ///< quilt's -pN
    std::size_t line = 0;
};

std::string write_series_text(const std::vector<SeriesEntry>& entries, const git::ObjectId& base,
                              const std::string& upstream);

/// In the order of application. Throws Error{usage} with `where` and line on a name that leads out of the series'
/// directory.
std::vector<SeriesEntry> parse_series(std::string_view text, std::string_view where);

} // namespace carry::patch
