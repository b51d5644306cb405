#include "cli/commands.hpp"

#include <memory>

namespace carry::cli {

void add_patch_commands(CLI::App& root, Invocation& invocation) {
    auto& export_patches =
        add_command(root, invocation, "export",
                    "Write what is carried as patch files with a series\n\n"
                    "git am takes the commits, git apply the rest, quilt what GNU patch can express. How conflicts "
                    "were resolved before stands beside them, for git carry import.");
    const auto directory = std::make_shared<std::string>();
    export_patches.add_option("DIR", *directory, "A directory to write to; it must be empty or missing")->required();
    add_no_resolutions(export_patches, invocation, "Leave out how conflicts were resolved before");
    on_command(export_patches, invocation, [directory](CommandRun& invoked) {
        return invoked.finish(carry::export_patches(invoked.request(), invoked.invocation().path(*directory)));
    });

    auto& apply = add_command(root, invocation, "apply",
                              "Apply patches to the checkout, merging as an upgrade does\n\n"
                              "A patch is merged with what the files hold now, by the versions it was made for; each "
                              "goes to the layer it came from. git carry undo takes them away again.");
    const auto files = std::make_shared<std::vector<std::string>>();
    apply.add_option("PATCH", *files, "Patch files, series files or directories with a series")->required();
    add_on_conflict(apply, invocation);
    add_no_resolutions(apply, invocation, "Resolve no conflict as it was resolved before");
    add_rules(apply, invocation);
    on_command(apply, invocation, [files](CommandRun& invoked) {
        std::vector<std::filesystem::path> paths;
        for (const auto& file : *files)
            paths.push_back(invoked.invocation().path(file));
        return invoked.finish(carry::apply_patches(invoked.request(), paths));
    });
}

} // namespace carry::cli
