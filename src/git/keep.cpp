#include "git/object_store.hpp"

namespace carry::git {

void keep_objects(const Program& program, const std::vector<ObjectId>& wanted, const std::vector<ObjectId>& have) {
    RunOptions options;
    options.private_objects = true;
    for (const auto& id : wanted)
        if (!id.is_null())
            options.input += id.hex() + "\n";
    if (options.input.empty())
        return;
    // The tree of an excluded commit is named as well: that marks every blob in it, not only those at the edge of the
    // walk.
    for (const auto& id : have)
        if (!id.is_null())
            options.input += "^" + id.hex() + "\n^" + id.hex() + "^{tree}\n";
    RunOptions into_private;
    into_private.private_objects = true;
    into_private.input = program.output({"pack-objects", "--revs", "--stdout", "-q"}, options);
    program.output({"-c", "core.fsync=all", "-c", "core.fsyncMethod=fsync", "index-pack", "--stdin"}, into_private);
}

} // namespace carry::git
