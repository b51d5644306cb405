/// Commit objects as bytes: parsed and written without losing author, encoding or message bytes.
#pragma once

#include "git/object_store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carry::git {

/// "Name <mail> 1700000000 +0000", split.
struct Signature {
    std::string name;
    std::string email;
    std::int64_t seconds = 0;
    std::string zone = "+0000";
    /// Lenient, as git is: malformed parts come out empty or zero.
    static Signature parse(std::string_view line);
    [[nodiscard]] std::string line() const;
};

struct Commit {
    ObjectId tree;
    std::vector<ObjectId> parents;
    std::string author;    ///< the raw line after "author "
    std::string committer; ///< the raw line after "committer "
    std::string encoding;  ///< empty: UTF-8
    /// Other headers in order ("gpgsig", "mergetag"), without the last newline; continuation lines follow a newline,
    /// without the blank that marks them in the object.
    std::vector<std::pair<std::string, std::string>> extra;
    std::string message; ///< raw bytes
    /// Where among `extra` the encoding stands; git puts it first, other programs do not.
    std::size_t encoding_position = 0;
    /// False where not even the empty line that begins the message is there.
    bool separator = true;

    /// Throws Error{failed} where it names no tree.
    static Commit parse(std::string_view data);
    /// parse() turned round: byte for byte, for every commit whose headers stand in git's order.
    [[nodiscard]] std::string serialize() const;
    /// First paragraph's lines joined by spaces, recoded to UTF-8 where `encoding` says so and iconv can.
    [[nodiscard]] std::string subject() const;
};

/// Throws Error{failed} where it is missing or no commit.
Commit read_commit(ObjectStore& store, const ObjectId& id);

} // namespace carry::git
