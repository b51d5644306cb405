#include "cli/parse_errors.hpp"

#include "base/text.hpp"
#include "config/nearest.hpp"

#include <fmt/format.h>

namespace carry::cli {
namespace {

const CLI::App& deepest(const CLI::App& root) {
    const auto named = root.get_subcommands();
    return named.empty() ? root : *named.front();
}

std::string help_hint(const CLI::App& app) {
    return app.get_parent() == nullptr ? "git carry --help   lists the commands"
                                       : fmt::format("git carry {} --help   lists its options", app.get_name());
}

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty())
            continue; // hidden
        for (const auto& name : option->get_lnames())
            names.push_back("--" + name);
    }
    return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands(nullptr))
        names.push_back(command->get_name());
    return names;
}

Error unexpected(const CLI::App& root) {
    const CLI::App& app = deepest(root);
    std::vector<std::string> words = app.remaining();
    if (words.empty())
        words = root.remaining(true);
    const std::string word = words.empty() ? std::string() : words.front();
    std::string what;
    std::optional<std::string> meant;
    if (word.size() > 1 && word.front() == '-') {
        const std::string name = word.substr(0, word.find('='));
        what = fmt::format("unknown option {}", quoted(name));
        meant = config::nearest(name, option_names(app));
    } else if (app.get_parent() == nullptr) {
        what = fmt::format("unknown command {}", quoted(word));
        meant = config::nearest(word, command_names(app));
    } else {
        what = fmt::format("unexpected argument {}", quoted(word));
    }
    Error error(ErrorKind::usage, what);
    if (meant)
        error.hint(fmt::format("did you mean '{}'?", *meant));
    error.hint(help_hint(app));
    return error;
}

/// CLI11 writes "NAME: MESSAGE" or "NAME is required".
std::string in_our_words(std::string text) {
    if (const auto at = text.find(": "); at != std::string::npos && text.starts_with('-'))
        return fmt::format("'{}': {}", text.substr(0, at), text.substr(at + 2));
    if (!text.empty() && text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a')
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
}

} // namespace

Error usage_error(const CLI::App& root, const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
        return unexpected(root);
    return {ErrorKind::usage, in_our_words(error.what()), {help_hint(deepest(root))}};
}

} // namespace carry::cli
