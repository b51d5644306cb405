#include "git/library.hpp"

#include <carry/error.hpp>

#include <git2.h>

#include <string>

namespace carry::git {
namespace {

[[noreturn]] void throw_last(std::string_view what) {
    const git_error* last = git_error_last();
    std::string cause = last != nullptr && last->message != nullptr ? last->message : "libgit2 gave no reason";
    throw Error(ErrorKind::failed, "cannot " + std::string(what)).because(std::move(cause));
}

class Library {
public:
    Library() {
        if (git_libgit2_init() < 0)
            throw_last("start libgit2");
        // Whose repository it is has been git's decision by now; libgit2 1.5 misreads safe.directory.
        git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() { git_libgit2_shutdown(); }
};

} // namespace

void ensure_library() {
    static const Library library;
}

void check(int code, std::string_view what) {
    if (code < 0)
        throw_last(what);
}

bool check_found(int code, std::string_view what) {
    if (code == GIT_ENOTFOUND)
        return false;
    check(code, what);
    return true;
}

} // namespace carry::git
