#include <carry/version.hpp>

namespace carry {

std::string_view version() {
    return CARRY_VERSION;
}

} // namespace carry
