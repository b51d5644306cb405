#include <carry/words.hpp>

namespace carry {

std::string_view to_string(Layer layer) {
    switch (layer) {
    case Layer::commit:
        return "commit";
    case Layer::staged:
        return "staged";
    case Layer::unstaged:
        return "unstaged";
    case Layer::untracked:
        return "untracked";
    case Layer::ignored:
        return "ignored";
    }
    return "unknown";
}

std::string_view to_string(Fate fate) {
    switch (fate) {
    case Fate::kept:
        return "kept";
    case Fate::moved:
        return "moved";
    case Fate::merged:
        return "merged";
    case Fate::absorbed:
        return "absorbed";
    case Fate::resolved:
        return "resolved";
    case Fate::conflict:
        return "conflict";
    case Fate::parked:
        return "parked";
    }
    return "unknown";
}

std::string_view to_string(ConflictKind kind) {
    switch (kind) {
    case ConflictKind::content:
        return "content";
    case ConflictKind::binary:
        return "binary";
    case ConflictKind::both_added:
        return "both-added";
    case ConflictKind::deleted_upstream:
        return "deleted-upstream";
    case ConflictKind::deleted_here:
        return "deleted-here";
    case ConflictKind::renamed_twice:
        return "renamed-twice";
    case ConflictKind::type_changed:
        return "type-changed";
    case ConflictKind::mode:
        return "mode";
    case ConflictKind::directory_file:
        return "directory-file";
    case ConflictKind::submodule:
        return "submodule";
    case ConflictKind::in_the_way:
        return "in-the-way";
    }
    return "unknown";
}

} // namespace carry
