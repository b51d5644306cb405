/// libgit2's start-up, and its return codes made into errors.
#pragma once

#include <string_view>

namespace carry::git {

/// Starts libgit2 at the first call (it costs some 10 ms, so commands that need no objects never pay); it is shut
/// down at exit. Every function that calls libgit2 calls this first. Throws Error{failed} where it cannot start.
void ensure_library();

/// Throws Error{failed} "cannot WHAT" with libgit2's words as its cause unless `code` is a success.
void check(int code, std::string_view what);

/// check(), but a missing object is an answer: false.
bool check_found(int code, std::string_view what);

} // namespace carry::git
