/// Blobs piece by piece, for files that are too large to be held in memory.
#pragma once

#include "git/object_store.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

namespace carry::git {

/// From this size on a file is read and written piece by piece.
inline constexpr std::uint64_t stream_from = std::uint64_t{8} << 20;

/// What a store can do besides reading and writing whole objects.
class BlobStreams {
public:
    BlobStreams() = default;
    BlobStreams(const BlobStreams&) = delete;
    BlobStreams& operator=(const BlobStreams&) = delete;
    virtual ~BlobStreams() = default;

    /// `next` gives one piece after the other and at the end an empty one. Nothing where they are not `size` bytes.
    virtual std::optional<ObjectId> write_pieces(std::uint64_t size, const std::function<std::string_view()>& next) = 0;
    /// Throws Error{failed} where there is no such blob.
    virtual void read_pieces(const ObjectId& id, const std::function<void(std::string_view)>& take) = 0;
};

/// Stores `size` bytes of an open file, from its beginning. Nothing where it holds less. `path` is for messages. A
/// small one is read as a whole.
std::optional<ObjectId> write_blob_from(ObjectStore& store, int file, std::uint64_t size,
                                        const std::filesystem::path& path);
void read_blob(ObjectStore& store, const ObjectId& id, const std::function<void(std::string_view)>& take);
/// True where the open file holds the blob's bytes and nothing more.
bool holds_blob(ObjectStore& store, const ObjectId& id, int file, const std::filesystem::path& path);

/// By `git cat-file`, which streams what lies in a pack.
void cat_blob(const Program& program, const ObjectId& id, const std::function<void(std::string_view)>& take);

} // namespace carry::git
