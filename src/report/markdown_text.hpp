/// Foreign text inside Markdown (CommonMark and GitHub's tables), where it can be neither markup nor HTML.
#pragma once

#include <string>
#include <string_view>

namespace carry::report {

/// Running text: markup characters escaped, control characters made visible.
std::string markdown_text(std::string_view text);

/// A name as code; one that code cannot hold in a table (a backtick, a bar) as escaped text.
std::string markdown_code(std::string_view text);

/// A block of lines, fenced longer than any fence in it; "" for no text.
std::string markdown_block(std::string_view text);

} // namespace carry::report
