#include "cli/commands.hpp"

#include <array>
#include <memory>

namespace carry::cli {

void add_merge_file_command(CLI::App& root, Invocation& invocation) {
    auto& command = add_command(root, invocation, "merge-file",
                                "Merge three versions of a file as an upgrade does\n\n"
                                "OURS is upstream's version, THEIRS the local one; the merged file goes to OUT. No "
                                "repository is needed, and none is read. The exit code is 0 where the merge is clean, "
                                "1 where OUT holds conflict markers, 2 where a file cannot be read or written.");
    const auto files = std::make_shared<std::array<std::string, 4>>();
    command.add_option("BASE", (*files)[0], "The version both sides started from")->required();
    command.add_option("OURS", (*files)[1], "Upstream's version")->required();
    command.add_option("THEIRS", (*files)[2], "The local version")->required();
    command.add_option("OUT", (*files)[3], "Where to write the result")->required();
    const auto name = std::make_shared<std::string>();
    command
        .add_option("--path", *name,
                    "The file's name where it belongs, by which rules know what whitespace means in it (default: "
                    "OURS)")
        ->type_name("NAME")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    add_rules(command, invocation);
    on_command(command, invocation, [files, name](CommandRun& invoked) {
        const auto file = [&invoked, &files](std::size_t n) { // markers name it as it was typed
            return invoked.invocation().path((*files)[n]).lexically_normal();
        };
        return invoked.finish(carry::merge_file(
            invoked.request(), {.base = file(0), .ours = file(1), .theirs = file(2), .out = file(3), .name = *name}));
    });
}

} // namespace carry::cli
