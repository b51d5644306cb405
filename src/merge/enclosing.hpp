/// What a line stands in: the headers of the blocks around it, as indentation, brackets and section titles tell them.
/// No language is known here; what is compared is the same file before and after.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

/// Names of the blocks around `line` (0-based, of `lines`), outermost first: "class Queue", "def run" for a function,
/// without its parameters; "[server]" for a section; the first line inside for a block that has no header of its own
/// (an object in a JSON list). Empty at the top level.
std::vector<std::string> enclosing_blocks(const std::vector<std::string_view>& lines, std::size_t line);

/// True where some line of `lines` stands in just these blocks.
bool has_block(const std::vector<std::string_view>& lines, const std::vector<std::string>& blocks);

} // namespace carry::merge
