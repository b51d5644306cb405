#include "lab.hpp"

#include "base/file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>

namespace carry::transaction::lab {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> all_files(const fs::path& root, bool in_git_directory) {
    std::vector<std::string> files;
    for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator(); ++at) {
        if (!in_git_directory && at->path().filename() == ".git") {
            at.disable_recursion_pending();
            continue;
        }
        if (at->is_symlink() || !at->is_directory())
            files.push_back(at->path().lexically_relative(root).native());
    }
    return files;
}

/// Hundreds of transactions, each of which waits for the disk several times: in memory where there is such a place.
[[maybe_unused]] const bool in_memory = [] {
    return getenv("TMPDIR") == nullptr && access("/dev/shm", R_OK | W_OK | X_OK) == 0 &&
           setenv("TMPDIR", "/dev/shm", 1) == 0;
}();

} // namespace

Lab::Lab() : Lab(test::TempRepo()) {}

Lab::Lab(test::TempRepo made) : repo(std::move(made)), repository(git::Repository::open(repo.path())) {
    git::prepare_object_directory(repository.paths());
}

State Lab::capture() {
    State state;
    for (const auto& path : all_files(repo.path(), false))
        state.files[path] = read_state(repository.paths(), path, repository.objects());
    const auto index = read_file_if_exists(repository.paths().git_dir / "index");
    if (index)
        state.index = repository.objects().write(git::ObjectType::blob, *index);
    state.head = git::ObjectId::from_hex(repo.head());
    const auto name = repo.git_run({"symbolic-ref", "-q", "HEAD"});
    state.head_name = name.ok() ? name.output.substr(0, name.output.size() - 1) : "HEAD";
    state.fingerprint = test::fingerprint(repo.path());
    return state;
}

CheckoutMove Lab::between(const State& before, const State& after) const {
    CheckoutMove move;
    move.paths = repository.paths();
    std::map<std::string, Transition> transitions;
    for (const auto& [path, state] : before.files)
        transitions[path] = {path, state, {}};
    for (const auto& [path, state] : after.files) {
        transitions[path].path = path;
        transitions[path].after = state;
    }
    for (const auto& [path, transition] : transitions)
        move.transitions.push_back(transition);
    move.index = IndexMove{before.index, after.index};
    if (before.head_name == after.head_name) {
        move.refs.push_back({before.head_name, before.head, after.head});
    } else {
        const auto value = [](const State& state) {
            return state.head_name == "HEAD" ? state.head.hex() : state.head_name;
        };
        move.head_before = value(before);
        move.head_after = value(after);
    }
    move.reflog_message = "carry: test";
    return move;
}

void Lab::apply(const CheckoutMove& move, ApplyOptions options) {
    if (options.run.empty())
        options.run = "20260101T000000Z-test";
    transaction::apply({{move, &repository.objects(), git::ObjectFormat::sha1}}, journal_dir(), options);
}

std::optional<Recovery> Lab::recover(RecoverOptions options) {
    return transaction::recover(journal_dir(), repository, options);
}

std::vector<std::string> Lab::leftovers() const {
    std::vector<std::string> found;
    for (const auto& path : all_files(repo.path(), true)) {
        const std::string name = fs::path(path).filename().native();
        if (name.ends_with(".lock") || name.starts_with(".git-carry-") || name.starts_with("journal") ||
            name.starts_with("index-"))
            found.push_back(path);
    }
    return found;
}

bool Lab::is_sound() const {
    const auto fsck = repo.git_run({"fsck", "--no-dangling"});
    const auto status = repo.git_run({"--no-optional-locks", "status", "--porcelain"});
    return fsck.ok() && fsck.error_output.find("error") == std::string::npos && status.ok();
}

void make_old(const test::TempRepo& repo) {
    repo.git("config", "core.logAllRefUpdates", "true");
    repo.write(".gitignore", "*.log\n");
    repo.write("kept.txt", "nobody touches it\n");
    repo.write("replaced.txt", "old\n");
    repo.write("private.txt", "old secret\n");
    fs::permissions(repo.file("private.txt"), fs::perms::owner_read | fs::perms::owner_write);
    repo.write("deleted.txt", "goes\n");
    repo.write("gone/deep/one", "1\n");
    repo.write("gone/deep/two", "2\n");
    repo.write("gone.with/other.log", "ignored\n");
    repo.write("gone.with/file", "goes, but not its neighbour\n");
    repo.write("script.sh", "#!/bin/sh\n");
    repo.write("emptied", "something\n");
    repo.write("file-to-link", "a file\n");
    repo.symlink("kept.txt", "link-to-file");
    repo.symlink("kept.txt", "link-to-link");
    repo.write("file-to-directory", "a file\n");
    repo.symlink("gone", "link-to-directory");
    repo.write("directory-to-file/a", "a\n");
    repo.write("directory-to-file/b/c", "c\n");
    repo.write("odd/tab\tname", "old\n");
    repo.write("odd/new\nline", "old\n");
    repo.write("odd/\"quoted\\\"", "old\n");
    repo.write("odd/\xff\xfe", "old\n");
    repo.write(" leading and trailing ", "old\n");
    repo.commit("Old");
    repo.write("staged.txt", "staged\n");
    repo.stage("staged.txt");
    repo.append("staged.txt", "and not staged\n");
    repo.write("untracked.txt", "untracked\n");
    repo.write("ignored.log", "ignored\n");
}

void make_new(const test::TempRepo& repo) {
    repo.write("replaced.txt", "new and longer\n");
    repo.write("private.txt", "new secret\n");
    repo.remove("deleted.txt");
    repo.remove("gone");
    repo.remove("gone.with/file");
    repo.make_executable("script.sh");
    repo.write("emptied", "");
    repo.remove("file-to-link");
    repo.symlink("kept.txt", "file-to-link");
    repo.write("link-to-file", "a file\n");
    repo.symlink("nowhere", "link-to-link");
    repo.remove("file-to-directory");
    repo.write("file-to-directory/x", "x\n");
    repo.write("file-to-directory/y/z", "z\n");
    repo.remove("link-to-directory");
    repo.write("link-to-directory/x", "x\n");
    repo.remove("directory-to-file");
    repo.write("directory-to-file", "a file\n");
    repo.write("odd/tab\tname", "new\n");
    repo.write("odd/new\nline", "new\n");
    repo.write("odd/\"quoted\\\"", "new\n");
    repo.write("odd/\xff\xfe", "new\n");
    repo.write(" leading and trailing ", "new\n");
    repo.write("new/very/deep/directory/file", std::string("binary\0bytes", 12));
    repo.commit("New");
    repo.append("staged.txt", "staged again\n");
    repo.stage("staged.txt");
    repo.write("untracked.txt", "changed\n");
}

std::unique_ptr<OldAndNew> old_and_new() {
    auto both = std::make_unique<OldAndNew>();
    make_old(both->lab.repo);
    both->before = both->lab.capture();
    make_new(both->lab.repo);
    both->after = both->lab.capture();
    both->there = both->lab.between(both->before, both->after);
    both->back = reversed(both->there, "carry: test back");
    both->lab.apply(both->back);
    return both;
}

int in_child(const std::function<void()>& action) {
    std::cout.flush();
    const pid_t pid = fork();
    if (pid == 0) {
        try {
            action();
        } catch (const std::exception& error) {
            std::cerr << "child: " << error.what() << '\n';
            _exit(1);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace carry::transaction::lab
