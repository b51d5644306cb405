#include <carry/report.hpp>

namespace carry {

std::string_view to_string(Outcome outcome) {
    switch (outcome) {
    case Outcome::upgraded:
        return "upgraded";
    case Outcome::up_to_date:
        return "up-to-date";
    case Outcome::planned:
        return "planned";
    case Outcome::stopped:
        return "stopped";
    case Outcome::marked:
        return "marked";
    case Outcome::parked:
        return "parked";
    case Outcome::verify_failed:
        return "verify-failed";
    case Outcome::undone:
        return "undone";
    case Outcome::continued:
        return "continued";
    case Outcome::recorded:
        return "recorded";
    case Outcome::shown:
        return "shown";
    case Outcome::pruned:
        return "pruned";
    case Outcome::exported:
        return "exported";
    case Outcome::imported:
        return "imported";
    case Outcome::applied:
        return "applied";
    case Outcome::recovered:
        return "recovered";
    case Outcome::refused:
        return "refused";
    case Outcome::failed:
        return "failed";
    }
    return "unknown";
}

} // namespace carry
