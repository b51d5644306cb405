#include "cli/help.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carry::cli {
namespace {

constexpr std::size_t page_width = 80;
constexpr std::size_t text_column = 24;

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::string names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const auto& name : option.get_snames())
        names.push_back('-' + name);
    for (const auto& name : option.get_lnames())
        names.push_back("--" + name);
    // long names stand in one column, whether or not a short one is before them
    std::string text = option.get_snames().empty() ? "    " : "";
    text += join(names, ", ");
    if (option.get_items_expected_max() > 0)
        text += ' ' + option.get_type_name();
    return text;
}

/// "  NAME      what it is for", the name on a line of its own where it is long.
std::string entry(const std::string& name, const std::string& about) {
    std::string line = "  " + name;
    if (line.size() + 2 > text_column)
        return line + '\n' + std::string(text_column, ' ') + wrapped(about, page_width - text_column, text_column) +
               '\n';
    line.resize(text_column, ' ');
    return line + wrapped(about, page_width - text_column, text_column) + '\n';
}

std::string usage_of(const CLI::App& app) {
    if (app.get_parent() == nullptr)
        return "Usage: git carry [OPTIONS] COMMAND [ARGUMENTS]\n";
    std::string text = fmt::format("Usage: git carry {} [OPTIONS]", app.get_name());
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_positional())
            continue;
        const std::string name = option->get_name(true) + (option->get_items_expected_max() > 1 ? "…" : "");
        text += option->get_required() ? ' ' + name : " [" + name + ']';
    }
    return text + '\n';
}

std::string arguments_of(const CLI::App& app) {
    std::string text;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional())
            text += entry(option->get_name(true), option->get_description());
    }
    return text.empty() ? text : "\nArguments:\n" + text;
}

std::string options_of(const CLI::App& app) {
    std::string text;
    auto groups = app.get_groups();
    std::stable_partition(groups.begin(), groups.end(), [](const auto& group) { return group == "Options"; });
    for (const auto& group : groups) {
        if (group.empty())
            continue; // hidden
        std::string entries;
        for (const CLI::Option* option : app.get_options()) {
            if (option->get_group() == group && !option->get_positional())
                entries += entry(names_of(*option), option->get_description());
        }
        if (!entries.empty())
            text += fmt::format("\n{}:\n{}", group, entries);
    }
    return text;
}

std::string commands_of(const CLI::App& app) {
    std::string text;
    for (const CLI::App* command : app.get_subcommands(nullptr))
        text += entry(command->get_name(), first_line(command->get_description()));
    return text.empty() ? text : "\nCommands:\n" + text;
}

} // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    std::string result;
    std::size_t column = 0;
    for (const auto paragraph : split(text, '\n')) {
        if (!result.empty()) {
            result += '\n';
            column = 0;
        }
        for (const auto word : split(paragraph, ' ')) {
            const std::size_t size = display_width(word);
            if (column > 0 && column + 1 + size > width) {
                result += '\n' + std::string(indent, ' ');
                column = 0;
            } else if (column > 0) {
                result += ' ';
                ++column;
            }
            result += word;
            column += size;
        }
    }
    return result;
}

std::string help_text(const CLI::App& app) {
    std::string text = wrapped(app.get_description(), page_width, 0) + "\n\n" + usage_of(app);
    text += arguments_of(app);
    text += commands_of(app);
    text += options_of(app);
    if (const std::string footer = app.get_footer(); !footer.empty())
        text += '\n' + footer + '\n';
    return text;
}

} // namespace carry::cli
