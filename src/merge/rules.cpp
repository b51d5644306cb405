#include "merge/rules.hpp"

#include "merge/chunk_text.hpp"
#include "merge/rule_functions.hpp"

#include <algorithm>
#include <array>

namespace carry::merge {

namespace {

struct Row {
    Rule rule;
    RuleResult (*function)(const ConflictLines&);
};

/// line-endings is not among them: it looks at whole files (line_endings.hpp).
constexpr std::array rows = {
    Row{Rule::absorbed, rule_absorbed},
    Row{Rule::includes, rule_includes},
    Row{Rule::adjacent_lines, rule_adjacent_lines},
    Row{Rule::indentation, rule_indentation},
    Row{Rule::common_ends, rule_common_ends},
    Row{Rule::absorbed_words, rule_absorbed_words},
    Row{Rule::whitespace, rule_whitespace},
    Row{Rule::words, rule_words},
    Row{Rule::both_items, rule_both_items},
};

/// No person reads proposals for conflicts as large as this one, and comparing them takes time.
constexpr std::size_t most_lines = 2000;

/// The last line of a file may lack its newline: no other line may come to stand after it.
bool keeps_lines_apart(std::string_view bytes, const ConflictLines& conflict) {
    const auto complete = [](const Items& lines) { return lines.empty() || lines.back().ends_with('\n'); };
    if (complete(conflict.base) && complete(conflict.upstream) && complete(conflict.local))
        return true;
    return bytes == bytes_of(conflict.upstream) || bytes == bytes_of(conflict.local);
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> ends) {
    return std::ranges::any_of(ends, [name](std::string_view end) { return name.ends_with(end); });
}

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

} // namespace

FileTraits traits_of(std::string_view path) {
    const auto name = path.substr(path.rfind('/') + 1);
    FileTraits traits;
    traits.indentation_means =
        ends_with_any(name, {".py", ".pyi", ".pyx", ".yml", ".yaml", ".mk", ".mak", ".nim", ".coffee", ".sass", ".haml",
                             ".pug", ".slim", ".hs", ".fs", ".rst"}) ||
        is_any(name, {"Makefile", "makefile", "GNUmakefile", "SConstruct", "SConscript", "Snakefile"});
    traits.generated = ends_with_any(name, {".lock", ".min.js", ".min.css", ".lockfile"}) ||
                       is_any(name, {"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum",
                                     "packages.lock.json", "bun.lockb"});
    return traits;
}

std::vector<Proposal> propose(const ConflictLines& conflict) {
    std::vector<Proposal> proposals;
    const auto most = std::max({conflict.base.size(), conflict.upstream.size(), conflict.local.size()});
    if (conflict.traits.generated || most > most_lines)
        return proposals;
    for (const auto& row : rows) {
        auto bytes = row.function(conflict);
        if (bytes && keeps_lines_apart(*bytes, conflict))
            proposals.push_back({row.rule, std::move(*bytes)});
    }
    return proposals;
}

const Proposal* decision(const std::vector<Proposal>& proposals, RuleSet deciding) {
    const auto found =
        std::ranges::find_if(proposals, [deciding](const Proposal& proposal) { return deciding.has(proposal.rule); });
    return found == proposals.end() ? nullptr : &*found;
}

} // namespace carry::merge
