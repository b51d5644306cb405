/// A generated tree on disk.
#pragma once

#include "support/scratch_files.hpp"
#include "support/temp_repo.hpp"

#include <string>

namespace carry::test {

/// Makes `directory` ("" or one that ends in '/') of the checkout, which holds `before`, hold exactly `files`; what is
/// equal is not written.
void write_files(const TempRepo& repo, const std::string& directory, const ScratchFiles& before,
                 const ScratchFiles& files);

} // namespace carry::test
