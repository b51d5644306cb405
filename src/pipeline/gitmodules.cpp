#include "pipeline/gitmodules.hpp"

#include "base/text.hpp"

#include <string_view>

namespace carry::pipeline {

std::map<std::string, SubmoduleEntry> read_gitmodules(git::Repository& repository, const git::ObjectId& tree) {
    std::map<std::string, SubmoduleEntry> by_path;
    const auto file = repository.trees().find(tree, ".gitmodules");
    if (!file || !file->is_regular())
        return by_path;
    git::RunOptions options;
    options.private_objects = true;
    const auto output = repository.program()
                            .run({"config", "--blob", file->id.hex(), "-z", "--get-regexp", "^submodule\\."}, options)
                            .output;
    std::map<std::string, std::map<std::string, std::string>> by_name;
    constexpr std::string_view prefix = "submodule.";
    for (const auto record : split_terminated(output, '\0')) {
        const auto newline = record.find('\n');
        const auto key = record.substr(0, newline);
        const auto dot = key.rfind('.');
        if (newline != std::string_view::npos && dot > prefix.size())
            by_name[std::string(key.substr(prefix.size(), dot - prefix.size()))][std::string(key.substr(dot + 1))] =
                record.substr(newline + 1);
    }
    for (auto& [name, values] : by_name)
        if (values.contains("path"))
            by_path[values["path"]] = {name, values["url"]};
    return by_path;
}

} // namespace carry::pipeline
