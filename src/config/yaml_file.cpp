#include "base/file.hpp"
#include "base/text.hpp"
#include "config/nearest.hpp"
#include "config/settings.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace carry::config {
namespace {

/// One file that is being read: its name for messages and what it may hold.
class File {
public:
    File(const std::filesystem::path& path, Source source)
        : m_name(escape_terminal(is_in_checkout(source) ? path.filename().native() : path.native())), m_source(source) {
    }

    static bool is_in_checkout(Source source) {
        return source == Source::checkout_file || source == Source::trusted_checkout_file;
    }

    [[nodiscard]] const std::string& name() const noexcept { return m_name; }

    [[nodiscard]] std::string place(const YAML::Mark& mark) const {
        if (mark.is_null())
            return m_name;
        return fmt::format("{}:{}:{}", m_name, mark.line + 1, mark.column + 1);
    }

    [[nodiscard]] Error error(const YAML::Mark& mark, std::string_view message) const {
        return {ErrorKind::usage, fmt::format("{}: {}", place(mark), message)};
    }

    void read(Settings& settings, const YAML::Node& document) const {
        if (document.IsNull())
            return;
        if (!document.IsMap())
            throw error(document.Mark(), "expected 'key: value' lines");
        std::set<std::string> seen;
        for (const auto& pair : document) {
            const Key& key = known_key(pair.first);
            if (!seen.insert(key.yaml_name).second)
                throw error(pair.first.Mark(), fmt::format("'{}' stands here a second time", key.yaml_name));
            const auto values = values_of(key, pair.second, pair.first.Mark());
            if (m_source != Source::checkout_file || key.harmless)
                set_value(settings, key.yaml_name, values, place(pair.second.Mark()));
        }
    }

    /// What it sets besides harmless keys.
    [[nodiscard]] std::vector<std::pair<std::string, std::vector<std::string>>>
    decisions(const YAML::Node& document) const {
        std::vector<std::pair<std::string, std::vector<std::string>>> found;
        for (const auto& pair : document) {
            const Key& key = known_key(pair.first);
            if (!key.harmless)
                found.emplace_back(key.yaml_name, values_of(key, pair.second, pair.first.Mark()));
        }
        return found;
    }

private:
    [[nodiscard]] const Key& known_key(const YAML::Node& node) const {
        if (!node.IsScalar())
            throw error(node.Mark(), "expected the name of a setting");
        const auto same = [&](const Key& key) { return key.yaml_name == node.Scalar(); };
        const auto found = std::find_if(keys().begin(), keys().end(), same);
        if (found == keys().end())
            throw unknown_key(node);
        return *found;
    }

    [[nodiscard]] Error unknown_key(const YAML::Node& node) const {
        std::vector<std::string> names;
        for (const auto& key : keys())
            names.push_back(key.yaml_name);
        Error unknown = error(node.Mark(), fmt::format("unknown key {}", quoted(node.Scalar())));
        if (const auto meant = nearest(node.Scalar(), names))
            unknown.hint(fmt::format("did you mean '{}'?", *meant));
        return unknown;
    }

    [[nodiscard]] std::vector<std::string> values_of(const Key& key, const YAML::Node& node,
                                                     const YAML::Mark& key_mark) const {
        // nothing has no place of its own
        const YAML::Mark mark = node.IsNull() || node.Mark().is_null() ? key_mark : node.Mark();
        if (key.type == "list of strings" && node.IsSequence()) {
            std::vector<std::string> values;
            for (const auto& item : node) {
                if (!item.IsScalar())
                    throw error(item.Mark().is_null() ? mark : item.Mark(),
                                fmt::format("an item of '{}' is not a string", key.yaml_name));
                values.push_back(item.Scalar());
            }
            return values;
        }
        if (node.IsNull())
            throw error(mark, fmt::format("'{}' has no value", key.yaml_name));
        if (!node.IsScalar())
            throw error(mark, fmt::format("'{}' is not a {}", key.yaml_name, key.type));
        const bool in_quotes = node.Tag() == "!";
        if (in_quotes && (key.type == "boolean" || key.type == "integer"))
            throw error(mark, fmt::format("'{}' is a string in quotes, not a{} {}", key.yaml_name,
                                          key.type == "integer" ? "n" : "", key.type));
        return {node.Scalar()};
    }

    std::string m_name;
    Source m_source;
};

/// A file of the checkout may be anything that a pull can bring: only a plain file of a sane size is read.
std::string read_text(const File& file, const std::filesystem::path& path, Source source) {
    constexpr off_t most = off_t{1} << 20U;
    if (File::is_in_checkout(source)) {
        const auto status = lstat_if_exists(path);
        if (status && !S_ISREG(status->st_mode))
            throw Error(ErrorKind::usage, fmt::format("'{}' in the checkout is not a plain file", file.name()));
        if (status && status->st_size > most)
            throw Error(ErrorKind::usage, fmt::format("'{}' in the checkout is larger than 1 MiB", file.name()));
    }
    const auto text = read_file_if_exists(path);
    if (!text)
        throw Error(ErrorKind::usage, fmt::format("there is no configuration file '{}'", file.name()));
    return *text;
}

/// What a document is made of, as far as it has to be known whether there is anything in it.
class DocumentProbe : public YAML::EventHandler {
public:
    [[nodiscard]] bool holds_something() const noexcept { return m_holds_something; }
    [[nodiscard]] const YAML::Mark& start() const noexcept { return m_start; }

    void OnDocumentStart(const YAML::Mark& mark) override { m_start = mark; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
    void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { m_holds_something = true; }
    void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  const std::string& /*value*/) override {
        m_holds_something = true;
    }
    void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                         YAML::EmitterStyle::value /*style*/) override {
        m_holds_something = true;
    }
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                    YAML::EmitterStyle::value /*style*/) override {
        m_holds_something = true;
    }
    void OnMapEnd() override {}

private:
    YAML::Mark m_start;
    bool m_holds_something = false;
};

/// The one document of a file; null where it is empty. Not by YAML::LoadAll: on text that no document can begin with it
/// reads empty documents until the memory is full (yaml-cpp 0.7).
YAML::Node parse(const File& file, const std::string& text) {
    try {
        std::istringstream input(text);
        YAML::Parser parser(input);
        DocumentProbe first;
        DocumentProbe second;
        if (parser.HandleNextDocument(first) && parser.HandleNextDocument(second) && second.holds_something())
            throw file.error(second.start(), "a second document, only one is read");
        return YAML::Load(text);
    } catch (const YAML::Exception& exception) {
        throw file.error(exception.mark, escape_terminal(exception.msg));
    }
}

void read_text_into(Settings& settings, const File& file, const std::string& text) {
    const auto document = parse(file, text);
    try {
        file.read(settings, document);
    } catch (const YAML::Exception& exception) {
        throw file.error(exception.mark, escape_terminal(exception.msg));
    }
}

constexpr const char* checkout_file_name = ".carry.yaml";

} // namespace

void read_yaml_file(Settings& settings, const std::filesystem::path& path, Source source) {
    const File file(path, source);
    read_text_into(settings, file, read_text(file, path, source));
}

std::optional<CheckoutFile> read_checkout_file(const std::filesystem::path& worktree) {
    const auto path = worktree / checkout_file_name;
    if (!lstat_if_exists(path))
        return std::nullopt;
    const File file(path, Source::checkout_file);
    CheckoutFile found{read_text(file, path, Source::checkout_file), {}};
    Settings probe; // names and types are checked whoever is trusted
    read_text_into(probe, File(path, Source::trusted_checkout_file), found.text);
    found.decisions = file.decisions(parse(file, found.text));
    return found;
}

void apply_checkout_file(Settings& settings, const CheckoutFile& file, bool trusted) {
    const Source source = trusted ? Source::trusted_checkout_file : Source::checkout_file;
    read_text_into(settings, File(checkout_file_name, source), file.text);
}

} // namespace carry::config
