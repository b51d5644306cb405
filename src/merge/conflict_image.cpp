#include "merge/conflict_image.hpp"

#include "base/text.hpp"
#include "git/digest.hpp"

#include <algorithm>

namespace carry::merge {

namespace {

constexpr std::string_view white_space = " \t\n\v\f\r";

/// Conflicts inside conflicts inside conflicts: more than a criss-cross merge makes, and few enough for the stack.
constexpr std::size_t most_nested = 64;

/// Reads a text line by line, as rerere does; a conflict inside a conflict is part of its side.
class ImageReader {
public:
    ImageReader(std::string_view text, std::size_t marker_size, MarkerForm form)
        : m_lines(split_lines(text)), m_marker_size(marker_size), m_form(form) {}

    std::optional<ConflictImage> read() {
        ConflictImage image;
        while (m_next < m_lines.size()) {
            const auto line = m_lines[m_next++];
            if (!is_marker(line, '<')) {
                image.bytes += line;
                continue;
            }
            std::string hashed;
            if (!read_conflict(image.bytes, hashed, 1))
                return std::nullopt;
            image.conflicts.push_back(std::move(hashed));
        }
        return image;
    }

private:
    enum class Part { first, ancestor, second };

    [[nodiscard]] bool is_marker(std::string_view line, char sign) const {
        if (line.size() <= m_marker_size || line.find_first_not_of(sign) != m_marker_size)
            return false;
        const char next = line[m_marker_size];
        if (sign == '<' || sign == '>')
            return m_form == MarkerForm::labelled ? next == ' ' : next == '\n';
        return white_space.find(next) != std::string_view::npos;
    }

    /// After the opening marker; false where the conflict is broken or does not end.
    bool read_conflict(std::string& image, std::string& hashed, std::size_t depth) {
        std::string sides[2];
        auto part = Part::first;
        while (m_next < m_lines.size()) {
            const auto line = m_lines[m_next++];
            if (is_marker(line, '<')) {
                std::string inner;
                std::string ignored;
                if (depth == most_nested || !read_conflict(inner, ignored, depth + 1))
                    return false;
                sides[part == Part::first ? 0 : 1] += inner;
            } else if (is_marker(line, '|')) {
                if (part != Part::first)
                    return false;
                part = Part::ancestor;
            } else if (is_marker(line, '=')) {
                if (part == Part::second)
                    return false;
                part = Part::second;
            } else if (is_marker(line, '>')) {
                if (part != Part::second)
                    return false;
                close(sides, image, hashed);
                return true;
            } else if (part != Part::ancestor) {
                sides[part == Part::first ? 0 : 1] += line;
            }
        }
        return false;
    }

    void close(std::string (&sides)[2], std::string& image, std::string& hashed) const {
        if (sides[0] > sides[1])
            sides[0].swap(sides[1]);
        const auto marker = [&](char sign) { return std::string(m_marker_size, sign) + '\n'; };
        image += marker('<') + sides[0] + marker('=') + sides[1] + marker('>');
        hashed = sides[0] + '\0' + sides[1] + '\0';
    }

    std::vector<std::string_view> m_lines;
    std::size_t m_marker_size;
    MarkerForm m_form;
    std::size_t m_next = 0;
};

} // namespace

std::string ConflictImage::id(git::ObjectFormat format) const {
    std::string all;
    for (const auto& conflict : conflicts)
        all += conflict;
    return git::digest_hex(format, all);
}

std::string ConflictImage::id_of(git::ObjectFormat format, std::string_view conflict) {
    return git::digest_hex(format, conflict);
}

std::optional<ConflictImage> conflict_image(std::string_view text, std::size_t marker_size, MarkerForm form) {
    if (text.find('\0') != std::string_view::npos)
        return std::nullopt;
    return ImageReader(text, marker_size, form).read();
}

bool holds_conflict(std::string_view text, std::size_t marker_size) {
    return std::ranges::any_of(std::initializer_list<MarkerForm>{MarkerForm::labelled, MarkerForm::bare},
                               [&](MarkerForm form) {
                                   const auto image = conflict_image(text, marker_size, form);
                                   return !image || !image->conflicts.empty();
                               });
}

std::optional<std::size_t> marker_size_of_image(std::string_view image) {
    for (const auto line : split_lines(image)) {
        const auto size = std::min(line.find_first_not_of('<'), line.size());
        if (size > 0 && line.substr(size) == "\n")
            return size;
    }
    return std::nullopt;
}

} // namespace carry::merge
