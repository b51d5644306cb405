/// A generated case as a list of small steps, so that a failure can be shrunk by leaving steps out.
#pragma once

#include "support/scratch_files.hpp"

#include <functional>
#include <string>
#include <vector>

namespace carry::test {

/// Whose change a step is, in the order in which they are played.
enum class Side {
    upstream,
    commit,
    staged,
    unstaged, ///< new files are untracked
    ignored,  ///< an ignored file appears
    bits,     ///< permissions that git does not record
    intent,   ///< an untracked file becomes intent-to-add
    assume_unchanged,
    skip_worktree,
};

struct Step {
    Side side = Side::upstream;
    unsigned seed = 0;   ///< decides what happens, and where, given the files that are there
    bool joined = false; ///< a commit's: in one commit with the step before it
};

/// What upstream and the local side do to a base that the seed decides. Equal scripts make equal checkouts.
struct Script {
    unsigned seed = 0;
    std::string place;     ///< the directory it happens in, "" or one that ends in '/'
    bool rules = false;    ///< with .gitattributes and .gitignore
    bool disjoint = false; ///< upstream keeps to the directory "up", the local side out of it
    std::vector<Step> steps;
};

/// Several of them in one checkout, each in its own directory: what a command costs is paid once for all.
using Scripts = std::vector<Script>;

/// The files of each state; paths from the top of the checkout.
struct Versions {
    ScratchFiles base;
    std::vector<ScratchFiles> upstream, commits; ///< one each
    ScratchFiles staged, unstaged;
    std::vector<std::string> ignored, bits, intent, assume_unchanged, skip_worktree; ///< paths
};

enum class Kind { any, disjoint };
Scripts make_scripts(const std::vector<unsigned>& seeds, Kind kind = Kind::any);
Versions play(const Scripts& scripts);
/// What each step does, one line a path.
std::string describe(const Scripts& scripts);

/// Leaves out scripts, then steps, as long as `failure` still says something of what is left. Returns the smallest that
/// was found, in words, with what fails there.
std::string shrunk(Scripts scripts, const std::function<std::string(const Scripts&)>& failure);

} // namespace carry::test
