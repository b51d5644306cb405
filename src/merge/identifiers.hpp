/// Names in source text, told apart as well as that goes without knowing the language: which are used in a line, which
/// are defined there. Comments and strings are passed over.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

/// Files whose names belong together: "c" for C, C++ and CUDA, "py", "js" for JavaScript and TypeScript, otherwise the
/// extension itself. Empty for prose, data and files without an extension.
std::string language_of(std::string_view path);

struct Identifier {
    std::string_view name;
    std::size_t column = 0; ///< byte in the line
    bool defined = false;   ///< the line looks like its definition
};

/// Names of three letters or more, in order.
std::vector<Identifier> identifiers_in(std::string_view line, std::string_view language);

} // namespace carry::merge
