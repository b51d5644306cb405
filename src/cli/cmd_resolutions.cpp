#include "cli/commands.hpp"

#include <memory>

namespace carry::cli {

void add_resolution_commands(CLI::App& root, Invocation& invocation) {
    auto& list = add_command(root, invocation, "resolutions",
                             "List how conflicts were resolved before\n\n"
                             "What was made of marked conflicts is remembered, and made of them again when they come "
                             "again. Where git's own rerere is at work, it is git's list as well.");
    const auto forget = std::make_shared<std::vector<std::string>>();
    list.add_option("--forget", *forget, "Forget the resolution with this id instead (can be repeated)")
        ->type_name("ID")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
    on_command(list, invocation, [forget](CommandRun& invoked) {
        return invoked.finish(carry::resolutions(invoked.request(), *forget));
    });

    auto& import = add_command(root, invocation, "import",
                               "Take in resolutions that git carry export wrote elsewhere\n\n"
                               "Each is checked first, and nothing that is remembered here is overwritten.");
    const auto directory = std::make_shared<std::string>();
    import.add_option("DIR", *directory, "The directory that was exported to")->required();
    on_command(import, invocation, [directory](CommandRun& invoked) {
        return invoked.finish(carry::import_resolutions(invoked.request(), invoked.invocation().path(*directory)));
    });
}

} // namespace carry::cli
