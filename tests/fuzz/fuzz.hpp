/// What the fuzzers share: any exception but carry::Error, and any broken promise, ends the program.
#pragma once

#include "base/file.hpp"

#include <carry/error.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace carry::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// A promise that holds for every input.
inline void expect(bool holds, const char* promise) {
    if (holds)
        return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

/// False where the reader refuses the input with an error of its own.
template <typename Reader>
bool understood(const Reader& reader) {
    try {
        reader();
        return true;
    } catch (const Error& error) {
        expect(!error.message().empty(), "an error says what it met");
        return false;
    }
}

/// Bytes as a file that is only in memory.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes) : m_fd(memfd_create("fuzz", MFD_CLOEXEC)) {
        write_all(m_fd.get(), bytes, "fuzz");
    }
    [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(m_fd.get()); }

private:
    UniqueFd m_fd;
};

/// A directory of this process, in $TMPDIR, for readers that take one.
inline const std::filesystem::path& scratch() {
    static const TemporaryDirectory directory(std::filesystem::temp_directory_path(), "carry-fuzz-");
    return directory.path();
}

/// Without a sync: speed is all that counts here.
inline void write_plainly(const std::filesystem::path& path, std::string_view bytes) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    expect(file != nullptr, "a scratch file can be written");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
}

} // namespace carry::fuzz
