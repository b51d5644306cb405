/// The text of --help.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

namespace carry::cli {

/// Help of the program or of one command.
std::string help_text(const CLI::App& app);

/// Words of `text` on lines of at most `width` columns; paragraphs stay apart.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

} // namespace carry::cli
