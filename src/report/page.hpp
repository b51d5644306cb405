/// Lines for a terminal, laid out in columns and wrapped between pieces, never within one.
#pragma once

#include "report/render.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carry::report {

enum class Paint { none, good, notice, bad, dim };

/// Colours a word that is safe for a terminal already.
std::string paint(const TextStyle& style, Paint color, std::string_view text);

/// Columns that `text` takes, its colours not counted.
std::size_t visible_width(std::string_view text);

/// `text` filled up with spaces to `width` columns.
std::string padded(std::string_view text, std::size_t width);

class Page {
public:
    explicit Page(const TextStyle& style) : m_style(style) {}

    /// An empty line, unless nothing stands above it or the last line is one.
    void gap();
    void line(std::string_view text);
    /// `head`, then the pieces with `between` between them; a piece that would pass the width begins a new line at
    /// `indent`. Empty pieces are passed over.
    void pieces(std::string_view head, std::size_t indent, const std::vector<std::string>& pieces,
                std::string_view between = "  ");

    [[nodiscard]] const TextStyle& style() const noexcept { return m_style; }
    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    void add_trimmed(std::string_view text);

    TextStyle m_style;
    std::string m_text;
};

} // namespace carry::report
