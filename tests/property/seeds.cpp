#include "seeds.hpp"

#include <cstdlib>
#include <numeric>
#include <string>

namespace carry::test {
namespace {

unsigned from_environment(const char* name, unsigned otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? static_cast<unsigned>(std::stoul(text)) : otherwise;
}

} // namespace

std::vector<unsigned> seeds(unsigned first, unsigned count) {
    std::vector<unsigned> chosen(from_environment("CARRY_CASES", count));
    std::iota(chosen.begin(), chosen.end(), from_environment("CARRY_SEED", first));
    return chosen;
}

std::vector<std::vector<unsigned>> batches(const std::vector<unsigned>& seeds) {
    std::vector<std::vector<unsigned>> portions;
    for (const auto seed : seeds) {
        if (portions.empty() || portions.back().size() == batch_size)
            portions.emplace_back();
        portions.back().push_back(seed);
    }
    return portions;
}

} // namespace carry::test
