// Names as people and git read them: quoting can be taken back, and nothing reaches the terminal unescaped.
#include "base/directory.hpp"
#include "base/text.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace carry;
    const auto name = fuzz::text_of(data, size);
    const auto as_git = quote_path(name);
    if (as_git.starts_with('"') && as_git != name)
        fuzz::expect(unquote_path(as_git) == name, "quoting can be taken back");
    fuzz::understood([&] { unquote_path(name); });
    for (const auto& shown : {escape_terminal(name), as_git, shell_quote(name)})
        for (const char c : shown)
            fuzz::expect(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "no control character is shown");
    fuzz::expect(is_utf8(escape_terminal(name)), "what is shown is UTF-8");
    if (is_safe_repo_path(name))
        for (const auto part : split(name, '/'))
            fuzz::expect(!part.empty() && part != "." && part != ".." && part != ".git", "a safe path stays inside");
    display_width(escape_terminal(name));
    return 0;
}
