/// CLI11's exceptions as failures in our own words.
#pragma once

#include <carry/error.hpp>

#include <CLI/CLI.hpp>

namespace carry::cli {

/// An Error{usage} with the nearest known word and the help to read. `root` has just thrown `error`.
Error usage_error(const CLI::App& root, const CLI::ParseError& error);

} // namespace carry::cli
