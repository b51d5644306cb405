/// Recorded resolutions, used: what a person made of a conflict once is made of it again.
#pragma once

#include "git/buffers.hpp"
#include "merge/resolution_store.hpp"
#include "merge/text_merge.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

/// The texts under which one conflict may have been recorded: git names it by its hunks, and these depend on the style
/// of the markers. The one in `style` comes first.
std::vector<std::string> conflict_texts(std::string_view base, std::string_view upstream, std::string_view local,
                                        const git::MergeOptions& options);

/// Lines with "\r\n" in place of "\n": the form on disk where git converts line endings.
std::string with_carriage_returns(std::string_view text);

class ResolutionMemory {
public:
    explicit ResolutionMemory(ResolutionStore store);

    /// False: nothing is remembered, and no text need be made for it.
    [[nodiscard]] bool any() const noexcept { return m_any; }

    struct Resolved {
        std::string bytes;
        std::string reason; ///< "recorded resolution 1a2b3c4d5 of 2026-03-08"
    };
    /// The file with every conflict resolved as it was before; nothing where one of them was not. `texts` are forms of
    /// the same conflict. As `git rerere` does it: what was made of the preimage is merged into the present text.
    std::optional<Resolved> resolve(const std::vector<std::string>& texts, unsigned short marker_size);

    /// All that resolve() took.
    [[nodiscard]] const std::vector<Resolution>& used() const noexcept { return m_used; }

private:
    std::optional<Resolved> resolve_text(std::string_view text, unsigned short marker_size);
    const Resolution* apply(const std::string& id, std::string& image, unsigned short marker_size, bool whole);

    ResolutionStore m_store;
    bool m_any;
    std::vector<Resolution> m_used;
};

/// Makes `merge`, in conflict, the resolved one: bytes, and for each hunk its place and its fate.
void take_resolution(TextMerge& merge, const ResolutionMemory::Resolved& resolved, std::size_t marker_size);

} // namespace carry::merge
