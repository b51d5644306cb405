/// File names for patches.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace carry::patch {

/// "0003-fix-the-scale.patch": letters, digits, dots, dashes and underscores of a commit's subject; a long one loses
/// its end.
std::string patch_name_of_subject(std::size_t number, std::string_view subject);
/// "0003-python-sglang-server_args.py.patch"; a long path loses its beginning.
std::string patch_name_of_path(std::size_t number, std::string_view path);
/// "0003-x.patch" with another extension (".bundle").
std::string with_extension(std::string_view patch_name, std::string_view extension);

} // namespace carry::patch
