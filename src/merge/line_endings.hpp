/// Line endings as something that a side changes apart from the lines: a file that one side wrote anew with the other
/// kind merges by its lines, and ends up with the kind that was chosen.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carry::merge {

enum class LineEndings {
    none, ///< not a whole line
    lf,
    crlf,
    mixed,
};

LineEndings line_endings_of(std::string_view text);
/// `text` with each line ending in `endings` (lf or crlf).
std::string with_line_endings(std::string_view text, LineEndings endings);
/// True where they are the same lines with other endings.
bool differ_in_endings_only(std::string_view a, std::string_view b);

/// The endings that a merge of the three belongs to have, by the rule of three: a side that did not change them yields.
/// Nothing where all three agree, where both sides chose differently, or where the choice is a mixture.
std::optional<LineEndings> merge_endings(LineEndings base, LineEndings upstream, LineEndings local);

} // namespace carry::merge
