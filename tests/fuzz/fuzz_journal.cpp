// Journals and transaction records. Their checksums and sizes are made right first, or nothing would be reached.
#include "base/directory.hpp"
#include "fuzz.hpp"
#include "transaction/journal.hpp"
#include "transaction/lines.hpp"

#include <fmt/format.h>

namespace {

/// With the checksum that its text has.
std::string sealed(std::string_view text) {
    if (const auto old = text.rfind("\nchecksum "); old != std::string_view::npos)
        text = text.substr(0, old + 1);
    return fmt::format("{}checksum {:016x}\n", text, carry::transaction::checksum_of(text));
}

/// A journal holds a record: both get their checksum, the record its size.
std::string repaired(std::string_view text) {
    const auto size_at = text.find("\nmoves ");
    const auto record = text.find("\ngit-carry transaction ");
    const auto end = text.find("\nchecksum ", record);
    if (size_at == std::string_view::npos || record == std::string_view::npos || end == std::string_view::npos)
        return sealed(text);
    const auto inner = sealed(text.substr(record + 1, end - record));
    const auto after = text.find('\n', end + 1);
    const auto rest = after == std::string_view::npos ? std::string_view() : text.substr(after + 1);
    const auto layouts = rest.starts_with('\n') ? rest.substr(1) : rest;
    return sealed(fmt::format("{}\nmoves {}\n{}\n{}", text.substr(0, size_at), inner.size(), inner, layouts));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace carry;
    const auto text = repaired(fuzz::text_of(data, size));
    const auto inside = [](const std::vector<transaction::CheckoutMove>& moves) {
        for (const auto& move : moves)
            for (const auto& transition : move.transitions)
                fuzz::expect(is_safe_repo_path(transition.path), "a record names nothing outside the tree");
    };
    fuzz::understood([&] {
        const auto journal = transaction::parse_journal(text);
        fuzz::expect(transaction::serialize(journal) == text, "a journal is as it was written, or refused");
        inside(journal.moves);
    });
    fuzz::understood([&] { inside(transaction::parse_moves(text)); });
    return 0;
}
