#include "base/text.hpp"
#include "git/blob_stream.hpp"
#include "git/object_store.hpp"
#include "git/promisor.hpp"

#include <carry/error.hpp>

#include <charconv>

namespace carry::git {
namespace {

std::optional<ObjectType> parse_type(std::string_view word) {
    for (const auto type : {ObjectType::commit, ObjectType::tree, ObjectType::blob, ObjectType::tag})
        if (word == to_string(type))
            return type;
    return std::nullopt;
}

/// "<id> <type> <size>"; nothing for "<id> missing".
std::optional<ObjectHeader> parse_header(std::string_view line, const ObjectId& id) {
    const auto words = split(line, ' ');
    if (words.size() == 2 && words[1] == "missing")
        return std::nullopt;
    std::uint64_t size = 0;
    const auto type = words.size() == 3 ? parse_type(words[1]) : std::nullopt;
    if (!type || std::from_chars(words[2].data(), words[2].data() + words[2].size(), size).ec != std::errc())
        throw Error(ErrorKind::failed, "cannot read object " + quoted(id.hex()))
            .because("git cat-file said " + quoted(line));
    return ObjectHeader{*type, size};
}

class ProgramStore final : public ObjectStore, public BlobStreams {
public:
    ProgramStore(const Program& program, ObjectFormat format) : m_program(program), m_format(format) {
        prepare_object_directory(program.paths());
    }

    std::optional<Object> read(const ObjectId& id) override {
        return ask(m_contents, "--batch", id, [](Child& child, const ObjectHeader& header) {
            Object object{header.type, child.read_exactly(header.size)};
            child.read_exactly(1); // the newline after it
            return object;
        });
    }

    std::optional<ObjectHeader> header(const ObjectId& id) override {
        return ask(m_headers, "--batch-check", id, [](Child&, const ObjectHeader& header) { return header; });
    }

    ObjectId write(ObjectType type, std::string_view data) override {
        RunOptions options;
        options.private_objects = true;
        options.input = data;
        return ObjectId::from_hex(
            m_program.line({"hash-object", "-w", "--stdin", "-t", std::string(to_string(type))}, options));
    }

    std::optional<ObjectId> write_pieces(std::uint64_t size, const std::function<std::string_view()>& next) override {
        RunOptions options;
        options.private_objects = true;
        auto child = m_program.start({"hash-object", "-w", "--stdin"}, options);
        std::uint64_t written = 0;
        for (auto piece = next(); !piece.empty(); piece = next()) {
            child.write(piece);
            written += piece.size();
        }
        child.close_input();
        const auto id = ObjectId::from_hex(child.read_until('\n'));
        return written == size ? std::optional(id) : std::nullopt;
    }

    void read_pieces(const ObjectId& id, const std::function<void(std::string_view)>& take) override {
        cat_blob(m_program, id, take);
    }

    [[nodiscard]] ObjectFormat format() const override { return m_format; }
    [[nodiscard]] std::string_view name() const override { return "git"; }

private:
    /// Asks a cat-file that is kept running about one object. One that fails is dropped: the next question starts
    /// afresh.
    template <typename Finish>
    auto ask(std::optional<Child>& child, const char* mode, const ObjectId& id, const Finish& finish)
        -> std::optional<decltype(finish(*child, ObjectHeader{}))> {
        if (id.raw().size() != (m_format == ObjectFormat::sha1 ? 20U : 32U))
            return std::nullopt;
        if (!child) {
            RunOptions options;
            options.private_objects = true;
            child.emplace(m_program.start({"cat-file", mode}, options));
        }
        try {
            child->write(id.hex() + "\n");
            const auto header = parse_header(child->read_until('\n'), id);
            if (!header) {
                refuse_corrupt(*child, id);
                return std::nullopt;
            }
            return finish(*child, *header);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::interrupted) {
                child.reset(); // it may be in the middle of an answer
                throw;
            }
            child->wait();
            if (const std::string words = child->error_output(); is_promisor_failure(words)) {
                child.reset();
                throw promisor_failure(words);
            }
            Error better(ErrorKind::failed, "cannot read object " + quoted(id.hex()));
            better.because(std::string(trim(child->error_output()))).because(error.message());
            child.reset();
            throw better;
        }
    }

    /// cat-file says "missing" of an object that is there and cannot be read, too, and complains beside it.
    void refuse_corrupt(Child& child, const ObjectId& id) {
        if (child.error_output().empty())
            return;
        RunOptions options;
        options.private_objects = true;
        if (m_program.run({"cat-file", "-e", id.hex()}, options).ok())
            throw Error(ErrorKind::failed, "it is there, but cannot be read");
    }

    Program m_program;
    ObjectFormat m_format;
    std::optional<Child> m_contents;
    std::optional<Child> m_headers;
};

} // namespace

std::unique_ptr<ObjectStore> open_program_store(const Program& program, ObjectFormat format) {
    return std::make_unique<ProgramStore>(program, format);
}

} // namespace carry::git
