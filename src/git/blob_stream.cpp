#include "git/blob_stream.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

#include <carry/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace carry::git {

namespace {

constexpr std::size_t piece_size = std::size_t{1} << 20;

/// Reads an open file from its beginning.
class PieceReader {
public:
    PieceReader(int file, std::uint64_t size, const std::filesystem::path& path)
        : m_file(file), m_path(path), m_buffer(std::clamp<std::uint64_t>(size, 1, piece_size)) {}

    /// At most `most` bytes; empty at the end of the file.
    std::string_view next(std::uint64_t most) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(most, m_buffer.size()));
        for (;;) {
            const auto count = pread(m_file, m_buffer.data(), wanted, m_offset);
            if (count >= 0) {
                m_offset += count;
                return {m_buffer.data(), static_cast<std::size_t>(count)};
            }
            if (errno != EINTR)
                throw_errno("read", m_path);
        }
    }

private:
    int m_file;
    const std::filesystem::path& m_path;
    std::vector<char> m_buffer;
    off_t m_offset = 0;
};

} // namespace

std::optional<ObjectId> write_blob_from(ObjectStore& store, int file, std::uint64_t size,
                                        const std::filesystem::path& path) {
    PieceReader reader(file, size, path);
    auto left = size;
    const auto next = [&] {
        const auto piece = reader.next(left);
        left -= piece.size();
        return piece;
    };
    auto* streams = size >= stream_from ? dynamic_cast<BlobStreams*>(&store) : nullptr;
    if (streams != nullptr)
        return streams->write_pieces(size, next);
    std::string bytes;
    for (auto piece = next(); !piece.empty(); piece = next())
        bytes += piece;
    return bytes.size() == size ? std::optional(store.write(ObjectType::blob, bytes)) : std::nullopt;
}

void read_blob(ObjectStore& store, const ObjectId& id, const std::function<void(std::string_view)>& take) {
    const auto header = store.header(id);
    auto* streams = header && header->size >= stream_from ? dynamic_cast<BlobStreams*>(&store) : nullptr;
    if (streams != nullptr)
        streams->read_pieces(id, take);
    else
        take(store.require(id, ObjectType::blob));
}

bool holds_blob(ObjectStore& store, const ObjectId& id, int file, const std::filesystem::path& path) {
    PieceReader reader(file, piece_size, path);
    bool same = true;
    read_blob(store, id, [&](std::string_view piece) {
        while (same && !piece.empty()) {
            const auto found = reader.next(piece.size());
            same = !found.empty() && piece.starts_with(found);
            piece.remove_prefix(std::min(found.size(), piece.size()));
        }
    });
    return same && reader.next(1).empty();
}

void cat_blob(const Program& program, const ObjectId& id, const std::function<void(std::string_view)>& take) {
    RunOptions options;
    options.private_objects = true;
    options.on_output = take;
    // what is larger than that git does not load as a whole
    const auto result = program.run({"-c", "core.bigFileThreshold=8m", "cat-file", "blob", id.hex()}, options);
    if (!result.ok())
        throw Error(ErrorKind::failed, "cannot read blob " + quoted(id.hex())).because(words_of(result));
}

} // namespace carry::git
