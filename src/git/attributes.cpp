#include "git/attributes.hpp"

#include "base/text.hpp"

namespace carry::git {

AttributeValues check_attributes(const Program& program, const std::vector<std::string>& attributes,
                                 const std::vector<std::string>& paths, const RunOptions& options) {
    AttributeValues values;
    if (paths.empty() || attributes.empty())
        return values;
    std::vector<std::string> args = {"check-attr", "-z", "--stdin"};
    args.insert(args.end(), attributes.begin(), attributes.end());
    RunOptions with_paths = options;
    for (const auto& path : paths) {
        with_paths.input += path;
        with_paths.input += '\0';
    }
    const std::string text = program.output(args, with_paths);
    const auto fields = split_terminated(text, '\0');
    for (std::size_t i = 0; i + 2 < fields.size(); i += 3)
        values[std::string(fields[i])][std::string(fields[i + 1])] = fields[i + 2];
    return values;
}

} // namespace carry::git
