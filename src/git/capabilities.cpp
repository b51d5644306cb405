#include "git/capabilities.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace carry::git {

namespace {

/// Extensions that change nothing about how objects are stored, or that have a field of their own.
constexpr std::array<std::string_view, 7> known_extensions = {
    "extensions.noop",       "extensions.objectformat",    "extensions.partialclone",      "extensions.worktreeconfig",
    "extensions.refstorage", "extensions.preciousobjects", "extensions.relativeworktrees",
};

void probe_extensions(const Config& config, Capabilities& found) {
    if (config.get("extensions.objectformat") == "sha256") {
        found.object_format = ObjectFormat::sha256;
        found.reasons.emplace_back("extensions.objectFormat=sha256");
    }
    if (const auto storage = config.get("extensions.refstorage"); storage && *storage != "files") {
        found.reftable = true;
        found.reasons.push_back("extensions.refStorage=" + *storage);
    }
    found.worktree_config = config.get_bool("extensions.worktreeconfig").value_or(false);
    for (const auto& entry : config.with_prefix("extensions.")) {
        if (std::find(known_extensions.begin(), known_extensions.end(), entry.key) != known_extensions.end())
            continue;
        found.unknown_extension = true;
        found.reasons.push_back(entry.key);
    }
}

void probe_partial_clone(const Config& config, Capabilities& found) {
    if (config.get("extensions.partialclone"))
        found.partial_clone = true;
    for (const auto& entry : config.with_prefix("remote.")) {
        const std::string_view key = entry.key;
        if (key.ends_with(".partialclonefilter") ||
            (key.ends_with(".promisor") && config.get_bool(key).value_or(false)))
            found.partial_clone = true;
    }
    if (found.partial_clone)
        found.reasons.emplace_back("partial clone");
}

void probe_substitutes(const Program& program, const Config& config, Capabilities& found) {
    if (lstat_if_exists(program.paths().common_dir / "info/grafts")) {
        found.replace_refs_or_grafts = true;
        found.reasons.emplace_back("info/grafts");
    }
    if (config.get_bool("core.usereplacerefs").value_or(true) &&
        !program.output({"for-each-ref", "--count=1", "refs/replace"}).empty()) {
        found.replace_refs_or_grafts = true;
        found.reasons.emplace_back("refs/replace");
    }
}

/// Only a repository that has a shared index file is asked, which saves the process everywhere else.
bool has_split_index(const Program& program) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(program.paths().git_dir, error))
        if (entry.path().filename().native().starts_with("sharedindex."))
            return !program.line({"rev-parse", "--shared-index-path"}).empty();
    return false;
}

/// Whether an entry of `git ls-files ARGS` starts with `prefix`. Nothing where git does not know the arguments.
std::optional<bool> lists_entry(const Program& program, const std::vector<std::string>& args, std::string_view prefix) {
    bool found = false;
    bool at_start = true;
    std::string start;
    RunOptions options;
    options.on_output = [&](std::string_view piece) {
        for (const char byte : piece) {
            if (byte == '\0') {
                at_start = true;
                start.clear();
            } else if (at_start) {
                start += byte;
                found = found || start == prefix;
                at_start = start.size() < prefix.size();
            }
        }
    };
    if (!program.run(args, options).ok())
        return std::nullopt;
    return found;
}

void probe_index(const Program& program, const Config& config, Capabilities& found) {
    found.split_index = has_split_index(program);
    found.sparse_checkout = config.get_bool("core.sparsecheckout").value_or(false);
    if (found.sparse_checkout)
        found.sparse_index = lists_entry(program, {"ls-files", "--sparse", "--stage", "-z"}, "040000 ")
                                 .value_or(config.get_bool("index.sparse").value_or(false));
    found.submodules = lstat_if_exists(program.paths().worktree / ".gitmodules") ||
                       lists_entry(program, {"ls-files", "--stage", "-z"}, "160000 ").value_or(false);
}

} // namespace

Capabilities probe_capabilities(const Program& program, const Config& config) {
    Capabilities found;
    probe_extensions(config, found);
    probe_partial_clone(config, found);
    probe_substitutes(program, config, found);
    found.libgit2_objects = found.reasons.empty();
    found.shallow = lstat_if_exists(program.paths().common_dir / "shallow").has_value();
    probe_index(program, config, found);
    return found;
}

} // namespace carry::git
