/// What goes beyond three-way merging (docs/merging.md): each rule looks at one conflict and may propose lines for it.
/// Rules are pure functions; which of them decide is the caller's.
#pragma once

#include "merge/merge_chunks.hpp"

#include <carry/rules.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace carry::merge {

/// What a rule may know of a file besides the conflict.
struct FileTraits {
    bool indentation_means = false; ///< lines belong together by their indentation: Python, YAML, make …
    bool generated = false;         ///< lock files and the like: their lines depend on each other, no rule is asked
};
FileTraits traits_of(std::string_view path);

/// One conflict, whole: all that both sides changed in one place, lines with their ends.
struct ConflictLines {
    Items base, upstream, local;
    FileTraits traits;
};

struct Proposal {
    Rule rule = Rule::absorbed;
    std::string bytes; ///< what would stand in the place of the conflict
};

/// What the rules propose, in the order of Rule; at most one proposal a rule, several may be the same.
std::vector<Proposal> propose(const ConflictLines& conflict);

/// The first proposal of a rule that decides.
const Proposal* decision(const std::vector<Proposal>& proposals, RuleSet deciding);

} // namespace carry::merge
