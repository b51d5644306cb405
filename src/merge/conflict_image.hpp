/// A file with conflict markers as git's rerere sees it: markers without labels, no common ancestor, the sides in the
/// order of their bytes. What is equal in this form is the same conflict.
#pragma once

#include "git/object_id.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

struct ConflictImage {
    std::string bytes;                  ///< rerere's preimage
    std::vector<std::string> conflicts; ///< what each conflict adds to the id, in order; none: nothing is in conflict
    /// rerere's name for all conflicts of the file together, or (the second) for one alone.
    [[nodiscard]] std::string id(git::ObjectFormat format) const;
    static std::string id_of(git::ObjectFormat format, std::string_view conflict);
};

/// How the markers of a text look: labelled as in a working tree, or bare as in a preimage.
enum class MarkerForm { labelled, bare };

/// Nothing where the markers do not go together, and for texts with NUL bytes.
std::optional<ConflictImage> conflict_image(std::string_view text, std::size_t marker_size,
                                            MarkerForm form = MarkerForm::labelled);

/// True where some conflict, whole or broken, is left in the text.
bool holds_conflict(std::string_view text, std::size_t marker_size);

/// Marker size of a preimage, from its first marker; nothing where there is none.
std::optional<std::size_t> marker_size_of_image(std::string_view image);

} // namespace carry::merge
