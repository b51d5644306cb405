/// A tree as a test writes it down: path to mode and bytes.
#pragma once

#include "git/tree.hpp"

#include <map>
#include <string>
#include <utility>

namespace carry::test {

/// One entry of a scratch tree; made from a text it is a regular file.
struct ScratchFile {
    ScratchFile(std::string bytes_) : bytes(std::move(bytes_)) {}
    ScratchFile(const char* bytes_) : bytes(bytes_) {}
    ScratchFile(std::string bytes_, std::uint32_t mode_) : bytes(std::move(bytes_)), mode(mode_) {}
    std::string bytes; ///< of a gitlink: the commit's hex id
    std::uint32_t mode = git::mode::file;
    friend bool operator==(const ScratchFile&, const ScratchFile&) = default;
};
using ScratchFiles = std::map<std::string, ScratchFile>;

inline ScratchFile executable(std::string bytes) {
    return {std::move(bytes), git::mode::executable};
}
inline ScratchFile link_to(std::string target) {
    return {std::move(target), git::mode::link};
}
inline ScratchFile submodule_at(std::string hex) {
    return {std::move(hex), git::mode::gitlink};
}

} // namespace carry::test
