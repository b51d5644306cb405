// Three versions of a text. The first byte says how the rest becomes texts: bytes as they are, or each byte a line.
#include "base/text.hpp"
#include "fuzz.hpp"
#include "merge/conflict_image.hpp"
#include "merge/sequence_diff.hpp"
#include "merge/text_merge.hpp"

#include <algorithm>
#include <array>

namespace {

using namespace carry;

/// Few different lines, some that are equal but for blanks or their end, so that small inputs make real merges.
std::string lines_of(std::string_view bytes, bool indented) {
    constexpr std::array<std::string_view, 12> words = {"a = 1", "b = 2", "}",      "{",       "",      "import x",
                                                        "x, y",  "end",   "if (a)", "return;", "def f", "\ttab"};
    std::string text;
    for (const char c : bytes) {
        const auto value = static_cast<unsigned char>(c);
        if (indented)
            text.append(value / 64U, ' ');
        text += words[value % words.size()];
        text += value % 31U == 0 ? "\r\n" : "\n";
    }
    return text;
}

std::array<std::string, 3> versions_of(std::string_view input) {
    const auto mode = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    std::array<std::string, 3> versions;
    for (auto& version : versions) {
        const auto end = std::min(input.find('\xff'), input.size());
        version = mode % 3U == 0 ? std::string(input.substr(0, end)) : lines_of(input.substr(0, end), mode % 3U == 2);
        input.remove_prefix(std::min(end + 1, input.size()));
    }
    return versions;
}

bool has_marker_lines(std::string_view text) {
    return std::ranges::any_of(split_lines(text), [](auto line) {
        return line.starts_with("<<<") || line.starts_with("===") || line.starts_with(">>>") || line.starts_with("|||");
    });
}

void expect_within(const git::LineRange& range, std::string_view text) {
    fuzz::expect(range.end() <= split_lines(text).size(), "a hunk lies within its file");
}

void merge_and_check(const std::array<std::string, 3>& versions, const git::MergeOptions& options, RuleSet rules) {
    const auto& [base, upstream, local] = versions;
    const auto merged = merge::merge_text(base, upstream, local, options, {.deciding = rules, .path = "file.py"});
    if (!merged)
        return;
    std::size_t conflicts = 0;
    for (const auto& hunk : merged->hunks) {
        expect_within(hunk.base, base);
        expect_within(hunk.local, local);
        if (hunk.upstream)
            expect_within(*hunk.upstream, upstream);
        conflicts += hunk.fate == Fate::conflict ? 1U : 0U;
    }
    fuzz::expect(merged->clean == (conflicts == 0), "a merge is clean where no hunk is in conflict");
    if (merged->clean || std::ranges::any_of(versions, has_marker_lines))
        return;
    const auto image = merge::conflict_image(merged->bytes, options.marker_size);
    fuzz::expect(image && image->conflicts.size() == conflicts, "markers can be read back");
}

/// With `same` on both sides, or one side as it was, the merge is the other.
void merge_trivially(const std::string& base, const std::string& same, const git::MergeOptions& options) {
    for (const auto& sides : {std::array{base, same, same}, std::array{base, base, same}, std::array{base, same, base}})
        if (const auto merged = merge::merge_text(sides[0], sides[1], sides[2], options, {.deciding = RuleSet::all()}))
            fuzz::expect(merged->clean && merged->bytes == same, "the merge of equal sides is that side");
}

/// Lines outside the changes are equal on both sides, in order.
void diff(const std::string& before, const std::string& after) {
    const auto a = split_lines(before);
    const auto b = split_lines(after);
    std::size_t in_a = 0;
    std::size_t in_b = 0;
    for (const auto& change : merge::diff_sequences(a, b)) {
        fuzz::expect(change.before.start - in_a == change.after.start - in_b, "common lines are on both sides");
        while (in_a < change.before.start)
            fuzz::expect(a[in_a++] == b[in_b++], "what is not changed is equal");
        in_a = change.before.end();
        in_b = change.after.end();
    }
    fuzz::expect(std::equal(a.begin() + static_cast<std::ptrdiff_t>(in_a), a.end(),
                            b.begin() + static_cast<std::ptrdiff_t>(in_b), b.end()),
                 "what follows the last change is equal");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const auto versions = versions_of(fuzz::text_of(data, size));
    for (const auto style : {git::ConflictStyle::merge, git::ConflictStyle::diff3, git::ConflictStyle::zdiff3}) {
        git::MergeOptions options;
        options.style = style;
        merge_and_check(versions, options, RuleSet());
        merge_and_check(versions, options, RuleSet::all());
        merge_trivially(versions[0], versions[1], options);
    }
    diff(versions[0], versions[2]);
    return 0;
}
