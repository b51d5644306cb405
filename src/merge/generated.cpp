#include "merge/generated.hpp"

#include "base/directory.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace carry::merge {

namespace {

/// Larger files are judged by their names.
constexpr std::uint64_t largest_sniffed = std::uint64_t{1} << 20;
constexpr std::size_t telling_lines = 10;

using NameAndCommand = std::pair<std::string_view, std::string_view>;
constexpr std::array<NameAndCommand, 20> lock_files = {{
    {"package-lock.json", "npm install --package-lock-only"},
    {"npm-shrinkwrap.json", "npm shrinkwrap"},
    {"yarn.lock", "yarn install"},
    {"pnpm-lock.yaml", "pnpm install --lockfile-only"},
    {"bun.lock", "bun install --lockfile-only"},
    {"bun.lockb", "bun install --lockfile-only"},
    {"deno.lock", "deno install"},
    {"Cargo.lock", "cargo generate-lockfile"},
    {"poetry.lock", "poetry lock"},
    {"uv.lock", "uv lock"},
    {"pdm.lock", "pdm lock"},
    {"Pipfile.lock", "pipenv lock"},
    {"go.sum", "go mod tidy"},
    {"Gemfile.lock", "bundle lock"},
    {"composer.lock", "composer update --lock"},
    {"flake.lock", "nix flake lock"},
    {"mix.lock", "mix deps.get"},
    {"pubspec.lock", "dart pub get"},
    {"Package.resolved", "swift package resolve"},
    {"packages.lock.json", "dotnet restore --force-evaluate"},
}};
constexpr std::array<std::string_view, 14> endings = {".pb.go",       ".pb.cc",   ".pb.h",     "_pb2.py", "_pb2.pyi",
                                                      "_pb2_grpc.py", "_pb.js",   "_pb.d.ts",  ".min.js", ".min.css",
                                                      ".js.map",      ".css.map", ".pb.swift", ".g.dart"};

const NameAndCommand* lock_file(std::string_view path) {
    const auto* const found =
        std::ranges::find(lock_files, name_of(path), [](const NameAndCommand& entry) { return entry.first; });
    return found == lock_files.end() ? nullptr : found;
}

bool says_generated(std::string_view bytes) {
    std::size_t number = 0;
    for (std::size_t start = 0; start < bytes.size() && number < telling_lines; ++number) {
        const auto end = std::min(bytes.find('\n', start), bytes.size());
        const auto line = bytes.substr(start, end - start);
        if (line.find("@generated") != std::string_view::npos || line.find("DO NOT EDIT") != std::string_view::npos)
            return true;
        start = end + 1;
    }
    return false;
}

} // namespace

bool is_generated(git::Repository& repository, std::string_view path, const std::optional<git::TreeEntry>& entry,
                  std::optional<bool> attribute) {
    if (attribute)
        return *attribute;
    if (lock_file(path) != nullptr ||
        std::ranges::any_of(endings, [&](std::string_view ending) { return path.ends_with(ending); }))
        return true;
    if (!entry || !entry->is_regular())
        return false;
    const auto header = repository.objects().header(entry->id);
    return header && header->size <= largest_sniffed &&
           says_generated(repository.objects().require(entry->id, git::ObjectType::blob));
}

std::string remake_command(std::string_view path) {
    const auto* const found = lock_file(path);
    return found == nullptr ? std::string() : std::string(found->second);
}

} // namespace carry::merge
