/// The report: one value that says what a command found and did. Renderers (text, JSON, Markdown) only read it.
/// Text is UTF-8; paths and subjects that are not are quoted as git quotes them. Object ids are full hex.
#pragma once

#include <carry/words.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carry {

/// A commit, for people.
struct CommitRef {
    std::string id;
    std::string subject;
    std::string author;
    std::int64_t date = 0; ///< author date, seconds since 1970
};

/// Lines first..last of a file, counted from 1; last < first is an empty place before `first`.
struct LineSpan {
    std::size_t first = 0;
    std::size_t last = 0;
};

struct HunkReport {
    Fate fate = Fate::kept;
    LineSpan old_lines;                ///< in the version the patch was made for
    std::optional<LineSpan> new_lines; ///< in the result; nothing where it is not there
    std::string reason;                ///< "14 lines down", "upstream has it", "upstream changed lines next to it"
    std::optional<CommitRef> by;       ///< who absorbed it, moved it, or collided with it
};

struct PatchReport {
    Layer layer = Layer::commit;
    Fate fate = Fate::kept;
    std::string path;     ///< for a commit with several paths each path is one entry, sharing `commit`
    std::string new_path; ///< where it went; empty: the same
    std::string change;   ///< "modified", "added", "deleted", "renamed", "mode", "type", "binary", "submodule"
    std::optional<CommitRef> commit; ///< the local commit it belongs to
    std::string new_commit;          ///< its id after the upgrade; empty: dropped or none
    std::vector<HunkReport> hunks;
    std::optional<CommitRef> by; ///< the upstream commit that absorbed, renamed or deleted it
    std::string patch_file;      ///< in the run directory: "patches/0003-….patch"
    std::string parked_as;       ///< name under which it was set aside
    std::string note;
    bool generated = false; ///< made by a program from other files: a lock file, compiled output
};

/// What a rule would make of a conflict (docs/merging.md).
struct RuleProposal {
    std::string rule;               ///< "words"
    double precision = 0;           ///< how often it was right where it was measured
    std::vector<std::string> lines; ///< in the place of the conflict, without their ends
};

struct ConflictReport {
    Layer layer = Layer::commit;
    ConflictKind kind = ConflictKind::content;
    std::string path;
    std::string new_path; ///< upstream's name for it, where it differs
    std::optional<CommitRef> commit;
    std::optional<LineSpan> base, yours, upstream; ///< content conflicts only
    std::vector<CommitRef> culprits;               ///< upstream commits that touched those lines, newest first
    std::vector<RuleProposal> proposals;           ///< the likeliest first; content conflicts only
    std::string message;                           ///< one sentence
    bool generated = false;                        ///< as in PatchReport
    std::string hint;                              ///< "npm install --package-lock-only   makes it anew"; may be empty
};

/// A clean result that may still be wrong, or something a person should know.
struct Warning {
    std::string kind; ///< "duplicate-block", "rewritten-context", "unsigned", "moved-tag" …
    std::string path; ///< may be empty
    std::string message;
};

struct VerifyResult {
    std::string command;
    int exit_code = 0;
    double seconds = 0;
    std::string output_tail; ///< the last lines, escaped
};

/// What an undo found when it looked again, once everything was back.
struct UndoProof {
    std::string run;                  ///< the checkout is as it was before this one
    std::size_t files = 0;            ///< paths that were compared, beside HEAD and the index
    std::vector<std::string> differs; ///< "HEAD", "the index" and paths that are not as they were; none: proven
};

enum class Outcome {
    upgraded,      ///< everything landed
    up_to_date,    ///< nothing to do
    planned,       ///< check: what an upgrade would do
    stopped,       ///< conflicts; the checkout is untouched
    marked,        ///< conflicts are marked in the files
    parked,        ///< landed, with patches set aside
    verify_failed, ///< rolled back
    undone,        ///< undo or abort brought a state back
    continued,     ///< a marked run is done
    recorded,      ///< snapshot
    shown,         ///< status: nothing was planned
    pruned,
    exported,
    imported, ///< somebody's recorded resolutions were taken in
    applied,
    recovered,
    refused, ///< preflight said no
    failed,
};
std::string_view to_string(Outcome outcome);

/// One line of `git carry runs`.
struct RunSummary {
    std::string id;
    std::string command;
    Outcome outcome = Outcome::up_to_date;
    int exit_code = 0;
    std::string old_head, new_head;
    std::int64_t time = 0;
    std::string state; ///< "done", "waiting" (marked), "stopped", "undone", "verifying"
    std::size_t conflicts = 0, patches = 0;
};

struct Report {
    std::string command; ///< "upgrade", "check" …
    Outcome outcome = Outcome::up_to_date;
    int exit_code = 0;
    std::string run;        ///< id; empty where the run left no record
    std::string repository; ///< the worktree
    std::string branch;     ///< "main", or "detached HEAD"
    std::string upstream;   ///< "origin/main"
    std::string old_head, new_head;
    std::string base;
    std::string old_upstream, new_upstream; ///< the upstream commit range; old is the base
    std::size_t upstream_commits = 0;
    std::size_t upstream_files = 0;
    std::size_t commits = 0, staged = 0, unstaged = 0, untracked = 0; ///< what is carried
    std::vector<PatchReport> patches;
    std::vector<ConflictReport> conflicts;
    std::vector<Warning> warnings;
    std::vector<std::string> notes; ///< "upstream was rewritten: fork point 1a2b3c4"
    std::vector<VerifyResult> verify;
    std::vector<std::string> parked;    ///< names of all that is parked now
    std::vector<std::string> saved;     ///< what undo stored first: "app.txt  (run X, object 1a2b…)"
    std::optional<UndoProof> proof;     ///< undo and abort only
    std::string error;                  ///< refused or failed: the sentence
    std::optional<RunSummary> last_run; ///< status only
    std::string waiting;                ///< id of a run in conflict that waits for continue or abort
    std::vector<std::string> next;      ///< commands to type next, each "git carry …   what it does"
    std::int64_t time = 0;              ///< when it was made, seconds
};

} // namespace carry
