/// A commit as the mail that `git am` makes the same commit of.
#pragma once

#include "git/commit.hpp"
#include "git/program.hpp"

#include <string>
#include <string_view>

namespace carry::patch {

struct CommitMail {
    std::string text;
    /// `git am` gives back author, message and diff. Otherwise the commit itself has to stand beside the mail.
    bool faithful = false;
    /// The file can be fed to `patch`: nothing in it looks like a diff but the diff, and its lines are not encoded.
    bool plain = false;
};

/// `headers` are further lines of the mail's header ("Origin: …"), `diff` is what the commit changes. Found out by a
/// trial of `git mailinfo`.
CommitMail write_commit_mail(const git::Program& program, const git::ObjectId& id, const git::Commit& commit,
                             std::string_view headers, std::string_view diff);

} // namespace carry::patch
