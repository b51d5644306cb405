#include "git/convert.hpp"

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "git/object_store.hpp"
#include "git/rules_tree.hpp"

#include <carry/error.hpp>

#include <algorithm>
#include <set>
#include <system_error>

namespace carry::git {

namespace {

/// "fatal: a.txt: clean filter 'lfs' failed" (or "smudge filter lfs failed"), taken apart.
struct FilterFailure {
    std::string path;
    std::string filter;
};

std::optional<FilterFailure> filter_failure(std::string_view words, std::string_view direction) {
    const std::string marker = ": " + std::string(direction) + " filter ";
    constexpr std::string_view fatal = "fatal: ";
    constexpr std::string_view failed = " failed";
    for (auto line : split_terminated(words, '\n')) {
        const auto at = line.find(marker);
        if (at == std::string_view::npos || !line.ends_with(failed))
            continue;
        if (line.starts_with(fatal))
            line.remove_prefix(fatal.size());
        const auto begin = line.find(marker);
        auto name = line.substr(begin + marker.size());
        name.remove_suffix(failed.size());
        if (name.size() > 1 && name.front() == '\'' && name.back() == '\'')
            name = name.substr(1, name.size() - 2);
        return FilterFailure{std::string(line.substr(0, begin)), std::string(name)};
    }
    return std::nullopt;
}

/// The filter whose command the words are about, or, where a filter process has gone without a word, one that is
/// configured as a process; empty: none. git names a filter only where it could talk to it.
std::string filter_behind(const Program& program, std::string_view words) {
    const bool gone = words.find("the remote end hung up") != std::string_view::npos ||
                      words.find("external filter") != std::string_view::npos;
    std::string process;
    const auto listed = program.run({"config", "-z", "--get-regexp", "^filter\\..*\\.(clean|smudge|process)$"});
    for (const auto entry : split_terminated(listed.output, '\0')) {
        const auto newline = std::min(entry.find('\n'), entry.size());
        const auto key = entry.substr(0, newline);
        const auto command = entry.substr(std::min(newline + 1, entry.size()));
        const auto name = key.substr(key.find('.') + 1, key.rfind('.') - key.find('.') - 1);
        if (!command.empty() && words.find(command) != std::string_view::npos)
            return std::string(name);
        if (gone && key.ends_with(".process"))
            process = name;
    }
    return process;
}

/// "100644 0123… 0\tpath", as `git ls-files --stage` and `update-index --index-info` have it.
struct StageLine {
    std::string_view line;
    std::string_view path;
    [[nodiscard]] ObjectId id() const {
        const auto begin = line.find(' ') + 1;
        return ObjectId::from_hex(line.substr(begin, line.find(' ', begin) - begin));
    }
};

std::vector<StageLine> stage_lines(std::string_view text) {
    std::vector<StageLine> lines;
    for (const auto line : split_terminated(text, '\0'))
        if (const auto tab = line.find('\t'); tab != std::string_view::npos)
            lines.push_back({line, line.substr(tab + 1)});
    return lines;
}

/// What the checkout's index says about `paths`, and its .gitattributes, which stand in for files that are not there.
/// Without stamps and flags, so that every file is read.
std::string entries_that_matter(const Program& program, const std::set<std::string_view>& paths) {
    const std::string listed = program.output({"ls-files", "--stage", "-z"});
    std::string info;
    for (const auto& entry : stage_lines(listed)) {
        if (!paths.contains(entry.path) && name_of(entry.path) != ".gitattributes")
            continue;
        info += entry.line;
        info += '\0';
    }
    return info;
}

} // namespace

Error conversion_failure(const Program& program, std::string_view words, std::string_view direction,
                         const std::string& otherwise) {
    auto failure = filter_failure(words, direction);
    if (!failure)
        failure = FilterFailure{{}, filter_behind(program, words)};
    if (failure->filter.empty())
        return Error(ErrorKind::failed, otherwise).because(std::string(trim(words)));
    const auto where = failure->path.empty() ? std::string() : " on " + quoted(failure->path);
    return Error(ErrorKind::refused,
                 "the " + std::string(direction) + " filter " + quoted(failure->filter) + " fails" + where)
        .because(std::string(trim(words)))
        .hint("git config --get-regexp " + shell_quote("^filter\\." + failure->filter + "\\.") +
              "   shows what it runs");
}

std::map<std::string, ObjectId> hash_worktree_files(const Program& program, const std::vector<std::string>& paths) {
    std::map<std::string, ObjectId> ids;
    if (paths.empty())
        return ids;
    prepare_object_directory(program.paths());
    const TemporaryDirectory directory(program.paths().carry_dir(), "hash-");
    const std::vector<std::string> update = {"-c",          "core.safecrlf=false",  "-c", "core.splitIndex=false",
                                             "-c",          "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
                                             "update-index"};
    const auto updating = [&](std::initializer_list<const char*> options) {
        std::vector<std::string> args = update;
        args.insert(args.end(), options.begin(), options.end());
        return args;
    };
    RunOptions options;
    options.private_objects = true;
    options.environment.emplace_back("GIT_INDEX_FILE", (directory.path() / "index").native());
    options.input = entries_that_matter(program, {paths.begin(), paths.end()});
    if (!options.input.empty())
        program.output(updating({"-z", "--index-info"}), options);

    options.input = nul_terminated(paths);
    const ProcessResult result = program.run(updating({"--add", "--replace", "-z", "--stdin"}), options);
    if (!result.ok())
        throw conversion_failure(program, result.error_output, "clean");
    options.input.clear();
    const std::string listed = program.output({"ls-files", "--stage", "-z"}, options);
    const std::set<std::string_view> wanted(paths.begin(), paths.end());
    for (const auto& entry : stage_lines(listed))
        if (wanted.contains(entry.path))
            ids.emplace(entry.path, entry.id());
    return ids;
}

namespace {

/// core.autocrlf and core.eol, as far as they turn LF into CRLF on the way out.
struct LineEndings {
    bool always_crlf = false; ///< core.autocrlf=true: files without a text attribute too
    bool text_crlf = false;   ///< core.eol=crlf: files with one
};

LineEndings read_line_endings(const Program& program) {
    LineEndings endings;
    const ProcessResult result = program.run({"config", "-z", "--get-regexp", "^core\\.(autocrlf|eol)$"});
    for (const auto entry : split_terminated(result.output, '\0')) {
        const auto newline = entry.find('\n');
        const auto key = entry.substr(0, newline);
        std::string value(newline == std::string_view::npos ? "true" : entry.substr(newline + 1));
        std::transform(value.begin(), value.end(), value.begin(), [](char letter) {
            return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
        });
        if (key == "core.autocrlf")
            endings.always_crlf = value != "false" && value != "no" && value != "off" && value != "0" &&
                                  !value.empty() && value != "input";
        else
            endings.text_crlf = value == "crlf";
    }
    return endings;
}

/// False only where git is sure to write the blob's own bytes.
bool may_convert(const std::map<std::string, std::string>& attributes, const LineEndings& endings) {
    const auto value = [&](const char* name) -> std::string_view {
        const auto found = attributes.find(name);
        return found == attributes.end() ? "unspecified" : std::string_view(found->second);
    };
    const auto has_value = [&](const char* name) {
        return value(name) != "unspecified" && value(name) != "unset" && value(name) != "set";
    };
    if (value("ident") == "set" || has_value("filter") || has_value("working-tree-encoding"))
        return true;
    // crlf is the old name of text; eol alone stands for text
    const auto text = value("text") == "unspecified" ? value("crlf") : value("text");
    if (text == "unset")
        return false;
    if (value("eol") == "crlf" || endings.always_crlf)
        return true;
    return endings.text_crlf && (text != "unspecified" || value("eol") != "unspecified");
}

/// A path that a line of `cat-file --batch` can carry: git takes the rest of the line, without the blanks before it.
bool fits_a_line(std::string_view path) {
    return path.find('\n') == std::string_view::npos && !path.ends_with('\r') && !path.starts_with(' ') &&
           !path.starts_with('\t');
}

/// Talks to `git cat-file --batch --filters`. The size that it announces is the blob's, not that of what follows, so
/// each answer is ended by asking for something that no repository has.
class FilteringReader {
public:
    FilteringReader(const Program& program, const RunOptions& options)
        : m_program(program), m_child(program.start({"cat-file", "--batch", "--filters"}, options)),
          m_end_mark("carryend" + random_suffix(32)) {}

    std::string read(const SmudgeItem& item) {
        try {
            return exchange(item);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::interrupted)
                throw;
            m_child.wait();
            const std::string words = m_child.error_output();
            if (trim(words).empty())
                throw;
            throw conversion_failure(m_program, words, "smudge");
        }
    }

private:
    std::string exchange(const SmudgeItem& item) {
        m_child.write(item.blob.hex() + " " + item.path + "\n" + m_end_mark + "\n");
        const std::string header = m_child.read_until('\n');
        const std::string last_line = m_end_mark + " missing";
        if (header.ends_with(" missing") || header == last_line)
            throw Error(ErrorKind::failed, "cannot read blob '" + item.blob.hex() + "'");
        std::string bytes;
        for (;;) {
            const std::string line = m_child.read_until('\n');
            if (line == last_line)
                break;
            bytes += line;
            bytes += '\n';
        }
        bytes.pop_back(); // git's own, after the contents
        return bytes;
    }

    const Program& m_program;
    Child m_child;
    std::string m_end_mark;
};

} // namespace

void smudge_blobs(const Program& program, TreeReader& trees, const ObjectId& attributes_from,
                  const std::vector<SmudgeItem>& items,
                  const std::function<void(const SmudgeItem&, std::string&&)>& on_bytes) {
    if (items.empty())
        return;
    prepare_object_directory(program.paths());
    std::vector<std::string> paths;
    paths.reserve(items.size());
    for (const auto& item : items)
        paths.push_back(item.path);
    const RulesTree place(program, rule_files(trees, attributes_from, paths, ".gitattributes"));
    const auto attributes = check_attributes(
        program, {"text", "crlf", "eol", "ident", "filter", "working-tree-encoding"}, paths, place.options());
    const LineEndings endings = read_line_endings(program);

    std::optional<FilteringReader> reader;
    for (const auto& item : items) {
        const auto found = attributes.find(item.path);
        if (found == attributes.end() || !may_convert(found->second, endings))
            continue;
        if (fits_a_line(item.path)) {
            if (!reader)
                reader.emplace(program, place.options());
            on_bytes(item, reader->read(item));
            continue;
        }
        ProcessResult result =
            program.run({"cat-file", "--filters", "--path=" + item.path, item.blob.hex()}, place.options());
        if (!result.ok())
            throw conversion_failure(program, result.error_output, "smudge");
        on_bytes(item, std::move(result.output));
    }
}

} // namespace carry::git
