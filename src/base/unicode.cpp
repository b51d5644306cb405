#include "base/unicode.hpp"

#include "base/text.hpp"

#include <locale.h>

#include <cwchar>

namespace carry {
namespace {

struct Lead {
    std::size_t length;
    char32_t bits;
    char32_t smallest; ///< below it the form is overlong
};

std::optional<Lead> lead_of(unsigned char byte) {
    if (byte < 0x80)
        return Lead{1, byte, 0};
    if ((byte & 0xe0U) == 0xc0)
        return Lead{2, byte & 0x1fU, 0x80};
    if ((byte & 0xf0U) == 0xe0)
        return Lead{3, byte & 0x0fU, 0x800};
    if ((byte & 0xf8U) == 0xf0)
        return Lead{4, byte & 0x07U, 0x10000};
    return std::nullopt;
}

/// The C library's own table of widths, whatever locale the program runs in.
class Utf8Locale {
public:
    Utf8Locale() : m_locale(newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr))) {
        if (m_locale != nullptr)
            m_before = uselocale(m_locale);
    }
    Utf8Locale(const Utf8Locale&) = delete;
    Utf8Locale& operator=(const Utf8Locale&) = delete;
    ~Utf8Locale() {
        if (m_locale == nullptr)
            return;
        uselocale(m_before);
        freelocale(m_locale);
    }

private:
    locale_t m_locale;
    locale_t m_before = nullptr;
};

} // namespace

std::optional<char32_t> take_code_point(std::string_view& bytes) {
    const auto lead = lead_of(static_cast<unsigned char>(bytes.front()));
    if (!lead || lead->length > bytes.size()) {
        bytes.remove_prefix(1);
        return std::nullopt;
    }
    char32_t value = lead->bits;
    for (std::size_t i = 1; i < lead->length; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        if ((byte & 0xc0U) != 0x80) {
            bytes.remove_prefix(1);
            return std::nullopt;
        }
        value = (value << 6U) | (byte & 0x3fU);
    }
    if (value < lead->smallest || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
        bytes.remove_prefix(1);
        return std::nullopt;
    }
    bytes.remove_prefix(lead->length);
    return value;
}

std::size_t display_width(std::string_view text) {
    std::optional<Utf8Locale> locale; // only where there is more than ASCII: making one costs a file
    std::size_t columns = 0;
    while (!text.empty()) {
        const auto code_point = take_code_point(text);
        if (!code_point || *code_point < 0x80) {
            ++columns;
            continue;
        }
        if (!locale)
            locale.emplace();
        const int width = wcwidth(static_cast<wchar_t>(*code_point));
        columns += width < 0 ? 1 : static_cast<std::size_t>(width);
    }
    return columns;
}

} // namespace carry
