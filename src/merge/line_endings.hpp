/// Files whose line endings one side switched: with all three versions ended alike, only real edits differ.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carry::merge {

struct AlikeVersions {
    std::string base, upstream, local;
    std::string_view ending;  ///< "LF" or "CRLF"
    bool by_upstream = false; ///< who switched; false: only the local side did
};

/// Nothing where the base's line endings are mixed, or neither side is wholly of the other kind.
std::optional<AlikeVersions> with_switched_endings(std::string_view base, std::string_view upstream,
                                                   std::string_view local);

} // namespace carry::merge
