/// Which steps lead from one state of the files to the other, in an order in which each is possible, and what has to be
/// made on the way.
#pragma once

#include "base/directory.hpp"
#include "transaction/journal.hpp"
#include "transaction/transition.hpp"

#include <string>
#include <vector>

namespace carry::transaction {

/// One act of moving. Files that make way for a directory, or whose directory makes way for a file, go first; then
/// directories; then new bytes take their names; all other deletions come last.
struct Step {
    enum class Kind { take_away, remove_directory, make_directory, put };
    Kind kind;
    std::size_t index; ///< into transitions, or into the layout's cleared or new directories
};

/// The move without what does not change. Throws Error{failed} where a path may not be written, is named twice, or
/// would have to be a file and a directory at once.
CheckoutMove effective(const CheckoutMove& move);
bool is_empty(const CheckoutMove& move);

/// Reads the tree for what is in the way and writes nothing. Fills in the metadata that files have on disk as that of
/// their `before`. Throws Error{failed} where something that is not part of the move is in its way.
CheckoutLayout lay_out(CheckoutMove& move, DirectoryTree& tree, const std::string& token);

/// The same for the same arguments, whatever is on disk.
std::vector<Step> steps_of(const CheckoutMove& move, const CheckoutLayout& layout);

/// Directories that may be empty after the move (`moved`), or after it was given up, and should not be; deepest first.
std::vector<std::string> possibly_empty(const CheckoutMove& move, const CheckoutLayout& layout, bool moved);

} // namespace carry::transaction
